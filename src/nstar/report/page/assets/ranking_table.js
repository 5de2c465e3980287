/** A rank range: 3–7. */
function rankSetWords(low, high) {
  return low === high ? fmt.count(low) : `${fmt.count(low)}–${fmt.count(high)}`;
}

/** Draws from which adjusted p-values come, if they do. */
function drawsOf({ deck, view }) {
  return view.used === "maxt" ? deck.maxt.draws : null;
}

/** Column names of a pair, as in the tables of the report. */
function pairHeads({ deck, view }) {
  const tests = view.used === "none" ? ["p", "q"] : ["adj. p", "adj. q"];
  const gap = inPoints(deck) ? "gap to next (pp)" : "gap to next";
  const kind = view.used === "none" ? "unadjusted" : "adjusted";
  return [gap, `${kind} ${fmt.coverage(1 - view.settings.alpha)} CI`, ...tests, "verdict"];
}

/** Gap, interval, p, q and verdict of a pair as strings, as in the tables of the report. */
function pairCells(state, x) {
  const bare = (text) => text.replace(/ pp$/, "");
  const column = { sign: true, column: true };
  return [
    bare(fmt.gap(state.deck, x.delta, column)),
    bare(fmt.span(state.deck, x.ci_adjusted_low, x.ci_adjusted_high, column)),
    fmt.adjusted(x.p_adjusted, drawsOf(state)),
    fmt.resolution(x.q_adjusted),
    x.verdict,
  ];
}

/** Those cells as elements. */
function pairCellNodes(state, x) {
  const cells = pairCells(state, x);
  const code = VERDICT_WORDS.indexOf(x.verdict);
  return [...cells.slice(0, -1).map((c) => el("td", { class: "num" }, c)),
    el("td", null, verdictWords(code))];
}

/** Names that differ even when they are cut. */
function shortNames(names) {
  let limit = 36;
  const short = () => names.map((n) => shownName(n, limit));
  while (new Set(short()).size < new Set(names).size && limit < 200) limit *= 2;
  return short();
}

/** Rank of each model; equal means share the better place. */
function ranksOf({ mean }) {
  const ranks = [];
  mean.forEach((x, k) => ranks.push(k && x === mean[k - 1] ? ranks[k - 1] : k + 1));
  return ranks;
}

const FIRST_ROWS = 50;

/** Items of a model that has clearly fewer than others have, by the rule of the text report. */
function fewerItems(deck, most, k) {
  if (deck.own[k] >= 0.98 * most) return null;
  const words = `${fmt.count(deck.own[k])} of ${fmt.items(most)}`;
  return el("span", { class: "fewer", title: "Its mean is over fewer items than others’." }, words);
}

/** Gap to the next model, adjusted interval and adjusted p-value as strings. */
function neighborCells(state, k) {
  const { board, deck, view } = state;
  const pair = pairOf(board, k, k + 1);
  const [low, high] = adjustedInterval(deck, pair, view, state.reach);
  const column = { sign: true, column: true };
  return [fmt.gap(deck, pair.delta, column), fmt.span(deck, low, high, { column: true }),
    fmt.adjusted(adjustedP(board, view, board.index(k, k + 1)), drawsOf(state)),
  ].map((text) => text.replace(/ pp$/, ""));
}

/** A model of the ranking as a row, without what depends on the rules. */
function rankingRow(state, k) {
  const { deck, most } = state;
  const mean = inPoints(deck) ? fixed(100 * deck.mean[k], 2) : general(deck.mean[k], 4);
  const name = el("button", { type: "button", class: "pick",
    "aria-pressed": "false", "data-model": k }, state.short[k]);
  const [bar, set, ...next] = ["roomy", "num", "num", "num", "num", null]
    .map((kind) => el("td", { class: kind }));
  const rank = el("td", { class: "num" }, fmt.count(state.ranks[k]));
  const node = el("tr", { "data-model": k }, rank,
    el("th", { scope: "row" }, el("span", { class: "slot", "aria-hidden": "true" }), name,
      fewerItems(deck, most, k)),
    el("td", { class: "num" }, mean), bar, set, next);
  return { node, bar, set, next, rank };
}

/** Fill in what depends on the rules. */
function showRow(state, row, k) {
  const { deck, view } = state;
  const [low, high] = [view.rankLo[k], view.rankHi[k]];
  row.bar.replaceChildren(rankBar(low, high, state.ranks[k], deck.names.length));
  row.set.textContent = rankSetWords(low, high);
  if (k + 1 < deck.names.length) {
    neighborCells(state, k).forEach((text, c) => { row.next[c].textContent = text; });
    row.next[3].replaceChildren(...verdictWords(view.next[k]));
  }
  const starts = k > 0 && view.tier[k] !== view.tier[k - 1];
  row.node.classList.toggle("line", starts && state.sort.id === "rank" && state.sort.rising);
  row.rank.replaceChildren(...(starts
    ? [el("span", { class: "unseen" }, `Tier ${view.tier[k]} begins. `)] : []),
  fmt.count(state.ranks[k]));
}

/** Columns: name, what a model is sorted by, whether large values come first. */
function rankingColumns(state) {
  const { deck, view, board, short } = state;
  const last = deck.names.length - 1;
  const next = (value) => (k) => (k < last ? value(board.index(k, k + 1), k) : NaN);
  const [gap, interval, p] = pairHeads(state);
  return [
    { name: "rank", key: (k) => k, num: true },
    { name: "model", text: (k) => short[k].toLowerCase() },
    { name: inPoints(deck) ? "score %" : "score", id: "mean", key: (k) => deck.mean[k],
      falling: deck.better > 0, num: true },
    { name: "rank range (bar)", id: "width", key: (k) => view.rankHi[k] - view.rankLo[k],
      roomy: true },
    { name: "rank range", key: (k) => view.rankLo[k], num: true },
    { name: gap, id: "gap", key: next((k) => board.delta[k] * deck.better), falling: true,
      num: true },
    { name: interval, num: true },
    { name: p, id: "p", key: next((k) => adjustedP(board, view, k)), num: true },
    { name: "verdict", key: (k) => (k < last ? view.next[k] : NaN) },
  ];
}

/** Models in the order of a column; equals stay as ranked, what has no value comes last. */
function sortedModels(models, { key, text }, rising) {
  const order = Array.from({ length: models }, (_, k) => k);
  if (text) {
    const way = rising ? 1 : -1;
    return order.sort((a, b) => way * (text(a) < text(b) ? -1 : text(a) > text(b)) || a - b);
  }
  const value = (k) => (Number.isNaN(key(k)) ? Infinity : rising ? key(k) : -key(k));
  const values = order.map(value);
  return order.sort((a, b) => (values[a] === values[b] ? a - b : values[a] - values[b]));
}

/** Arrow keys move among the names, so that the table is one stop of the tab key. */
function rovingFocus(table) {
  table.addEventListener("keydown", (event) => {
    const names = [...table.querySelectorAll(".pick")];
    const at = names.indexOf(event.target);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: names.length - 1 }[event.key];
    if (at < 0 || to === undefined || !names[to]) return;
    event.preventDefault();
    names[at].tabIndex = -1;
    names[to].tabIndex = 0;
    names[to].focus();
  });
}

/** The chosen pair in a line, below the ranking. */
function dockWords(state) {
  const [a, b] = state.pair;
  const x = orientedNumbers(state, a, b);
  const gap = fmt.gap(state.deck, x.delta, { sign: true });
  const verdict = verdictWords(VERDICT_WORDS.indexOf(x.verdict));
  return [el("span", null, el("strong", null, state.short[a]), " minus ",
    el("strong", null, state.short[b]), `: ${gap}, `, verdict),
  el("a", { href: "#pair" }, "See this pair")];
}

/** What the table shows, in a sentence. */
function rankingCaption({ view, settings }) {
  const level = fmt.coverage(1 - settings.alpha);
  return `Rank ranges and tier lines hold simultaneously at ${level} `
    + `(${POLICY_NAMES[view.ranking]}). Gap, CI, p, and verdict compare a model with the next one `
    + "in rank. Pick two models to compare them.";
}

/** A box that filters the models by name at once. */
function rankingSearch(change) {
  const box = el("input", { type: "search", id: "find-model", autocomplete: "off" });
  box.addEventListener("input", change);
  const node = el("div", { class: "field wide" },
    el("label", { for: "find-model" }, "Find a model"), box);
  return { node, words: () => box.value.toLowerCase().split(/\s+/).filter(Boolean) };
}

/** The board: sorted by any column, searched by name; two models can be picked. */
function rankingTable(state, pick) {
  const { deck } = state;
  state.most = Math.max(...deck.own);
  state.sort = { id: "rank", rising: true };
  const rows = new Map();
  const [caption, head, body] = [captionEl(), el("tr"), el("tbody")];
  const table = el("table", { class: "ranks" }, caption, el("thead", null, head), body);
  const dock = el("p", { class: "dock", role: "status" });
  const count = el("span", { class: "remark", id: "model-count", role: "status" });
  const more = el("button", { type: "button", id: "more-models" });
  let shown = FIRST_ROWS;
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-model]");
    if (row) pick(Number(row.dataset.model));
  });
  rovingFocus(table);

  const rowOf = (k) => {
    if (!rows.has(k)) rows.set(k, rankingRow(state, k));
    showRow(state, rows.get(k), k);
    return rows.get(k).node;
  };
  const show = () => {
    state.reach = remembered((alpha) => remembered(studentReach(alpha)));
    caption.firstChild.textContent = rankingCaption(state);
    const columns = rankingColumns(state);
    showHeads(columns);
    const column = columns.find((c) => (c.id ?? c.name) === state.sort.id);
    const words = search.words();
    const fits = (k) => words.every((word) => deck.names[k].toLowerCase().includes(word));
    const kept = sortedModels(deck.names.length, column, state.sort.rising).filter(fits);
    body.replaceChildren(...kept.slice(0, shown).map(rowOf));
    body.querySelectorAll(".pick").forEach((name, at) => { name.tabIndex = at ? -1 : 0; });
    showCount(kept.length);
    showPicked();
  };
  const showHeads = (columns) => {
    const focused = document.activeElement?.dataset?.column;
    head.replaceChildren(...sortHeads(columns, state.sort, (chosen, id) => {
      const { sort } = state;
      state.sort = { id, rising: sort.id === id ? !sort.rising : !chosen.falling };
      show();
    }));
    [...head.querySelectorAll("button")].find((b) => b.dataset.column === focused)?.focus();
  };
  const showCount = (kept) => {
    const all = deck.names.length;
    count.textContent = kept === all ? "" : `${fmt.count(kept)} of ${fmt.count(all)} models`;
    more.hidden = kept <= shown;
    more.textContent = `Show all ${fmt.count(kept)}`;
  };
  const showPicked = () => {
    rows.forEach(({ node }, k) => {
      const slot = state.pair.indexOf(k);
      node.classList.toggle("picked", slot >= 0);
      node.querySelector(".slot").textContent = slot < 0 ? "" : "AB"[slot];
      node.querySelector(".pick").setAttribute("aria-pressed", String(slot >= 0));
    });
    dock.replaceChildren(...dockWords(state));
  };
  const search = rankingSearch(show);
  more.addEventListener("click", () => {
    shown = Infinity;
    show();
  });
  const tools = el("div", { class: "filters" }, search.node, count);
  return { nodes: [tools, scrollBox("Table of the ranking", table), more, dock], show, showPicked };
}
