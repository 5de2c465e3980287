// Pairs of models from a deck and settings: what Python's audit says of each, score units.

const VERDICT_WORDS = ["significant", "significant, underpowered", "equivalent", "inconclusive"];
const UNMEASURED = "because no error could be measured";

/** A function of one number that computes each of its values once. */
function remembered(value) {
  const known = new Map();
  return (x) => {
    if (!known.has(x)) known.set(x, value(x));
    return known.get(x);
  };
}

/** The k-th of some values, or the one number that they all are. */
function nth(values, k) {
  return typeof values === "number" ? values : values[k];
}

/** Largest possible gap. */
function deckWidth(deck) {
  return deck.limits[1] - deck.limits[0];
}

/** Counts of 0/1 scores of a pair: sums and discordant items; null for graded scores. */
function cellsOfPair(deck, i, j, k) {
  const cells = deck.kind === "counts" ? deck.pairs : deck.pairs.cells;
  if (!cells) return null;
  const first = cells.second ? cells.first[k] : cells.first[i];
  const second = cells.second ? cells.second[k] : cells.first[j];
  const gap2 = cells.gap2[k];
  const gap = first - second;
  return { first, second, gap, gap2, n10: (gap2 + gap) / 2, n01: (gap2 - gap) / 2 };
}

/** Gap of a pair, first minus second. */
function pairGap(deck, i, j, k, cells) {
  if (cells) return cells.gap / nth(deck.pairs.n, k);
  if (deck.pairs.delta) return deck.pairs.delta[k];
  const gap = deck.mean[i] - deck.mean[j];
  return Math.abs(gap) < 1e-12 * deckWidth(deck) ? 0 : gap;
}

/** Standard error of the gap of 0/1 scores when items are independent. */
function binaryError(n, cells) {
  return Math.sqrt((cells.gap2 * n - cells.gap * cells.gap) / n) / n;
}

/** Two-sided t; if no error was measured, that of all units pointing one way by chance. */
function studentP(deck, k, n, t, df, cells) {
  const kind = deck.design.kind;
  const stratified = kind === "strata" && cells;
  const least = stratified ? 2 ** (1 - cells.gap2) : 0;
  if (Math.abs(t) === Infinity) {
    if (stratified) return boundedP(least);
    return boundedP(2 ** (kind === "independent" || kind === "cluster" ? 1 - nth(deck.pairs.units, k) : 0));
  }
  // 0/1 scores in strata: the standard error under the null hypothesis
  const size = stratified ? Math.abs(t) / Math.sqrt(1 + (t * t) / n) : Math.abs(t);
  const p = Math.max(2 * studentTail(size, df), least);
  return Number.isNaN(p) ? 1 : boundedP(p);
}

/** McNemar's p-values, each computed once: mid-p, exact where most items are discordant. */
function mcnemarTable() {
  const known = new Map();
  return (n, { gap, gap2 }) => {
    const [lead, exact] = [Math.abs(gap), gap2 > 0.8 * n];
    const key = (gap2 * 67108864 + lead) * (exact ? -1 : 1);
    if (!known.has(key)) known.set(key, mcnemar(gap2, lead, exact));
    return known.get(key);
  };
}

/** Degrees of freedom of pair k; Infinity for a normal distribution, NaN for none. */
function pairFreedom(deck, k) {
  const df = deck.kind === "counts" ? null : deck.pairs.df;
  return df === null ? Infinity : nth(df, k);
}

/** Degrees of freedom; infinite where there are none, for no error goes with them. */
function someOrInfinite(df) {
  return df > 0 ? df : Infinity;
}

/** Numbers of every pair that do not depend on settings. */
function makeBoard(deck) {
  const models = deck.names.length;
  const size = (models * (models - 1)) / 2;
  const [n, delta, se, t, df, p] = Array.from({ length: 6 }, () => new Float64Array(size));
  const pvalue = mcnemarTable();
  for (let i = 0, k = 0; i < models; i += 1) {
    for (let j = i + 1; j < models; j += 1, k += 1) {
      const cells = cellsOfPair(deck, i, j, k);
      n[k] = nth(deck.pairs.n, k);
      delta[k] = pairGap(deck, i, j, k, cells);
      se[k] = deck.kind === "counts" ? binaryError(n[k], cells) : deck.pairs.se[k];
      t[k] = delta[k] === 0 ? 0 : delta[k] / se[k];
      df[k] = pairFreedom(deck, k);
      p[k] =
        deck.kind === "counts"
          ? pvalue(n[k], cells)
          : studentP(deck, k, n[k], t[k], df[k], cells);
    }
  }
  const index = (i, j) => (i * (2 * models - i - 1)) / 2 + j - i - 1;
  const sorted = Float64Array.from(p).sort();
  const freedom = df.map(someOrInfinite).sort();
  return { deck, models, size, index, n, delta, se, t, df, p, sorted, freedom };
}
