// The pages of a site: what each of them does beyond what its HTML says.

/** A function that asks once, and again only after a failure. */
function asked(once) {
  let answer = null;
  return () => {
    answer ??= once().catch((error) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}

/** A model in a link: its name, or its address if the name is long or no text. */
function linkName(name, id) {
  const text = name.length <= 200 && !/\p{Surrogate}/u.test(name);
  return encodeURIComponent(text ? name : id);
}

/** Link to a pair of models given as [address, name]. */
function pairLink(a, b) {
  return `compare.html#a=${linkName(a[1], a[0])}&b=${linkName(b[1], b[0])}`;
}

/** The place of a model that a link names; -1 if there is none. */
function placeOf(models, text) {
  const byName = models.names.indexOf(text);
  return byName < 0 ? models.ids.indexOf(text) : byName;
}

/** The mark of a verdict, with or without its word. */
function verdictWord(verdict, text = null) {
  return el("span", { class: `word w${VERDICT_WORDS.indexOf(verdict)}` }, text);
}

/** A further row of the ranking; `next` is the address and name of the model below. */
function boardRow([id, name, line, rank, ranks, mean, ...rest], next) {
  const verdict = rest.at(-1);
  const numbers = [mean, ...rest.slice(0, -1)];
  const cell = (...inside) => el("td", { class: "num" }, ...inside);
  const gap = numbers.length - 4;
  const cells = numbers.map((text, k) =>
    cell(k === gap && next ? el("a", { href: pairLink([id, name], next) }, text) : text));
  return el("tr", { class: line ? "line" : null }, cell(rank), cell(ranks),
    el("th", { scope: "row" }, el("a", { href: `m/${id}.html` }, shownName(name, 60))),
    cells, el("td", null, verdict ? verdictWord(verdict, verdict) : null));
}

/** Show the rest of a long ranking, some rows at a time. */
function moreRows(data) {
  const [button, shown] = ["more", "shown"].map((id) => document.getElementById(id));
  if (!button) return;
  const body = document.querySelector("#ranking-table tbody");
  let chunk = 1;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const response = await fetch(`ranks-${data.digest}/${chunk}.json`);
      if (!response.ok) throw new Error(`rows could not be fetched (${response.status})`);
      const { rows, next } = await response.json();
      const following = (k) => (k + 1 < rows.length ? rows[k + 1].slice(0, 2) : next);
      body.append(...rows.map((row, k) => boardRow(row, following(k))));
      chunk += 1;
      const count = body.children.length;
      button.hidden = count >= data.models;
      shown.textContent = `The first ${fmt.count(count)} of ${fmt.count(data.models)} models.`;
    } catch {
      shown.textContent = "The rest could not be fetched; try again.";
    }
    button.disabled = false;
  });
}

/** Put the address of this site into snippets for other sites. */
function realAddresses() {
  const here = new URL(".", location.href).href;
  document.querySelectorAll("[data-address]").forEach((node) => {
    node.textContent = node.textContent.replace(/(?<=["(])(?=(?:embed|index)\.html|badge\.svg)/g,
      here.replaceAll("$", "$$$$"));
  });
}

/** The search boxes that a page has room for. */
function pageFinders(data, up, choices) {
  const load = asked(() => siteModels(data, up));
  document.querySelectorAll("[data-find]").forEach((room) => {
    const [label, choose] = choices[room.dataset.find](room);
    const finder = modelFinder(`find-${room.dataset.find}`, label, load, async (k) => {
      choose(await load(), k);
    });
    room.append(finder.node);
    room.hidden = false;
  });
}

/** The page of a benchmark. */
function benchmarkPage(data) {
  pageFinders(data, "", {
    model: () => ["Find a model", ({ ids }, k) => { location.href = `m/${ids[k]}.html`; }],
  });
  moreRows(data);
  realAddresses();
}

/** The page of one model. */
function modelPage(data) {
  pageFinders(data, "../", {
    rival: (room) => ["Compare it with", ({ ids, names }, k) => {
      const other = linkName(names[k], ids[k]);
      location.href = `../compare.html#a=${room.dataset.first}&b=${other}`;
    }],
  });
}

/** Where two models stand. */
function standingTable({ names, ids, columns }, pair) {
  const set = (k) => [...new Set([columns.lo[k], columns.hi[k]].map(fmt.count))].join("–");
  const cell = (text) => el("td", { class: "num" }, text);
  const row = (k, letter) => el("tr", null, el("td", null, letter),
    el("th", { scope: "row" }, el("a", { href: `m/${ids[k]}.html` }, shownName(names[k], 60))),
    cell(fmt.count(columns.rank[k])), cell(set(k)), cell(fmt.count(columns.tier[k])));
  const heads = ["rank", "rank set", "tier"].map((text) =>
    el("th", { scope: "col", class: "num" }, text));
  return el("div", { class: "scroll", role: "region", tabindex: 0, "aria-label": "Standing" },
    el("table", null,
      el("thead", null, el("tr", null, el("td"), el("th", { scope: "col" }, "model"), heads)),
      el("tbody", null, row(pair[0], "A"), row(pair[1], "B"))));
}

/** The facts of a pair, but for what only all pairs together would tell. */
function siteFacts(state, x) {
  const left = pairFacts(state, x).filter(([key]) => key !== "Adjusted p"
    && (key !== "Item correlation" || Number.isFinite(x.rho)));
  const alone = state.view.used === "none";
  const level = ["Significant here from", `p ≤ ${fmt.pvalue(state.view.threshold)}`];
  return alone ? left : [...left.slice(0, 4), level, ...left.slice(4)];
}

/** Everything about two models; places in rank order, in the order the reader chose. */
function pairNodes(data, models, row, pair) {
  const flipped = pair[0] > pair[1];
  const [i, j] = flipped ? [pair[1], pair[0]] : pair;
  const state = sitePair(data, models, row, i, j);
  state.short = [i, j].map((k) => shownName(models.names[k]));
  const [a, b] = flipped ? [1, 0] : [0, 1];
  const x = orientedNumbers(state, a, b);
  const facts = siteFacts(state, x).map(([name, value]) =>
    el("div", null, el("dt", null, name), el("dd", null, value)));
  return [
    el("div", { role: "status" },
      el("p", { class: "answer", id: "answer" }, pairSentence(state, a, b, x)),
      el("p", { class: "prose", id: "verdict", "data-verdict": x.verdict },
        verdictWord(x.verdict),
        `${verdictMeaning(state, x)} ${pairAdvice(state, x)}`)),
    el("div", { class: "sides" },
      el("div", null, pairPicture(state, x), x.n11 === null ? null : cellsTable(state, a, b, x)),
      el("div", null, el("dl", { class: "values", id: "facts" }, facts),
        standingTable(models, pair))),
  ];
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
function tellPair({ room }, text) {
  room.replaceChildren(el("p", { class: "remark", role: "status" }, text));
}

/** Names of the pair in the boxes and in the title. */
function showNames({ finders, pair, title }, { names }) {
  finders.forEach((finder, slot) => finder.show(names[pair[slot]]));
  document.title = `${pair.map((k) => shownName(names[k], 40)).join(" and ")}, ${title}`;
}

/** Show the pair, unless another one has been asked for meanwhile. */
async function showPair(state) {
  state.turn += 1;
  const { turn, pair, data } = state;
  try {
    const models = await state.load();
    showNames(state, models);
    if (pair[0] === pair[1]) return tellPair(state, "Choose two different models.");
    const row = await state.rowOf(models, Math.min(...pair));
    if (turn === state.turn) state.room.replaceChildren(...pairNodes(data, models, row, pair));
  } catch (error) {
    if (turn === state.turn) tellPair(state, `The pair could not be shown: ${error.message}.`);
  }
  return undefined;
}

/** Show the pair that the address names. */
async function followLink(state) {
  try {
    const models = await state.load();
    const { pair, lost } = linkedPair(models, location.hash);
    if (lost !== undefined) return tellPair(state, `No model here is called ${shownName(lost)}.`);
    state.pair = pair;
    return showPair(state);
  } catch (error) {
    return tellPair(state, `The models could not be shown: ${error.message}.`);
  }
}

/** Show another pair, and put it into the address. */
async function choosePair(state, pair) {
  state.pair = pair;
  const { names, ids } = await state.load();
  const link = pairLink(...pair.map((k) => [ids[k], names[k]]));
  history.replaceState(null, "", link.slice(link.indexOf("#")));
  return showPair(state);
}

/** The page that compares any two models. */
function comparePage(data) {
  const load = asked(() => siteModels(data, ""));
  const rows = new Map();
  const rowOf = (models, i) => {
    if (!rows.has(i)) rows.set(i, asked(() => siteRow(data, models, i)));
    return rows.get(i)();
  };
  const state = { data, load, rowOf, pair: [0, 1], turn: 0, title: document.title,
    room: document.getElementById("pair") };
  state.finders = ["A, the first", "B, the second"].map((label, slot) =>
    modelFinder(`model-${"ab"[slot]}`, label, load, (k) =>
      choosePair(state, slot ? [state.pair[0], k] : [k, state.pair[1]])));
  const swap = el("button", { type: "button" }, "Swap");
  swap.addEventListener("click", () => choosePair(state, [state.pair[1], state.pair[0]]));
  document.getElementById("choice").append(...state.finders.map((f) => f.node), swap);
  addEventListener("hashchange", () => followLink(state));
  followLink(state);
}

const SITE_PAGES = { benchmark: benchmarkPage, model: modelPage, compare: comparePage };
const sitePage = SITE_PAGES[document.body.dataset.page];
if (sitePage) sitePage(JSON.parse(document.getElementById("nstar-data").textContent));
