// Files of a benchmark: names and ranks of all models, and each model's pairs with later ones.

/** What each kind of page does; whoever knows one enters it here. */
const SITE_PAGES = {};

/** What to do about a file that could not be fetched. */
function fetchMend() {
  return location.protocol === "file:" ? "open this site from a web server" : "try again";
}

/** Bytes of a deflated file of this site. */
async function siteBytes(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${address} could not be fetched (${response.status})`);
  const stream = response.body.pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Columns that follow one another in a file: name → numbers. */
function siteColumns(bytes, fields, size) {
  const found = {};
  let start = 0;
  for (const [name, kind] of fields) {
    const [Numbers, cut] = PACKED[kind];
    const length = size * (Numbers.BYTES_PER_ELEMENT - cut);
    found[name] = fromPlanes(bytes.subarray(start, start + length), Numbers, size, cut);
    start += length;
  }
  if (start !== bytes.length) throw new RangeError("a file is not as long as it should be");
  return found;
}

/** Names, addresses and ranks of all models, best first. */
async function siteModels(data, up) {
  const bytes = await siteBytes(`${up}models-${data.keys.audit}.bin`);
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const mixed = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const names = mixed.filter((_, k) => k % 2 === 0);
  const ids = mixed.filter((_, k) => k % 2 === 1);
  if (names.length !== data.models) throw new RangeError("a file is of other models");
  const columns = siteColumns(bytes.subarray(4 + length), data.columns, data.models);
  return { names, ids, columns };
}

/** The pairs of the model at place i with all later ones. */
async function siteRow(data, models, i) {
  const bytes = await siteBytes(`rows-${data.keys.pairs}/${models.ids[i]}.bin`);
  return siteColumns(bytes, data.fields, data.models - 1 - i);
}

/** Counts of one pair of 0/1 scores as a deck has them; null for graded scores. */
function siteCells({ deck }, { columns }, row, i, j, k) {
  if (!deck.binary) return null;
  if (deck.complete) {
    return { first: [columns.right[i], columns.right[j]], second: null, gap2: [row.gap2[k]] };
  }
  const n = row.n_items[k];
  const right = row.n11 ? row.n11[k] + row.n10[k] : Math.round(n && row.mean_a[k] * n);
  return {
    first: [right],
    second: [right - row.n10[k] + row.n01[k]],
    gap2: [row.n10[k] + row.n01[k]],
  };
}

/** Gap and error of one pair as a deck has them, where counts do not tell them. */
function siteErrors({ deck }, row, k, cells) {
  const clustered = deck.design.kind === "cluster";
  const of = (name) => (row[name] ? [row[name][k]] : null);
  const n = deck.complete ? deck.items : row.n_items[k];
  return {
    mean_a: of("mean_a"),
    mean_b: of("mean_b"),
    delta: of("gap"),
    se: of("se"),
    df: of("df"),
    units: clustered ? row.n_clusters[k] : n,
    exposed: of("n_exposed"),
    rho: [-32768],
    cells,
  };
}

/** A deck of two models, i before j in rank. */
function siteDeck(data, models, row, i, j) {
  const { deck } = data;
  const { columns, names } = models;
  const k = j - i - 1;
  const cells = siteCells(data, models, row, i, j, k);
  const mean = (m) => (columns.mean ? columns.mean[m] : columns.right[m] / columns.own[m]);
  return {
    ...deck,
    names: [names[i], names[j]],
    mean: [mean(i), mean(j)],
    own: [columns.own[i], columns.own[j]],
    maxt: { draws: null, p: [NaN], levels: [] },
    pairs: {
      n: deck.complete ? deck.items : row.n_items[k],
      ...(deck.kind === "counts" ? cells : siteErrors(data, row, k, cells)),
    },
    groups: [],
  };
}

/** One pair judged as one of all pairs of the audit. */
function siteView(board, { settings, threshold, interval, equivalent, pairs }) {
  return {
    settings,
    used: settings.adjust,
    pairs,
    threshold,
    interval,
    marginAlpha: equivalent,
    resolved: resolvedBy(board, { threshold, power: settings.power }),
    stepped: [NaN],
    code: [UNJUDGED],
  };
}

/** What the page of two models tells of, and every number of them, i before j in rank. */
function sitePair(data, models, row, i, j) {
  const deck = siteDeck(data, models, row, i, j);
  const board = makeBoard(deck);
  return { deck, board, view: siteView(board, data.family) };
}

globalThis.nstar = { ...globalThis.nstar, siteModels, siteRow, sitePair };
