// Pairs under the rules that a reader chose. What holds for all models at once was judged by
// Python for every choice and is looked up; a pair is judged when somebody looks at it.

const UNJUDGED = 255;

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
  const graded = board.deck.design.kind === "independent" && !board.deck.pairs.cells;
  const least = graded ? leastGraded(rules) : 0;
  const most = reachOf(someOrInfinite(board.freedom[0]), rules);
  return (k) => {
    const size = Math.abs(board.t[k]);
    if (!(size >= reachOf(Infinity, rules)) || size === Infinity || board.n[k] < least) return false;
    return size >= most || size >= reachOf(someOrInfinite(board.df[k]), rules);
  };
}

/** p-value of "behind by the margin or more": t, allowing for rare losses and lost clusters. */
function behindP({ gain, se, exposed, df, width, clusters }, margin) {
  const [above, most] = [gain + margin, Math.max(gain + width, Number.MIN_VALUE)];
  const share = Math.min(Math.max(above / most, 0), 1);
  const error = Math.sqrt((1 - share) * (se * se + (share * most * most) / exposed));
  const t = above === 0 ? 0 : above / error;
  const tail = studentTail(Math.abs(t), se > 0 ? df : Infinity);
  const noneLost = clusters ? Math.pow(1 - share, exposed) : 0;
  return Math.max(t >= 0 ? tail : 1 - tail, noneLost, SMALLEST);
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
  const [width, clusters] = [deckWidth(deck), deck.design.kind === "cluster"];
  return behindP({ gain: -Math.abs(delta), se, exposed, df, width, clusters }, margin);
}

/** The verdict of pair k as a code into VERDICT_WORDS, found when it is first asked for. */
function verdictCode(board, view, i, j, k) {
  if (view.code[k] === UNJUDGED) {
    const { margin } = view.settings;
    if (board.p[k] <= view.threshold) view.code[k] = view.resolved(k) ? 0 : 1;
    else if (margin === null) view.code[k] = 3;
    else view.code[k] = equivalentP(board, margin, i, j, k) <= view.marginAlpha ? 2 : 3;
  }
  return view.code[k];
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

/** Step-wise adjusted p-values of a policy, computed once: they hold at any level. */
function steppedOf(board, used) {
  board.stepped ??= new Map();
  if (!board.stepped.has(used)) board.stepped.set(used, steppedP(board.sorted, used));
  return board.stepped.get(used);
}

/** What Python found for a choice of rules. */
function rulesAt({ rules, names }, { alpha, power, adjust }) {
  const [level, force, policy] = [choiceOf(rules.levels, alpha), choiceOf(rules.powers, power),
    choiceOf(rules.policies, adjust)];
  const models = names.length;
  const ofLevel = (values) => values.subarray(level * models, (level + 1) * models);
  const choice = (level * rules.powers.length + force) * rules.policies.length + policy;
  const [headline, tiles, caution, mde, paragraph, assumptions] = rules.words[choice];
  return {
    used: rules.used[level][policy],
    ranking: rules.ranking[level],
    threshold: rules.threshold[level][policy],
    interval: rules.interval[level][policy],
    rankLo: ofLevel(rules.rank_low),
    rankHi: ofLevel(rules.rank_high),
    tier: ofLevel(rules.tier),
    next: rules.code.subarray(choice * (models - 1), (choice + 1) * (models - 1)),
    headline, tiles, caution, mde, paragraph, assumptions,
  };
}

/** Everything under some rules; pairs are judged one by one when they are looked at. */
function judgeBoard(board, settings) {
  const found = rulesAt(board.deck, settings);
  const { alpha, power } = settings;
  const apart = found.used === "bh" || found.used === "none";
  return {
    ...found,
    settings,
    power,
    pairs: board.size,
    marginAlpha: apart ? alpha : alpha / board.size,
    resolved: resolvedBy(board, { threshold: found.threshold, power }),
    stepped: steppedOf(board, found.used),
    code: new Uint8Array(board.size).fill(UNJUDGED),
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
