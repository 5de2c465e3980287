// Two models on one task, judged at any level and power: the twin of nstar._compare.

/** The two-sided level whose critical value the test has; 1 less it covers the interval. */
function levelOf({ alpha, sides }) {
  return (2 * alpha) / sides;
}

/** Standard errors that a gap must span to be resolved. */
function kFactor(rules) {
  return zOf(levelOf(rules)) + ndtri(rules.power);
}

/** Degrees of freedom for planning: items are many, clusters are not. */
function plannedFreedom(task) {
  return task.design.kind === "cluster" ? task.df : Infinity;
}

/** Fewest items at which the default test rejects at all; 1 where groups are the units. */
function fewestItems(task, rules) {
  return task.design.kind === "items" ? leastItems(levelOf(rules), task.cells !== null) : 1;
}

/** q and N* at the observed gap, with intervals; no q where no error was measured. */
function observedResolution(task, rules) {
  if (task.se === 0) return { q: null, qCi: null, nStar: Infinity, nStarCi: [Infinity, Infinity] };
  const t = task.delta / task.se;
  const size = rules.sides === 2 ? Math.abs(t) : t;
  const half = -studentQuantile(levelOf(rules) / 2, plannedFreedom(task));
  const k = kFactor(rules);
  const [q, low, high] = [0, -half, half].map((x) => (Math.max(size + x, 0) / k) ** 2);
  const least = fewestItems(task, rules);
  const [nStar, most, fewest] = [q, low, high].map((x) => neededItems(task.n, x, least));
  return { q, qCi: [low, high], nStar, nStarCi: [fewest, most] };
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

/** Shift in standard errors at which the one-sided t test of n items reaches a power. */
function oneSidedShift(n, alpha, power) {
  const critical = -studentQuantile(alpha, n - 1);
  const rule = chiRule(n - 1, Math.max(critical + ndtri(power), 0.1) + 8);
  const chance = (x) => rule.reduce((sum, [s, w]) => sum + w * ndtr(x - critical * s), 0);
  return bisected((x) => chance(x) >= power, 0, 10 * critical + 40);
}

/** Gap that the t test detects. */
function gradedMde(task, rules) {
  if (!(task.se > 0) || task.n < fewestItems(task, rules)) return NaN;
  const shift = rules.sides === 2 ? shiftForPower : oneSidedShift;
  return shift(task.n, rules.alpha, rules.power) * task.se;
}

/** Gap that McNemar's test detects at the observed share of disagreements. */
function countedMde(task, rules) {
  const discordant = task.cells.n10 + task.cells.n01;
  const two = { alpha: levelOf(rules), power: rules.power };
  return discordant > 0 ? pairedMde(task.n, discordant / task.n, two) : NaN;
}

/** Standard errors that a gap must span to be detectable, Student's with few clusters. */
function spanNeeded(task, rules) {
  return pairReach(levelOf(rules), rules.power, plannedFreedom(task));
}

/** Gap that is detected when one model never loses an item; null if none is. */
function leastGap(n, rules) {
  const [za, zb] = [zOf(levelOf(rules)), ndtri(rules.power)];
  const reached = (gap) => {
    const span = Math.max(za * Math.sqrt(gap) + zb * Math.sqrt(gap - gap * gap), 0);
    return (span * span) / (gap * gap) <= n;
  };
  return reached(1) ? bisected(reached, 0, 1) : null;
}

/** Smallest detectable gap; if there is none, the least that could ever be detected. */
function detectableGap(task, rules) {
  let mde = NaN;
  if (task.kind === "counts") mde = countedMde(task, rules);
  else if (task.design.kind === "items") mde = gradedMde(task, rules);
  else if (task.se > 0) mde = spanNeeded(task, rules) * task.se;
  if (mde <= (inPoints(task) ? 1 : Number.MAX_VALUE)) return { mde, mdeLeast: null };
  return { mde: null, mdeLeast: task.kind === "counts" ? leastGap(task.n, rules) : null };
}

/** p-values of "behind by the margin or more" and of "ahead by the margin or more". */
function marginPvalues(task, margin) {
  if (task.kind === "counts") {
    const { n10, n01 } = task.cells;
    const scores = [[n10, n01], [n01, n10]].map((c) => tangoStatistic(...c, task.n, -margin));
    return scores.map((score) => Math.max(ndtr(-score), SMALLEST));
  }
  const { se, exposed, df } = task;
  const width = deckWidth(task);
  return [task.delta, -task.delta].map((gain) => behindP({ gain, se, exposed, df, width }, margin));
}

/** One-sided lower bound of a gain, with losses too rare to have shown allowed for. */
function marginBound(task, gain, alpha) {
  const { se, exposed: n } = task;
  const [width, t2] = [deckWidth(task), studentQuantile(alpha, se > 0 ? task.df : Infinity) ** 2];
  const most = Math.max(gain + width, Number.MIN_VALUE);
  const variance = n * se * se;
  const linear = t2 * (most - variance / most);
  const root = Math.sqrt(linear * linear + 4 * (n + t2) * t2 * variance);
  return Math.max(gain - (linear + root) / (2 * (n + t2)), -width);
}

/** The interval whose ends are the one-sided bounds at α. */
function marginInterval(task, alpha) {
  if (task.kind === "counts") return pairInterval(task, task, 2 * alpha);
  return [marginBound(task, task.delta, alpha), -marginBound(task, -task.delta, alpha)];
}

/** The gap against a margin declared in advance: two one-sided tests, and their interval. */
function equivalenceOf(task, { alpha, margin }) {
  if (margin === null) return null;
  const [ci, p] = [marginInterval(task, alpha), marginPvalues(task, margin)];
  return {
    margin,
    conf: 1 - 2 * alpha,
    ci,
    p: Math.max(...p),
    pNoninferior: p[0],
    equivalent: -margin < ci[0] && ci[1] < margin,
    noninferior: ci[0] > -margin,
  };
}

/** What the pair has shown about the first model. */
function pairWord(task, rules, [low, high], equivalent) {
  const excludes = low > 0 || (rules.sides === 2 && high < 0);
  const significant = task.p_adjusted <= rules.alpha;
  const ahead = task.lower ? task.delta < 0 : task.delta > 0;
  if (significant && excludes) return ahead ? "better" : "worse";
  if (equivalent && !significant) return "equivalent";
  return task.p <= rules.alpha !== excludes ? "borderline" : "inconclusive";
}

/** Interval of the item correlation, from its centre and error on Fisher's scale. */
function correlationInterval(task, rules) {
  if (task.rho_fisher === null) return null;
  const [centre, error] = task.rho_fisher;
  const half = error === null ? Infinity : zOf(levelOf(rules)) * error;
  return [-half, half].map((x) => Math.tanh(centre + x));
}

/** Items still missing; none when that is no sensible number. */
function itemsMissing(needed, n) {
  return needed > 1e9 ? null : Math.max(Math.ceil(needed - 1e-9) - n, 0);
}

/** Every number of one task that depends on the settings. */
function judgeTask(found, rules) {
  const task = { ...found, df: found.df ?? Infinity };
  const ci = pairInterval(task, task, levelOf(rules));
  const observed = observedResolution(task, rules);
  const asked = rules.delta0 !== null && task.se > 0;
  const qDelta0 = asked ? (rules.delta0 / (spanNeeded(task, rules) * task.se)) ** 2 : null;
  const nStarDelta0 = asked ? task.n / qDelta0 : null;
  const equivalence = equivalenceOf(task, rules);
  return {
    conf: 1 - levelOf(rules),
    ci,
    rhoCi: correlationInterval(task, rules),
    ...detectableGap(task, rules),
    ...observed,
    qDelta0,
    nStarDelta0,
    moreItems: itemsMissing(nStarDelta0 ?? observed.nStar, task.n),
    equivalence,
    verdict: pairWord(task, rules, ci, equivalence?.equivalent ?? false),
    resolved: observed.q !== null && observed.q >= 1 && task.p <= rules.alpha,
  };
}

/** All tasks; their p-values, adjusted by Holm, do not depend on the settings. */
function judgeTasks(deck, settings) {
  const rules = { ...settings, sides: deck.sides };
  return deck.tasks.map((task) => judgeTask(task, rules));
}
