/** The ranks that the data leave open: 3–7. */
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
  const gap = inPoints(deck) ? "gap pp" : "gap";
  return [gap, `${fmt.coverage(1 - view.settings.alpha)} interval`, ...tests, "verdict"];
}

/** Gap, interval, p, q and verdict of a pair as strings, as in the tables of the report. */
function pairCells(state, x) {
  const bare = (text) => text.replace(/ pp$/, "");
  const column = { sign: true, column: true };
  return [
    bare(fmt.gap(state.deck, x.delta, column)),
    bare(fmt.span(state.deck, x.ci_low, x.ci_high, column)),
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

/** A model of the ranking as a row. */
function rankingRow(state, k, items) {
  const { deck, view, board } = state;
  const models = deck.names.length;
  const [low, high] = [view.rankLo[k], view.rankHi[k]];
  const mean = inPoints(deck) ? fixed(100 * deck.mean[k], 2) : general(deck.mean[k], 4);
  const starts = k > 0 && view.tier[k] !== view.tier[k - 1];
  const tier = starts && el("span", { class: "unseen" }, `Tier ${view.tier[k]} begins. `);
  const next = k + 1 < models ? pairNumbers(board, view, k, k + 1) : null;
  const name = el("button", { type: "button", class: "pick", tabindex: k ? -1 : 0,
    "aria-pressed": "false", "data-model": k }, state.short[k]);
  return el("tr", { "data-model": k },
    el("td", { class: "num" }, tier, fmt.count(state.ranks[k])),
    el("td", { class: "num" }, rankSetWords(low, high)),
    el("td", { class: "roomy" }, rankBar(low, high, state.ranks[k], models)),
    el("th", { scope: "row" }, el("span", { class: "slot", "aria-hidden": "true" }), name),
    el("td", { class: "num" }, mean),
    items && el("td", { class: "num" }, fmt.count(deck.own[k])),
    next ? pairCellNodes(state, next) : Array.from({ length: 5 }, () => el("td")));
}

/** Rows in bodies, one for each tier. */
function rankingBodies(state, items) {
  const bodies = [];
  state.deck.names.forEach((_, k) => {
    if (!k || state.view.tier[k] !== state.view.tier[k - 1]) bodies.push(el("tbody"));
    bodies.at(-1).append(rankingRow(state, k, items));
  });
  return bodies;
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

/** The ranking, of which two models can be picked. */
function rankingTable(state, pick) {
  const items = new Set(state.deck.own).size > 1;
  const caption = captionEl();
  const head = el("tr");
  const table = el("table", { class: "ranks" }, caption, el("thead", null, head));
  const dock = el("p", { class: "dock", role: "status" });
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-model]");
    if (row) pick(Number(row.dataset.model));
  });
  rovingFocus(table);
  const show = () => {
    const level = fmt.coverage(1 - state.view.settings.alpha);
    caption.firstChild.textContent = `Ranking with ${level} rank sets and tier lines `
      + `(${POLICY_NAMES[state.view.ranking]}, whatever the policy), and the gap to the next `
      + "model. Pick two models to compare them; arrow keys move.";
    const mean = inPoints(state.deck) ? "mean %" : "mean";
    const names = ["rank", "set", "ranks left open", "model", mean, ...(items ? ["items"] : []),
      ...pairHeads(state)];
    const kinds = { "ranks left open": "roomy", model: null, verdict: null };
    head.replaceChildren(...names.map((n) =>
      el("th", { scope: "col", class: n in kinds ? kinds[n] : "num" }, n)));
    table.querySelectorAll("tbody").forEach((b) => b.remove());
    table.append(...rankingBodies(state, items));
    showPicked();
  };
  const showPicked = () => {
    table.querySelectorAll("tr[data-model]").forEach((row) => {
      const slot = state.pair.indexOf(Number(row.dataset.model));
      row.classList.toggle("picked", slot >= 0);
      row.querySelector(".slot").textContent = slot < 0 ? "" : "AB"[slot];
      row.querySelector(".pick").setAttribute("aria-pressed", String(slot >= 0));
    });
    dock.replaceChildren(...dockWords(state));
  };
  const box = scrollBox("Table of the ranking", table);
  box.classList.toggle("tall", state.deck.names.length > 40);
  return { nodes: [box, dock], show, showPicked };
}
