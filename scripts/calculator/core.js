// The arithmetic of the calculator: a thin layer over numbers.js and detection.js of the pages.
// Rules are { alpha, power, sides }, as in detection.js.

const TYPICAL_RHO = [0.4, 0.5, 0.7];

/** Round to the nearest whole number, half to even, as Python does. */
function evenRound(x) {
  const nearest = Math.round(x);
  return Math.abs(x % 1) === 0.5 && nearest % 2 ? nearest - 1 : nearest;
}

/** Whole items, with room for the rounding errors of the formula. */
function wholeItems(n) {
  return Math.ceil(n - 1e-9);
}

/** Share of items that exactly one model answers correctly. */
function psiFromRho(pa, pb, rho) {
  return pa * (1 - pb) + pb * (1 - pa) - 2 * rho * Math.sqrt(pa * (1 - pa) * pb * (1 - pb));
}

/** Smallest and largest item correlation that two accuracies allow. */
function rhoBounds(pa, pb) {
  const scale = Math.sqrt(pa * (1 - pa) * pb * (1 - pb));
  return [(Math.max(0, pa + pb - 1) - pa * pb) / scale, (Math.min(pa, pb) - pa * pb) / scale];
}

/** Smallest and largest accuracy that an item correlation allows beside pb. */
function rateRange(pb, rho) {
  const [qb, r2] = [1 - pb, rho * rho];
  return rho > 0
    ? [(r2 * pb) / (qb + r2 * pb), pb / (pb + r2 * qb)]
    : [(r2 * qb) / (pb + r2 * qb), qb / (qb + r2 * pb)];
}

/** Items needed to detect a gap from a baseline; NaN if it is impossible or on the other side. */
function planItems(base, gap, rho, rules) {
  const pa = base + gap;
  const size = Math.abs(gap);
  if (!(pa > 0 && pa < 1 && size > 0) || (rules.sides === 1 && gap < 0)) return NaN;
  const psi = psiFromRho(pa, base, rho);
  const [low, high] = rhoBounds(pa, base);
  if (rho < low - 1e-9 || rho > high + 1e-9 || psi < size - 1e-12) return NaN;
  return wholeItems(mcnemarNeeded(size, Math.max(psi, size), mcnemarRule(rules)));
}

/** Smallest detectable gain (sign 1) or loss (sign -1) from a baseline; NaN if there is none. */
function planMde(base, n, rho, sign, rules) {
  const [low, high] = rateRange(base, rho);
  const room = sign > 0 ? high - base : base - low;
  if (!(room > 0) || (rules.sides === 1 && sign < 0)) return NaN;
  const rule = mcnemarRule(rules);
  const isDetected = (gap) => {
    const pa = Math.min(Math.max(base + sign * gap, 0), 1);
    return mcnemarNeeded(gap, Math.max(psiFromRho(pa, base, rho), gap), rule) <= n;
  };
  return isDetected(room) ? bisected(isDetected, 0, room) : NaN;
}

/** Connor's approximation of the power of the mid-p test; the exact test where psi > 0.8. */
function approximatePower(gap, psi, n, rules) {
  const size = Math.abs(gap);
  let items = n;
  if (psi < 1) {
    const over = (psi - EXACT_FROM) * Math.sqrt(n / (psi * (1 - psi)));
    items = Math.max(n - ndtr(over) * (2 / size + 2), 0);
  }
  const excess = size * Math.sqrt(items) - zOf(levelOf(rules)) * Math.sqrt(psi);
  const sd = Math.sqrt(Math.max(psi - size * size, 0));
  return sd > 0 ? ndtr(excess / sd) : Number(excess > 0);
}

/** Two-sided p-value of the default test: mid-p, or exact where psi > 0.8. */
function defaultP(n10, n01, n) {
  return mcnemar(n10 + n01, Math.abs(n10 - n01), n10 + n01 > EXACT_FROM * n);
}

/** P-value of the default test for the sides of a rule; one-sided asks whether A is better. */
function sidedP(n10, n01, n, sides) {
  const p = defaultP(n10, n01, n);
  if (sides !== 1) return p;
  const discordant = n10 + n01;
  if (discordant === 0) return 1;
  if (n10 > n01) return p / 2;
  const [midp, exact] = [false, true].map((e) => mcnemar(discordant, n01 - n10, e));
  if (discordant <= EXACT_FROM * n) return n10 === n01 ? 0.5 : 1 - midp / 2;
  return 1 - (midp - exact / 2);
}

/** Smallest observed gap that is significant with so many discordant items of n. */
function significantGap(discordant, n, { alpha, sides = 2 }) {
  let [low, high] = [-1, Math.floor(discordant / 2) + 1];
  while (high - low > 1) {
    const losses = Math.floor((low + high) / 2);
    if (sidedP(discordant - losses, losses, n, sides) <= alpha) low = losses;
    else high = losses;
  }
  return low < 0 ? Infinity : (discordant - 2 * low) / n;
}

/** Correct answers of n that print as p does, with so many decimals of the proportion. */
function grim(p, n, decimals) {
  const unit = 10 ** -decimals;
  const slack = 1e-9 * unit;
  const low = Math.max(Math.ceil((p - unit / 2 - slack) * n), 0);
  const high = Math.min(Math.floor((p + unit / 2 + slack) * n), n);
  return { isPossible: low <= high, low, high };
}

/** Most discordant items with which a lead of `gap` items is significant; null if none is. */
function significantUpTo(gap, most, n, { alpha, sides = 2 }) {
  if (gap === 0) return null;
  const rejects = (losses) => defaultP(gap + losses, losses, n) * (sides === 2 ? 1 : 0.5) <= alpha;
  if (!rejects(0)) return null;
  let [low, high] = [0, Math.max(Math.floor((most - gap) / 2) + 1, 1)];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (rejects(middle)) low = middle;
    else high = middle;
  }
  return gap + 2 * low;
}

/** Fewest and most correct answers that the reported accuracies allow, the larger first. */
function correctCounts(pa, pb, n, grims) {
  if (grims.every((g) => g.isPossible)) {
    const [first, second] = pa > pb ? grims : [grims[1], grims[0]];
    return { low: [first.low, second.high], high: [first.high, second.low] };
  }
  const lead = Math.max(evenRound(Math.abs(pa - pb) * n), 1);
  const correct = Math.min(Math.max(evenRound(Math.max(pa, pb) * n), lead), n);
  return { low: [correct, correct - lead], high: [correct, correct - lead] };
}

/** Whether a claim is significant: always, never, or depending on how often models disagree. */
function significanceOf({ low, high }, n, rules) {
  const [fewest, most] = [Math.max(low[0] - low[1], 0), high[0] - high[1]];
  if (significantUpTo(most, most, n, rules) === null) return "never";
  const room = Math.max(Math.min(low[0] + low[1], 2 * n - low[0] - low[1]), low[0] - low[1]);
  const upTo = significantUpTo(fewest, room, n, rules);
  return upTo !== null && upTo >= room - ((room - fewest) % 2) ? "always" : "depends";
}

/** What two reported accuracies on n items support; decimals are those of the proportions. */
function judgeClaim(pa, pb, n, decimals, rules) {
  const size = Math.abs(pa - pb);
  const grims = [grim(pa, n, decimals[0]), grim(pb, n, decimals[1])];
  const isBehind = rules.sides === 1 && pa < pb;
  const lead = Math.max(evenRound(size * n), 1);
  const correct = evenRound(Math.max(pa, pb) * n);
  const room = Math.max(Math.min(2 * correct - lead, 2 * n - 2 * correct + lead), lead);
  const bounds = rhoBounds(pa, pb);
  const rule = mcnemarRule(rules);
  const lossesAt = (psi) => Math.max(evenRound((psi * n - lead) / 2), 0);
  const at = (rho) => {
    const psi = psiFromRho(pa, pb, rho);
    const losses = lossesAt(psi);
    const [n10, n01] = pa > pb ? [lead + losses, losses] : [losses, lead + losses];
    const discordant = lead + 2 * losses;
    return {
      rho,
      psi,
      p: rules.sides === 1 ? sidedP(n10, n01, n, 1) : defaultP(n10, n01, n),
      significant: significantGap(discordant, n, rules),
      mde: planMde(pb, n, rho, pa >= pb ? 1 : -1, { ...rules, sides: 2, alpha: levelOf(rules) }),
      need: wholeItems(mcnemarNeeded(size, Math.max(psi, size), rule)),
    };
  };
  const typical = [...new Set(TYPICAL_RHO.map((r) => Math.min(Math.max(r, bounds[0]), bounds[1])))];
  return {
    gap: pa - pb,
    bounds,
    at,
    typical: typical.map(at),
    grims,
    significance: isBehind ? "never" : significanceOf(correctCounts(pa, pb, n, grims), n, rules),
    mostDiscordant: isBehind ? null : significantUpTo(lead, room, n, rules),
  };
}

/** P-value of t for the sides of a rule. */
function tailP(t, df, sides) {
  const tail = studentTail(Math.abs(t), df);
  if (sides !== 1) return 2 * tail;
  return t >= 0 ? tail : 1 - tail;
}

function mean(values) {
  return values.reduce((total, v) => total + v, 0) / values.length;
}

/** Counts of items by which model is correct. */
function cellsOf(a, b) {
  const cells = { n11: 0, n10: 0, n01: 0, n00: 0 };
  a.forEach((v, k) => {
    cells[`n${v}${b[k]}`] += 1;
  });
  return cells;
}

function compareBinary(a, b, rules) {
  const n = a.length;
  const cells = cellsOf(a, b);
  const { n11, n10, n01, n00 } = cells;
  const [gap, psi] = [(n10 - n01) / n, (n10 + n01) / n];
  const [low, high] = tangoLimits(n10, n01, n, zOf(levelOf(rules)));
  const scale = Math.sqrt((n11 + n10) * (n01 + n00) * (n11 + n01) * (n10 + n00));
  const isHopeless = gap === 0 || (rules.sides === 1 && gap < 0);
  return {
    cells,
    gap,
    low,
    high,
    p: sidedP(n10, n01, n, rules.sides),
    test: psi > EXACT_FROM ? "McNemar exact" : "McNemar mid-p",
    rho: scale > 0 ? (n11 * n00 - n10 * n01) / scale : NaN,
    significant: significantGap(n10 + n01, n, rules),
    mde: psi > 0 ? mcnemarMde(n, psi, rules) : NaN,
    need: isHopeless ? Infinity : mcnemarNeeded(Math.abs(gap), psi, mcnemarRule(rules)),
  };
}

function compareGraded(a, b, rules) {
  const n = a.length;
  const gaps = a.map((v, k) => v - b[k]);
  const [gap, ma, mb] = [mean(gaps), mean(a), mean(b)];
  const sumOfSquares = (values, center) => values.reduce((total, v) => total + (v - center) ** 2, 0);
  const [se, df] = [Math.sqrt(sumOfSquares(gaps, gap) / (n - 1) / n), n - 1];
  const critical = studentQuantile(1 - levelOf(rules) / 2, df);
  const product = a.reduce((total, v, k) => total + (v - ma) * (b[k] - mb), 0);
  const fewest = leastGraded(rules);
  const growth = growthOf(Math.abs(gap) / se, df, 1, rules);
  return {
    cells: null,
    gap,
    low: gap - critical * se,
    high: gap + critical * se,
    p: se > 0 ? tailP(gap / se, df, rules.sides) : 1,
    test: "paired t",
    rho: product / Math.sqrt(sumOfSquares(a, ma) * sumOfSquares(b, mb)),
    significant: critical * se,
    mde: n < fewest ? NaN : reachOf(df, rules) * se,
    need: rules.sides === 1 && gap < 0 ? Infinity : Math.max(n * growth, fewest),
  };
}

/** Compare two columns of scores item by item. */
function compareColumns(a, b, rules) {
  const isBinary = [...a, ...b].every((v) => v === 0 || v === 1);
  const result = isBinary ? compareBinary(a, b, rules) : compareGraded(a, b, rules);
  return { n: a.length, ma: mean(a), mb: mean(b), isBinary, ...result };
}
