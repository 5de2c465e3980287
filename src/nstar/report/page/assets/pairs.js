// Every number of one pair, and of its groups, under some settings.

/** Adjusted p-value of pair k under the policy of a view. */
function adjustedP(board, view, k) {
  const p = board.p[k];
  if (view.used === "maxt") return board.deck.maxt.p[k];
  if (view.used === "none") return p;
  if (view.used === "bonferroni") return boundedP(p * board.size);
  return view.stepped[firstFrom(board.sorted, p * (1 - 1e-9))];
}

/** Interval of the gap when every one of some units showed exactly the same gap. */
function unanimousInterval(delta, units, width, alpha) {
  const z2 = zOf(alpha) ** 2;
  const share = z2 / (units + z2);
  return [delta - share * (width + delta), delta + share * (width - delta)];
}

/** Two-sided quantile of Student's t of coverage 1 - α; normal without degrees of freedom. */
function studentReach(alpha) {
  return (df) => -studentQuantile(alpha / 2, df > 0 ? df : Infinity);
}

/** Half-width of the gaps that the test of 0/1 scores in strata does not reject. */
function strataHalf(half, se, n) {
  const left = 1 - (half / se) ** 2 / n;
  return left > 0 ? half / Math.sqrt(left) : Infinity;
}

/** Confidence interval of a pair. */
function pairInterval(deck, pair, alpha, reach = studentReach(alpha)) {
  const { n, delta, se, df, cells } = pair;
  const width = deckWidth(deck);
  if (n === 0) return [NaN, NaN];
  if (deck.kind === "counts") return tangoLimits(cells.n10, cells.n01, n, zOf(alpha));
  if (se === 0 || n === 1) return unanimousInterval(delta, pair.units, width, alpha);
  let half = reach(df) * se;
  if (deck.design.kind === "strata" && cells) half = strataHalf(half, se, n);
  if (deck.design.kind === "independent") return [delta - half, delta + half];
  return [Math.max(delta - half, -width), Math.min(delta + half, width)];
}

/** Share of the gap at which an interval ends that reaches as far as 0 and must exclude it. */
const BESIDE_ZERO = 1e-6;

/** Level of the adjusted interval of a pair: that of the last step if only a later step rejects. */
function adjustedLevel({ p }, { threshold, interval }) {
  return p > interval && p <= threshold ? threshold : interval;
}

/** An interval that excludes 0 exactly where the test rejects: the end that decides moves to 0. */
function alignWithTest([low, high], { delta, p }, { threshold }) {
  if (!(p <= threshold)) return [low > 0 ? 0 : low, high < 0 ? 0 : high];
  return [delta > 0 && low <= 0 ? BESIDE_ZERO * delta : low,
    delta < 0 && high >= 0 ? BESIDE_ZERO * delta : high];
}

/** Confidence interval of a pair, adjusted as its verdict is. */
function adjustedInterval(deck, pair, view, reach = studentReach) {
  const alpha = adjustedLevel(pair, view);
  return alignWithTest(pairInterval(deck, pair, alpha, reach(alpha)), pair, view);
}

/** Minimum detectable gap of a pair at this level and power; NaN where there is none. */
function pairMde(deck, pair, rules) {
  const gap = smallestGap(deck.design.kind, pair, rules);
  const unit = deck.limits[0] === 0 && deck.limits[1] === 1;
  return Number.isFinite(gap) && gap <= (unit ? 1 : Infinity) ? gap : NaN;
}

/** Items or, where they are unknown, without end. */
function orEndless(items) {
  return Number.isNaN(items) ? Infinity : items;
}

/** q and N* of a pair alone, with intervals, and both in its family. */
function pairResolution(deck, pair, [low, high], view) {
  const alone = view.settings;
  const family = { alpha: view.threshold, power: alone.power };
  const need = (gap, rules) => itemsNeeded(deck.design.kind, pair, Math.max(gap, 0), rules);
  const size = Math.abs(pair.delta);
  const gaps = pair.delta < 0 ? [size, -high, -low] : [size, low, high];
  const [star, most, least] = gaps.map((gap) => need(gap, alone));
  const adjusted = need(size, family);
  return {
    q: pair.n / star,
    q_low: pair.n / most,
    q_high: pair.n / least,
    n_star: orEndless(star),
    n_star_low: orEndless(least),
    n_star_high: orEndless(most),
    q_adjusted: pair.n / adjusted,
    n_star_adjusted: orEndless(adjusted),
  };
}

/** q of a pair at the declared gap; null if none was declared. */
function declaredQ(deck, pair, { delta0, power }, alpha) {
  if (delta0 === null) return null;
  return pair.n / itemsNeeded(deck.design.kind, pair, delta0, { alpha, power });
}

/** Items still missing in the family; 0 for what is settled. */
function missingItems(deck, pair, view, code, adjustedQ) {
  if (code === 0 || code === 2) return 0;
  const q = declaredQ(deck, pair, view.settings, view.threshold) ?? adjustedQ;
  return Math.max(Math.ceil(orEndless(pair.n / q) - pair.n - 1e-9), 0);
}

/** The four cells of 0/1 scores and the share of discordant items; null for graded scores. */
function pairCounts({ n, cells }) {
  if (!cells) return { n11: null, n10: null, n01: null, n00: null, psi: null };
  const { first, gap2, n10, n01 } = cells;
  return { n11: first - n10, n10, n01, n00: n - first - n01, psi: gap2 / n };
}

/** Item correlation of two models; NaN where one has the same score everywhere. */
function pairCorrelation(deck, { n, cells }, k) {
  if (!cells) return deck.pairs.rho[k] === -32768 ? NaN : deck.pairs.rho[k] / 1e4;
  const { first, second, gap, gap2 } = cells;
  const [a, b] = [first - (first * first) / n, second - (second * second) / n];
  if (!(a > 1e-14 * first && b > 1e-14 * second)) return NaN;
  const rho = (a + b - gap2 + (gap * gap) / n) / (2 * Math.sqrt(a) * Math.sqrt(b));
  return Math.min(Math.max(rho, -1), 1);
}

/** Means of both models over the items they have in common. */
function pairMeans(deck, pair, i, j, k) {
  if (pair.cells) return [pair.cells.first / pair.n, pair.cells.second / pair.n];
  const { mean_a: first, mean_b: second } = deck.pairs;
  return first ? [first[k], second[k]] : [deck.mean[i], deck.mean[j]];
}

/** What a deck knows of one pair. */
function pairOf(board, i, j) {
  const { deck } = board;
  const k = board.index(i, j);
  const [n, delta, se, t, df, p] = ["n", "delta", "se", "t", "df", "p"].map((x) => board[x][k]);
  return {
    n, delta, se, t, df, p,
    cells: cellsOfPair(deck, i, j, k),
    units: deck.kind === "counts" ? n : nth(deck.pairs.units, k),
  };
}

/** Every number of one pair, first minus second, i before j in rank. */
function pairNumbers(board, view, i, j) {
  const { deck } = board;
  const { settings } = view;
  const k = board.index(i, j);
  const pair = pairOf(board, i, j);
  const [meanA, meanB] = pairMeans(deck, pair, i, j, k);
  const [low, high] = pairInterval(deck, pair, settings.alpha);
  const adjusted = adjustedInterval(deck, pair, view);
  const resolution = pairResolution(deck, pair, [low, high], view);
  const code = verdictCode(board, view, i, j, k);
  const { n, delta, se, t, df, p } = pair;
  return {
    n, mean_a: meanA, mean_b: meanB, delta, se, t, df, p,
    ci_adjusted_low: adjusted[0], ci_adjusted_high: adjusted[1],
    ci_unadjusted_low: low, ci_unadjusted_high: high,
    p_adjusted: adjustedP(board, view, k),
    ...pairCounts(pair),
    rho: pairCorrelation(deck, pair, k),
    mde: pairMde(deck, pair, settings),
    mde_adjusted: pairMde(deck, pair, { alpha: view.threshold, power: settings.power }),
    ...resolution,
    q_delta0: declaredQ(deck, pair, settings, settings.alpha),
    q_delta0_adjusted: declaredQ(deck, pair, settings, view.threshold),
    p_equivalent: settings.margin === null ? null : equivalentP(board, settings.margin, i, j, k),
    verdict: VERDICT_WORDS[code],
    more_items: missingItems(deck, pair, view, code, resolution.q_adjusted),
  };
}

/** Means and interval of a pair of 0/1 scores in group g. */
function countedGroup(group, i, j, k, g, n, alpha) {
  const size = group.labels.length;
  const first = group.first[(group.second ? k : i) * size + g];
  const second = group.second ? group.second[k * size + g] : group.first[j * size + g];
  const [gap, gap2] = [first - second, group.gap2[k * size + g]];
  const [n10, n01] = [(gap2 + gap) / 2, (gap2 - gap) / 2];
  return [first / n, second / n, n > 0 ? tangoLimits(n10, n01, n, zOf(alpha)) : null];
}

/** Means and interval of a pair of graded scores in group g; none if no error was seen. */
function gradedGroup(group, i, j, k, g, n, alpha, width) {
  const size = group.labels.length;
  const first = group.mean ? group.mean[i * size + g] : group.mean_a[k * size + g];
  const second = group.mean ? group.mean[j * size + g] : group.mean_b[k * size + g];
  const se = group.se[k * size + g];
  if (!(n > 1 && se > 0)) return [first, second, null];
  const half = -studentQuantile(alpha / 2, n - 1) * se;
  const within = (x) => Math.min(Math.max(x, -width), width);
  return [first, second, [within(first - second - half), within(first - second + half)]];
}

/** The gap of a pair in each group of a column; none if the column does not part its items. */
function groupNumbers(board, view, column, i, j) {
  const { deck } = board;
  const { alpha } = view.settings;
  const [k, group] = [board.index(i, j), deck.groups[column]];
  const size = group.labels.length;
  const rows = group.labels.map((label, g) => {
    const n = group.n ? group.n[k * size + g] : group.sizes[g];
    let found;
    if (group.rate) found = [group.rate[i * size + g], group.rate[j * size + g], null];
    else if (group.gap2) found = countedGroup(group, i, j, k, g, n, alpha);
    else found = gradedGroup(group, i, j, k, g, n, alpha, deckWidth(deck));
    const [meanA, meanB, ci] = found;
    return { label, n, mean_a: meanA, mean_b: meanB, delta: meanA - meanB, ci };
  });
  const there = rows.filter((row) => row.n > 0);
  return group.rate || (there.length > 1 && there.length < board.n[k]) ? there : [];
}

globalThis.nstar = {
  ...globalThis.nstar,
  ...{ makeBoard, judgeBoard, pairNumbers, verdictCode, groupNumbers, mcnemar, ndtr, ndtri, shiftForPower },
  ...{ stirlingError, studentQuantile, studentTail, tangoLimits, tangoStatistic },
};
