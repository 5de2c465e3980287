// What a test detects and how many items a gap needs: the twin of nstar.stats.designs.
// Rules are { alpha, power, sides }; without sides a test has two.

const EXACT_FROM = 0.8;

/** The two-sided level whose critical value the test has; 1 less it covers the interval. */
function levelOf({ alpha, sides = 2 }) {
  return (2 * alpha) / sides;
}

/** Two-sided normal quantile of coverage 1 - α. */
function zOf(alpha) {
  return -ndtri(alpha / 2);
}

/** Where a predicate that once true stays true first holds. */
function bisected(reached, low, high) {
  let [from, to] = [low, high];
  for (let k = 0; k < 80; k += 1) {
    const middle = 0.5 * (from + to);
    if (reached(middle)) to = middle;
    else from = middle;
  }
  return 0.5 * (from + to);
}

/** Fewest units, all in favor of one model, whose probability of that is at most the level. */
function fewestUnits(rules) {
  return Math.max(Math.ceil(-Math.log2(levelOf(rules)) - 1e-9), 1);
}

/** Fewest graded items from which on sign flips have the power of the t test. */
function leastGraded(rules) {
  return fewestUnits(rules) + 5;
}

/** Mean of a Poisson count that is at least k with probability p. */
function poissonMean(k, p) {
  const reaches = (mean) => {
    let [term, below] = [Math.exp(-mean), 0];
    for (let j = 0; j < k; j += 1) {
      below += term;
      term *= mean / (j + 1);
    }
    return 1 - below;
  };
  return bisected((mean) => reaches(mean) >= p, 0, 4 * k + 100);
}

/** Discordant items among which there are, as often as wanted, enough to reject. */
function discordantNeeded(rules) {
  return poissonMean(fewestUnits(rules), rules.power);
}

/** The numbers of a rule that McNemar's test needs, found once for many pairs. */
function mcnemarRule(rules) {
  const [za, zb] = [zOf(levelOf(rules)), ndtri(rules.power)];
  return { za, zb, rare: discordantNeeded(rules) };
}

/** Items that McNemar's test needs for a gap > 0 at a discordance. */
function mcnemarNeeded(gap, psi, { za, zb, rare }) {
  const span = za * Math.sqrt(psi) + zb * Math.sqrt(Math.max(psi - gap * gap, 0));
  let n = (Math.max(span, 0) / gap) ** 2;
  if (psi > EXACT_FROM - 0.3) {
    const over = (psi - EXACT_FROM) * Math.sqrt((n + 1 / gap) / (psi * (1 - psi)));
    n += ndtr(over) * (2 / gap + 2);
  }
  return Math.max(n, rare / psi);
}

/** Smallest gap that McNemar's test detects at a discordance; NaN if there is none. */
function mcnemarMde(n, psi, rules) {
  const rule = mcnemarRule(rules);
  const reached = (gap) => mcnemarNeeded(gap, psi, rule) <= n;
  return psi > 0 && reached(psi) ? bisected(reached, 0, psi) : NaN;
}

/** Gap that is detected when one model never loses an item; null if none is. */
function unopposedMde(n, rules) {
  const rule = mcnemarRule(rules);
  const reached = (gap) => mcnemarNeeded(gap, gap, rule) <= n;
  return reached(1) ? bisected(reached, 0, 1) : null;
}

const NODES = 24;
const knownCurves = new Map();

/** Chebyshev coefficients of ln(shift that has the power), over 1 / df between two ends. */
function reachCurve({ alpha, power, sides = 2 }, low, high) {
  const key = `${low} ${alpha} ${power} ${sides}`;
  if (!knownCurves.has(key)) {
    const angles = Array.from({ length: NODES }, (_, k) => (Math.PI * (k + 0.5)) / NODES);
    const values = angles.map((angle) => {
      const x = 0.5 * (low + high + (high - low) * Math.cos(angle));
      return Math.log(shiftForPower(1 / x + 1, alpha, power, sides));
    });
    knownCurves.set(key, angles.map((_, k) => {
      const sum = values.reduce((total, y, j) => total + y * Math.cos(k * angles[j]), 0);
      return (sum * (k ? 2 : 1)) / NODES;
    }));
  }
  return knownCurves.get(key);
}

/** Standard errors that a true gap must span to be detected, by degrees of freedom. */
function reachOf(df, rules) {
  if (df === Infinity) return zOf(levelOf(rules)) + ndtri(rules.power);
  if (!(df > 0)) return Infinity;
  const [low, high] = df >= 4 ? [0, 0.25] : [0.25, 1];
  const place = (2 * Math.min(1 / df, high) - low - high) / (high - low);
  let [now, before] = [0, 0];
  const terms = reachCurve(rules, low, high);
  for (let k = NODES - 1; k > 0; k -= 1) [now, before] = [2 * place * now - before + terms[k], now];
  return Math.exp(place * now - before + terms[0]);
}

/** N* / N: how many times as many units would detect a gap of `size` standard errors. */
function growthOf(size, df, lost, rules) {
  if (size === Infinity) return 0;
  if (!(size > 0) || !(df > 0)) return Infinity;
  if (df === Infinity) return (reachOf(df, rules) / size) ** 2;
  const units = df + lost;
  const wanted = (x) => 2 * Math.log(
    reachOf(Math.max(Math.exp(x) * units - lost, 1), rules) / size);
  let low = Math.max(2 * Math.log(reachOf(Infinity, rules) / size), Math.log((1 + lost) / units));
  let high = wanted(low);
  if (!(high > low)) return Math.exp(low);
  let [below, above] = [low - high, high - wanted(high)];
  for (let k = 0; k < 60 && high - low > 1e-11; k += 1) {
    const x = high - (above * (high - low)) / (above - below);
    const miss = x - wanted(x);
    if (Math.abs(miss) < 1e-12) return Math.exp(x);
    if (miss < 0) [low, below, above] = [x, miss, above / 2];
    else [high, above, below] = [x, miss, below / 2];
  }
  return Math.exp(0.5 * (low + high));
}

/** Whether counts of 0/1 scores decide, or a mean with an error. */
function countsDecide(kind, pair) {
  return kind === "independent" && pair.cells !== null;
}

/** Fewest items for graded scores, whose test `compare` makes by sign flips. */
function leastOf(kind, pair, rules) {
  return kind === "independent" && pair.cells === null ? leastGraded(rules) : 0;
}

/** Items that a gap ≥ 0 needs beside the noise of a pair; NaN where that is unknown. */
function itemsNeeded(kind, pair, gap, rules) {
  const { n, se, df, cells } = pair;
  if (!(se > 0)) return NaN;
  if (!(gap > 0)) return Infinity;
  if (countsDecide(kind, pair)) {
    const size = Math.min(gap, 1);
    const psi = Math.min(Math.max((cells.n10 + cells.n01) / n, size), 1);
    return mcnemarNeeded(size, psi, mcnemarRule(rules));
  }
  const lost = kind === "strata" ? n - df : 1;
  return Math.max(n * growthOf(gap / se, df, lost, rules), leastOf(kind, pair, rules));
}

/** Smallest detectable gap beside the noise of a pair; NaN where there is none. */
function smallestGap(kind, pair, rules) {
  const { n, se, df, cells } = pair;
  if (countsDecide(kind, pair)) return mcnemarMde(n, (cells.n10 + cells.n01) / n, rules);
  if (!(se > 0) || n < leastOf(kind, pair, rules)) return NaN;
  return reachOf(df > 0 ? df : Infinity, rules) * se;
}
