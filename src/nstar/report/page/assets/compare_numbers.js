// Two models on one task, judged at any level and power: the twin of nstar._verbs.compare.

/** q and N* at the observed gap, with intervals; no q where no error was measured. */
function observedResolution(task, rules, [low, high]) {
  if (task.se === 0) return { q: null, qCi: null, nStar: Infinity, nStarCi: [Infinity, Infinity] };
  const turned = rules.sides === 2 && task.delta < 0;
  const gaps = turned ? [-task.delta, -high, -low] : [task.delta, low, high];
  const need = (gap) => itemsNeeded(task.design.kind, task, Math.max(gap, 0), rules);
  const [nStar, most, least] = gaps.map(need);
  return { q: task.n / nStar, qCi: [task.n / most, task.n / least], nStar, nStarCi: [least, most] };
}

/** Smallest detectable gap; if there is none, the least that could ever be detected. */
function detectableGap(task, rules) {
  const mde = smallestGap(task.design.kind, task, rules);
  if (mde <= (inPoints(task) ? 1 : Number.MAX_VALUE)) return { mde, mdeLeast: null };
  return { mde: null, mdeLeast: task.kind === "counts" ? unopposedMde(task.n, rules) : null };
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
  const observed = observedResolution(task, rules, ci);
  const asked = rules.delta0 !== null && task.se > 0;
  const nStarDelta0 = asked ? itemsNeeded(task.design.kind, task, rules.delta0, rules) : null;
  const qDelta0 = asked ? task.n / nStarDelta0 : null;
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
