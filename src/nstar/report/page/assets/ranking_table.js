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

const FIRST_ROWS = 50;
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
  const rising = state.sort.column === 0 && !state.sort.falling;
  row.classList.toggle("line", rising && k > 0 && view.tier[k] !== view.tier[k - 1]);
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

/** Models in the order of a column; equals stay as ranked, what has no value comes last. */
function sortedModels(state, { column, falling }) {
  const keys = state.deck.names.map((_, k) => rankingKey(state, column, k));
  const way = falling ? -1 : 1;
  return keys.map((_, k) => k).sort((i, j) => {
    const [a, b] = [keys[i], keys[j]];
    if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b) || i - j;
    return way * ((a > b) - (a < b)) || i - j;
  });
}

/** Columns whose large values come first: score, gap and interval, items needed. */
const FALLING_FIRST = [2, 5, 6, 8];

/** Heads that sort. */
function rankingHeads(table, choose) {
  return [...table.tHead.rows[0].cells].map((head, column) => {
    const button = el("button", { type: "button", class: "sort", "data-column": column },
      head.textContent);
    button.addEventListener("click", () => choose(column));
    head.replaceChildren(button);
    return head;
  });
}

/** A button that opens the rest of a row in a narrow window. */
function unfoldCell(row, name) {
  const button = el("button", { type: "button", class: "tap", "aria-expanded": "false",
    "aria-label": `Details of ${name}` });
  button.addEventListener("click", () => {
    button.setAttribute("aria-expanded", String(row.classList.toggle("open")));
  });
  return el("td", { class: "unfold" }, button);
}

/** The gap as a button that compares the two models. */
function gapButton(state, k, choose) {
  const button = el("button", { type: "button", class: "link",
    "aria-label": `Compare ${state.short[k]} with ${state.short[k + 1]}` });
  button.addEventListener("click", () => choose([k, k + 1]));
  return button;
}

/** Boxes that filter the models by name and by verdict. */
function rankingFilter(state, change) {
  const box = el("input", { type: "search", id: "find-model", autocomplete: "off" });
  const codes = possibleCodes(state.deck.settings);
  const list = el("select", { id: "find-verdict" }, el("option", { value: "" }, "all"),
    codes.map((code) => el("option", { value: code }, CHIP_WORDS[code])));
  box.addEventListener("input", change);
  list.addEventListener("change", change);
  const count = el("span", { class: "remark", id: "model-count", role: "status" });
  const node = el("div", { class: "filters" },
    el("div", { class: "field broad" }, el("label", { for: box.id }, "Find a model"), box),
    el("div", { class: "field" }, el("label", { for: list.id }, "Verdict"), list), count);
  const fits = (k) => {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const name = state.deck.names[k].toLowerCase();
    return words.every((word) => name.includes(word))
      && (list.value === "" || state.view.next[k] === Number(list.value));
  };
  return { node, count, fits };
}

/** The table of models, which Python wrote: sorted, filtered, and by the rules of the moment. */
function rankingTable(state, choose) {
  const table = document.querySelector("#ranking table");
  const rows = [...table.tBodies[0].rows];
  const all = rows.length;
  state.sort = { column: 0, falling: false };
  let most = FIRST_ROWS;
  const more = el("button", { type: "button", id: "more-models" });
  const filter = rankingFilter(state, () => show());
  const heads = rankingHeads(table, (column) => {
    const { sort } = state;
    const first = FALLING_FIRST.includes(column);
    state.sort = { column, falling: sort.column === column ? !sort.falling : first };
    show();
  });
  rows.forEach((row, k) => {
    row.append(unfoldCell(row, state.short[k]));
    if (k + 1 === all) return;
    const button = gapButton(state, k, choose);
    button.append(...row.cells[5].childNodes);
    row.cells[5].append(button);
  });
  table.tHead.rows[0].append(el("td", { class: "unfold" }));
  table.classList.add("live");
  more.addEventListener("click", () => {
    most = Infinity;
    show();
  });
  table.before(filter.node);
  table.after(el("div", { class: "row" }, more));
  const show = () => {
    state.reach = remembered((alpha) => remembered(studentReach(alpha)));
    const { sort } = state;
    heads.forEach((head, k) => head.setAttribute("aria-sort",
      k !== sort.column ? "none" : sort.falling ? "descending" : "ascending"));
    heads[6].firstChild.textContent = pairHeads(state)[1].replace(/^./, (c) => c.toUpperCase());
    const kept = sortedModels(state, sort).filter(filter.fits);
    rows.forEach((row) => { row.hidden = true; });
    kept.slice(0, most).forEach((k) => {
      rows[k].hidden = false;
      showRow(state, rows[k], k);
      table.tBodies[0].append(rows[k]);
    });
    filter.count.textContent = kept.length === all ? ""
      : `${fmt.count(kept.length)} of ${fmt.count(all)} models`;
    more.hidden = kept.length <= most;
    more.textContent = `Show all ${fmt.count(kept.length)}`;
  };
  return { nodes: [], show };
}
