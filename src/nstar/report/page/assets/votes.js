// Ratings from votes: the table as it was written, to be sorted and searched.

const NO_NUMBER = /^[^\d∞]*$/;
const LONG_TABLE = 60;

/** What a cell is sorted by: its first number, or its words; nothing if it is empty. */
function cellKey(text) {
  const plain = text.replace(/,/g, "").replace(/−/g, "-").trim();
  if (plain === "" || plain === "–") return null;
  if (plain.includes("×") || plain === "∞") return Infinity;
  return Number.parseFloat(plain.replace(/^[^\d.-]+/, ""));
}

/** Keys of a column: numbers if all its cells have one, words otherwise. */
function columnKeys(cells, words) {
  const texts = cells.map((cell) => cell.textContent);
  return words ? texts.map((t) => t || null) : texts.map(cellKey);
}

/** An order of rows by their keys; empty ones come last, equal ones stay as they were. */
function sortedRows(keys, falling) {
  const sign = falling ? -1 : 1;
  return keys.map((_, k) => k).sort((i, j) => {
    const [a, b] = [keys[i], keys[j]];
    if (a === null || b === null) return (a === null) - (b === null) || i - j;
    if (typeof a === "string") return sign * a.localeCompare(b, "en") || i - j;
    return sign * (a < b ? -1 : Number(a > b)) || i - j;
  });
}

/** Buttons in the head of a table; the first column, as it was written, is in order. */
function sortable(table, rows) {
  const heads = [...table.tHead.rows[0].cells];
  const lines = rows.map((row) => row.classList.contains("line"));
  const sortBy = (k, falling) => {
    const cells = rows.map((row) => row.cells[k]);
    const words = cells.every((cell) => NO_NUMBER.test(cell.textContent)) || k === 1;
    const order = k === 0 && !falling ? rows.map((_, i) => i)
      : sortedRows(columnKeys(cells, words), falling);
    table.tBodies[0].append(...order.map((i) => rows[i]));
    rows.forEach((row, i) => row.classList.toggle("line", lines[i] && k === 0 && !falling));
    heads.forEach((head, i) => {
      head.setAttribute("aria-sort", i === k ? (falling ? "descending" : "ascending") : "none");
    });
  };
  heads.forEach((head, k) => {
    const button = el("button", { type: "button", class: "sort" }, head.textContent);
    const first = head.classList.contains("num") && k > 0;
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sortBy(k, now === "none" ? first : now === "ascending");
    });
    head.replaceChildren(button);
    head.setAttribute("aria-sort", k === 0 ? "ascending" : "none");
  });
}

/** A name as it is searched for. */
function folded(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** A box that leaves only the models whose names hold what is typed. */
function searchBox(rows) {
  const names = rows.map((row) => folded(row.cells[1].textContent));
  const box = el("input", { type: "search", id: "wanted", autocomplete: "off", spellcheck: "false" });
  const said = el("p", { class: "remark", role: "status" });
  box.addEventListener("input", () => {
    const words = folded(box.value).trim().split(/\s+/);
    let shown = 0;
    rows.forEach((row, k) => {
      row.hidden = !words.every((word) => names[k].includes(word));
      shown += row.hidden ? 0 : 1;
    });
    said.textContent = shown === rows.length ? "" : `${fmt.count(shown)} of ${fmt.count(rows.length)} models.`;
  });
  const label = el("label", { for: "wanted" }, `Search ${fmt.count(rows.length)} models`);
  return el("div", { class: "filters" }, el("div", { class: "field wide" }, label, box), said);
}

/** Start what the page offers beyond what is written. */
function openVotes() {
  startCopying();
  const table = document.querySelector("#ratings table");
  const rows = [...table.tBodies[0].rows];
  sortable(table, rows);
  const box = document.querySelector("#ratings .scroll");
  box.before(searchBox(rows));
  box.classList.toggle("tall", rows.length > LONG_TABLE);
  document.documentElement.dataset.ready = "true";
}

openVotes();
