// The page of a site that compares any two models: by link, by search, or swapped.

/** Where two models stand. */
function standingTable({ names, ids, columns }, pair) {
  const set = (k) => [...new Set([columns.lo[k], columns.hi[k]].map(fmt.count))].join("–");
  const cell = (text) => el("td", { class: "num" }, text);
  const row = (k, letter) => el("tr", null, el("td", null, letter),
    el("th", { scope: "row" }, el("a", { href: `m/${ids[k]}.html` }, shownName(names[k], 60))),
    cell(fmt.count(columns.rank[k])), cell(set(k)), cell(fmt.count(columns.tier[k])));
  const heads = ["rank", "rank range", "tier"].map((text) =>
    el("th", { scope: "col", class: "num" }, text));
  return scrollBox("Standing", el("table", null,
    el("thead", null, el("tr", null, el("td"), el("th", { scope: "col" }, "model"), heads)),
    el("tbody", null, row(pair[0], "A"), row(pair[1], "B"))));
}

/** The measures of a pair; a site knows the threshold of p, not the adjusted value. */
function siteMeasures(state, x) {
  return pairMeasures(state, x).map(([key, name, alone, family]) => [key, name, alone,
    key === "p" ? `threshold ${fmt.pvalue(state.view.threshold)}` : family]);
}

/** Two models in words, drawn, and in numbers, in the order the reader chose. */
function pairNodes(site, models, row, pair) {
  const { data } = site;
  const flipped = pair[0] > pair[1];
  const [i, j] = flipped ? [pair[1], pair[0]] : pair;
  const state = sitePair(data, models, row, i, j);
  state.short = [i, j].map((k) => shownName(models.names[k]));
  state.pair = flipped ? [1, 0] : [0, 1];
  const { answer, verdict, drawing, detail } = pairResult(state, ...state.pair, siteMeasures);
  const words = [el("p", { class: "answer", id: "answer" }, answer),
    el("p", { class: "prose", id: "verdict" }, verdict)];
  detail[0].append(standingTable(models, pair));
  const numbers = [drawing, el("div", { class: "sides", id: "facts" }, detail)];
  return { words, numbers, items: itemsNode(site, state, [i, j]) };
}

/** The place of a model that a link names; -1 if there is none. */
function placeOf(models, text) {
  const byName = models.names.indexOf(text);
  return byName < 0 ? models.ids.indexOf(text) : byName;
}

/** The pair that a link names: places, or the name that nobody has. */
function linkedPair(models, hash) {
  const link = new URLSearchParams(hash.slice(1).replaceAll("+", "%2B"));
  const wanted = ["a", "b"].map((key) => link.get(key));
  const found = wanted.map((text) => (text === null ? null : placeOf(models, text)));
  const lost = found.indexOf(-1);
  if (lost >= 0) return { lost: wanted[lost] };
  const other = (k) => (k === 0 ? 1 : 0);
  const first = found[0] ?? other(found[1]);
  return { pair: [first, found[1] ?? other(first)] };
}

/** Say something in place of a pair. */
function tellPair({ said, found }, text) {
  said.replaceChildren(el("p", { class: "remark" }, text));
  found.replaceChildren();
}

/** Say what could not be shown, and why. */
function tellTrouble(state, what, error) {
  const mend = location.protocol === "file:" ? `; ${fetchMend()}` : "";
  tellPair(state, `${what} could not be shown: ${error.message}${mend}.`);
}

/** Names of the pair in the boxes and in the title, "Two models on …". */
function showNames({ finders, pair, title }, { names }) {
  finders.forEach((finder, slot) => finder.show(names[pair[slot]]));
  const both = pair.map((k) => shownName(names[k], 40)).join(" and ");
  document.title = title.replace("Two models", () => both);
}

/** Put the pair into the address. */
function linkPair({ pair }, { names, ids }) {
  const link = pairLink(...pair.map((k) => [ids[k], names[k]]));
  history.replaceState(null, "", link.slice(link.indexOf("#")));
}

/** Show a pair, unless another one has been asked for meanwhile; a chosen one gets a link. */
async function showPair(state, pair, { chosen = false } = {}) {
  state.turn += 1;
  state.pair = pair;
  const { turn } = state;
  try {
    const models = await state.load();
    if (turn !== state.turn) return;
    if (chosen) linkPair(state, models);
    showNames(state, models);
    if (pair[0] === pair[1]) {
      tellPair(state, "Choose two different models.");
      return;
    }
    const row = await state.rowOf(models, Math.min(...pair));
    if (turn !== state.turn) return;
    const { words, numbers, items } = pairNodes(state, models, row, pair);
    state.said.replaceChildren(...words);
    state.found.replaceChildren(...numbers, items);
  } catch (error) {
    if (turn === state.turn) tellTrouble(state, "The pair", error);
  }
}

/** Show the pair that the address names. */
async function followLink(state) {
  state.turn += 1;
  const { turn } = state;
  try {
    const models = await state.load();
    if (turn !== state.turn) return;
    const { pair, lost } = linkedPair(models, location.hash);
    if (lost === undefined) await showPair(state, pair);
    else tellPair(state, `No model here is called ${shownName(lost)}.`);
  } catch (error) {
    if (turn === state.turn) tellTrouble(state, "The models", error);
  }
}

/** The page that compares any two models. */
function comparePage(data) {
  const load = asked(() => siteModels(data, ""));
  const rows = new Map();
  const rowOf = (models, i) => {
    if (!rows.has(i)) rows.set(i, asked(() => siteRow(data, models, i)));
    return rows.get(i)();
  };
  const state = { data, load, rowOf, itemsOf: asked(() => siteItems(data)), pair: [0, 1], turn: 0, title: document.title,
    said: document.getElementById("said"), found: document.getElementById("found") };
  document.getElementById("pair").hidden = false;
  const choose = (pair) => showPair(state, pair, { chosen: true });
  state.finders = ["A, the first", "B, the second"].map((label, slot) =>
    modelFinder(`model-${"ab"[slot]}`, label, load, (k) =>
      choose(slot ? [state.pair[0], k] : [k, state.pair[1]])));
  const swap = el("button", { type: "button" }, "Swap");
  swap.addEventListener("click", () => choose([state.pair[1], state.pair[0]]));
  document.getElementById("choice").append(...state.finders.map((f) => f.node), swap);
  addEventListener("hashchange", () => followLink(state));
  followLink(state);
}

SITE_PAGES.compare = comparePage;
