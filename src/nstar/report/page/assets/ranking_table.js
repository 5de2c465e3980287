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
    el("td", null, verdictChip(code))];
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

const MOST_TIMES = 10;

/** A number with two digits; exact halves go to the even digit, as in Python. */
function roundedItems(n) {
  const whole = Math.ceil(n);
  const step = 10 ** Math.max(String(whole).length - 2, 0);
  return fmt.count(Number(fixed(whole / step, 0)) * step);
}

/** Items that a gap takes in all, as a cell. */
function neededWords({ n, more_items: more }) {
  if (more === 0) return "enough";
  if (!(more <= Math.min((MOST_TIMES - 1) * n, ABSURD_ITEMS))) return `over ${MOST_TIMES}×`;
  return roundedItems(n + more);
}

/** Put what depends on the rules into a row of the table: cells as in audit.py. */
function showRow(state, row, k) {
  const { view, board } = state;
  const cells = row.cells;
  cells[3].textContent = rankSetWords(view.rankLo[k], view.rankHi[k]);
  cells[4].textContent = fmt.count(view.tier[k]);
  row.classList.toggle("line", k > 0 && view.tier[k] !== view.tier[k - 1]);
  if (k + 1 >= state.deck.names.length) return;
  const x = pairNumbers(board, view, k, k + 1);
  cells[6].textContent = pairCells(state, x)[1];
  cells[7].firstChild.replaceWith(verdictChip(view.next[k]));
  cells[8].textContent = neededWords(x);
}

/** What a model is sorted by in a column; NaN comes last. */
function rankingKey({ deck, view, board, short }, column, k) {
  const last = k + 1 >= deck.names.length;
  const next = (value) => (last ? NaN : value(board.index(k, k + 1)));
  return [
    () => k,
    () => short[k].toLowerCase(),
    () => deck.mean[k],
    () => view.rankHi[k] - view.rankLo[k],
    () => view.tier[k],
    () => next((at) => board.delta[at] * deck.better),
    () => next((at) => board.delta[at] * deck.better),
    () => next(() => view.next[k]),
    () => next(() => pairNumbers(board, view, k, k + 1).more_items),
  ][column]();
}

/** The gap as a button that compares the two models. */
function gapButton(state, k, choose) {
  const button = el("button", { type: "button", class: "link",
    "aria-label": `Compare ${state.short[k]} with ${state.short[k + 1]}` });
  button.addEventListener("click", () => choose([k, k + 1]));
  return button;
}

/** The table of models, which Python wrote, by the rules of the moment. */
function rankingTable(state, choose) {
  const table = document.querySelector("#ranking table");
  const rows = [...table.tBodies[0].rows].map((row, k) => {
    if (k + 1 < state.deck.names.length) {
      const button = gapButton(state, k, choose);
      button.append(...row.cells[5].childNodes);
      row.cells[5].append(button);
    }
    row.append(unfoldCell(row, state.short[k]));
    return { key: searchable(state.deck.names[k]), node: () => row };
  });
  const source = { rows, key: (column, k) => rankingKey(state, column, k),
    verdict: (k) => state.view.next[k] };
  const { heads, show } = modelsTable(table, source,
    { codes: possibleCodes(state.deck.settings), paint: (row, k) => showRow(state, row, k) });
  return {
    nodes: [],
    show: () => {
      state.reach = remembered((alpha) => remembered(studentReach(alpha)));
      heads[6].firstChild.textContent = pairHeads(state)[1].replace(/^./, (c) => c.toUpperCase());
      show();
    },
  };
}
