// Verdicts, ranks and tiers of all pairs under some settings.

/** Normal score that max-T asks for at a level; undefined where the deck has none. */
function maxtScore(deck, alpha) {
  const found = (deck.maxt?.levels ?? []).find(([level]) => Math.abs(level - alpha) < 1e-12);
  return found?.[1];
}

/** The p-value up to which Holm rejects: α over the comparisons not rejected. */
function holmThreshold(sorted, alpha) {
  const m = sorted.length;
  let rejected = 0;
  while (rejected < m && sorted[rejected] <= alpha / (m - rejected)) rejected += 1;
  return alpha / Math.max(m - rejected, 1);
}

/** The p-value up to which Benjamini & Hochberg reject. */
function bhThreshold(sorted, alpha) {
  const m = sorted.length;
  let passed = m;
  while (passed > 1 && sorted[passed - 1] > (alpha * passed) / m) passed -= 1;
  return (alpha * Math.max(passed, 1)) / m;
}

/** What counts as significant and as resolved in the family of all pairs under a policy. */
function rulerOf(board, settings, policy) {
  const { alpha } = settings;
  const thresholds = {
    none: () => alpha,
    bonferroni: () => alpha / board.size,
    holm: () => holmThreshold(board.sorted, alpha),
    bh: () => bhThreshold(board.sorted, alpha),
    maxt: () => 2 * ndtr(-maxtScore(board.deck, alpha)),
  };
  const threshold = thresholds[policy]();
  const critical = (df = Infinity) => -studentQuantile(threshold / 2, df);
  return { threshold, critical, power: settings.power };
}

/** Max-T if it is asked for and known at this level, else Holm; any other policy as it is. */
function policyAt(deck, policy, alpha) {
  return policy === "maxt" && maxtScore(deck, alpha) === undefined ? "holm" : policy;
}

/** Whether pair k has as many items as its gap needs in the family of a ruler: n ≥ N*. */
function resolvedBy(board, { threshold, power }) {
  const rules = { alpha: threshold, power };
  if (board.deck.kind === "counts") {
    const rule = mcnemarRule(rules);
    const { gap2 } = board.deck.pairs;
    return (k) => {
      const [n, gap] = [board.n[k], Math.abs(board.delta[k])];
      return board.se[k] > 0 && gap > 0 && mcnemarNeeded(gap, gap2[k] / n, rule) <= n;
    };
  }
  const graded = board.deck.design.kind === "items" && !board.deck.pairs.cells;
  const least = graded ? leastGraded(rules) : 0;
  const most = reachOf(someOrInfinite(board.freedom[0]), rules);
  return (k) => {
    const size = Math.abs(board.t[k]);
    if (!(size >= reachOf(Infinity, rules)) || size === Infinity || board.n[k] < least) return false;
    return size >= most || size >= reachOf(someOrInfinite(board.df[k]), rules);
  };
}

/** p-value of "behind by the margin or more": t, with losses too rare to have shown allowed for. */
function behindP({ gain, se, exposed, df, width }, margin) {
  const [above, most] = [gain + margin, Math.max(gain + width, Number.MIN_VALUE)];
  const share = Math.min(Math.max(above / most, 0), 1);
  const error = Math.sqrt((1 - share) * (se * se + (share * most * most) / exposed));
  const t = above === 0 ? 0 : above / error;
  const tail = studentTail(Math.abs(t), se > 0 ? df : Infinity);
  return Math.max(t >= 0 ? tail : 1 - tail, SMALLEST);
}

/** Items on which a rare loss could have shown; all, unless the deck says otherwise. */
function exposedItems(board, k) {
  const { exposed } = board.deck.pairs;
  return exposed ? nth(exposed, k) : board.n[k];
}

/** p-value of a gap at or beyond the margin: Tango's test for counts, else t; 1 outside. */
function equivalentP(board, margin, i, j, k) {
  const { deck } = board;
  const [delta, se] = [board.delta[k], board.se[k]];
  if (!(Math.abs(delta) < margin && se >= 0)) return 1;
  if (deck.kind === "counts") {
    const { n10, n01 } = cellsOfPair(deck, i, j, k);
    const score = (b, c) => tangoStatistic(b, c, board.n[k], -margin);
    return Math.max(ndtr(-Math.min(score(n10, n01), score(n01, n10))), SMALLEST);
  }
  const [exposed, df] = [exposedItems(board, k), board.df[k]];
  return behindP({ gain: -Math.abs(delta), se, exposed, df, width: deckWidth(deck) }, margin);
}

/** Verdicts as codes into VERDICT_WORDS, with their counts over all and over adjacent pairs. */
function verdictCodes(board, settings, used, ruler) {
  const { margin, alpha } = settings;
  const marginAlpha = used === "bh" || used === "none" ? alpha : alpha / board.size;
  const resolved = resolvedBy(board, ruler);
  const [code, words, adjacentWords] = [new Uint8Array(board.size), [0, 0, 0, 0], [0, 0, 0, 0]];
  for (let i = 0, k = 0; i < board.models; i += 1) {
    for (let j = i + 1; j < board.models; j += 1, k += 1) {
      if (board.p[k] <= ruler.threshold) code[k] = resolved(k) ? 0 : 1;
      else if (margin === null) code[k] = 3;
      else code[k] = equivalentP(board, margin, i, j, k) <= marginAlpha ? 2 : 3;
      words[code[k]] += 1;
      if (j === i + 1) adjacentWords[code[k]] += 1;
    }
  }
  return { code, words, adjacentWords };
}

/** Best and worst rank of each model, and the last place that each fails to beat. */
function rankSets(board, threshold) {
  const m = board.models;
  const [rankLo, rankHi] = [new Array(m).fill(1), new Array(m).fill(m)];
  const reach = Array.from({ length: m }, (_, i) => i);
  for (let i = 0, k = 0; i < m; i += 1) {
    for (let j = i + 1; j < m; j += 1, k += 1) {
      const significant = board.p[k] <= threshold;
      const up = board.delta[k] * board.deck.better > 0;
      if (significant) {
        rankHi[up ? i : j] -= 1;
        rankLo[up ? j : i] += 1;
      }
      if (!(significant && up)) reach[i] = j;
    }
  }
  return { rankLo, rankHi, reach };
}

/** Tier of each model: a new one starts where all before beat all that follow. */
function tiersOf(reach) {
  let [furthest, tier] = [0, 1];
  return reach.map((last, i) => {
    if (i > 0 && furthest < i) tier += 1;
    furthest = Math.max(furthest, last, i);
    return tier;
  });
}

/** Step-wise adjusted p-values in ascending order of p; null for other policies. */
function steppedP(sorted, used) {
  const m = sorted.length;
  const out = new Float64Array(m);
  if (used === "holm") {
    for (let k = 0; k < m; k += 1) out[k] = Math.max(sorted[k] * (m - k), k ? out[k - 1] : 0);
  } else if (used === "bh") {
    for (let k = m - 1; k >= 0; k -= 1) {
      out[k] = Math.min((sorted[k] * m) / (k + 1), k < m - 1 ? out[k + 1] : 1);
    }
  } else return null;
  return out.map(boundedP);
}

/** Every pair under some settings: verdicts, and ranks by the family-wise method. */
function judgeBoard(board, settings) {
  const { deck, freedom } = board;
  const used = policyAt(deck, settings.adjust, settings.alpha);
  const ruler = rulerOf(board, settings, used);
  const ranking = policyAt(deck, deck.ranking, settings.alpha);
  const { reach, ...ranks } = rankSets(board, rulerOf(board, settings, ranking).threshold);
  const middle = [freedom[(board.size - 1) >> 1], freedom[board.size >> 1]].map(ruler.critical);
  return {
    settings,
    pairs: board.size,
    used,
    ranking,
    ...ruler,
    critical: (middle[0] + middle[1]) / 2,
    criticalAt: ruler.critical,
    stepped: steppedP(board.sorted, used),
    ...verdictCodes(board, settings, used, ruler),
    ...ranks,
    tier: tiersOf(reach),
  };
}

/** First place in an ascending array whose value is at least x. */
function firstFrom(sorted, x) {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}
