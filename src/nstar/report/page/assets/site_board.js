// The ranking of a benchmark: sorted by any column, searched, shown some rows at a time.
// Rows beyond those on the page are fetched before the first sort or search, so both cover all.

const BOARD_STEP = 100;
const DOWN_FIRST = /^(?:mean|items|gap|q\b|adj\. q)/;

/** What a cell is sorted by: a number; null if it has none. */
function cellNumber(text) {
  if (text === "∞") return Infinity;
  const plain = text.replaceAll("−", "-").replace(/[,<>+]/g, "");
  const value = Number.parseFloat(plain);
  return Number.isNaN(value) ? null : value;
}

/** What a row is sorted by in a column: a name, the place of a verdict, or a number. */
function sortKey(row, column, last) {
  const text = row.texts[column];
  if (column === 2) return row.key;
  if (column === last) return text ? VERDICT_WORDS.indexOf(text) : null;
  return cellNumber(text);
}

/** Order of two keys; those that are not there come last either way. */
function compareKeys(a, b, sign) {
  if (a === null || b === null) return (a === null) - (b === null);
  if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
  return sign * (a - b || 0);
}

/** A row that stands on the page. */
function rowOnPage(node) {
  const cells = [...node.children];
  const texts = cells.map((cell, k) =>
    (k === 2 ? cell.querySelector("a") : cell).textContent);
  return { texts, key: searchable(texts[2]), node: () => node };
}

/** A row of the file; `next` is the address and name of the model below. */
function rowOfFile([id, name, line, flags, rank, ranks, ...others], next) {
  const texts = [rank, ranks, name, ...others];
  let made = null;
  const node = () => {
    made ??= boardRow({ id, name, line, flags, texts }, next);
    return made;
  };
  return { texts, key: searchable(name), node };
}

/** The cell of a column of a fetched row. */
function boardCell(row, column, next) {
  const last = row.texts.length - 1;
  const text = row.texts[column];
  if (column === 2) {
    return el("th", { scope: "row" },
      el("a", { href: `m/${row.id}.html` }, shownName(row.name, 60)),
      row.flags.map((flag) => el("small", { class: "flag" }, flag)));
  }
  if (column === last) return el("td", null, text ? verdictWord(text, text) : null);
  const link = column === last - 4 && next
    ? el("a", { href: pairLink([row.id, row.name], next) }, text) : text;
  return el("td", { class: column > last - 4 ? "num roomy" : "num" }, link);
}

/** A fetched row as the page has those that were there. */
function boardRow(row, next) {
  return el("tr", { class: row.line ? "line" : null },
    row.texts.map((_, column) => boardCell(row, column, next)));
}

/** Rows of the file, in rank order. */
async function restOfBoard(data) {
  const bytes = await siteBytes(`ranks-${data.keys.audit}.bin`);
  const rows = JSON.parse(new TextDecoder().decode(bytes));
  return rows.map((row, k) => rowOfFile(row, rows[k + 1]?.slice(0, 2)));
}

/** Rows that match what is searched, in the order asked for. */
function wantedRows({ rows, column, down, query, last }) {
  const words = searchable(query).trim().split(/\s+/);
  const found = rows.filter(({ key }) => words.every((word) => key.includes(word)));
  if (column === 0) return down ? found.reverse() : found;
  const keys = new Map(found.map((row) => [row, sortKey(row, column, last)]));
  return found.sort((a, b) => compareKeys(keys.get(a), keys.get(b), down ? -1 : 1));
}

/** How many rows there are to see, in words. */
function boardWords({ query, models, room }, found) {
  const shown = Math.min(found, room);
  const all = fmt.count(models);
  if (query.trim()) {
    if (!found) return "No model has that in its name.";
    const seen = shown < found ? `, ${fmt.count(shown)} shown` : "";
    return `${fmt.count(found)} of ${all} models${seen}.`;
  }
  if (shown < models) return `The first ${fmt.count(shown)} of ${all} models.`;
  return models > BOARD_STEP ? `All ${all} models.` : "";
}

/** Show what the state asks for. */
function showBoard(state) {
  const found = wantedRows(state);
  const { body, more, shown, room, heads, column, down } = state;
  body.replaceChildren(...found.slice(0, room).map((row) => row.node()));
  heads.forEach((head, k) => {
    if (k === column) head.setAttribute("aria-sort", down ? "descending" : "ascending");
    else head.removeAttribute("aria-sort");
  });
  body.parentNode.classList.toggle("resorted", column !== 0 || down || state.query.trim() !== "");
  more.hidden = found.length <= room;
  shown.textContent = boardWords(state, found.length);
}

/** Change what is asked for; all rows are there before it is answered. */
async function askBoard(state, change) {
  Object.assign(state, change);
  state.turn += 1;
  const { turn } = state;
  try {
    if (state.rows.length < state.models) {
      const rest = await state.load();
      if (state.rows.length < state.models) state.rows.push(...rest);
    }
    if (turn === state.turn) showBoard(state);
  } catch {
    state.shown.textContent = `The rest could not be fetched; ${fetchMend()}.`;
  }
}

/** Buttons in the heads of the columns. */
function sortButtons(state) {
  state.heads.forEach((head, k) => {
    const first = DOWN_FIRST.test(head.textContent);
    const button = el("button", { type: "button", class: "sort" }, head.textContent);
    button.addEventListener("click", () => {
      const down = state.column === k ? !state.down : first;
      askBoard(state, { column: k, down, room: BOARD_STEP });
    });
    head.replaceChildren(button);
  });
  state.heads[0].setAttribute("aria-sort", "ascending");
}

/** The ranking of a benchmark. */
function liveBoard(data) {
  const [table, more, shown, search, wanted] = ["ranking-table", "more", "shown", "search",
    "wanted"].map((id) => document.getElementById(id));
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const state = { body, heads, more, shown, models: data.models, last: heads.length - 1,
    rows: [...body.rows].map(rowOnPage), column: 0, down: false, query: "", room: BOARD_STEP,
    turn: 0, load: asked(() => restOfBoard(data)) };
  sortButtons(state);
  wanted.addEventListener("input", () =>
    askBoard(state, { query: wanted.value, room: BOARD_STEP }));
  more.addEventListener("click", () => askBoard(state, { room: state.room + BOARD_STEP }));
  search.hidden = false;
  more.hidden = state.rows.length >= data.models;
}
