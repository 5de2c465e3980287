// A table of models that Python wrote: sorted, searched, filtered, and some rows at a time.

const ROW_STEP = 100;

/** What a cell is sorted by: its first number; null if it has none. */
function cellNumber(text) {
  if (text.startsWith("over") || text === "∞") return Infinity;
  if (text === "enough") return 0;
  const value = Number.parseFloat(text.replaceAll("−", "-").replace(/[,<>+≤→\s]/g, ""));
  return Number.isNaN(value) ? null : value;
}

/** Order of two keys; those that are not there come last either way. */
function compareKeys(a, b, sign) {
  const [lost, missing] = [a, b].map((x) => x === null || Number.isNaN(x));
  if (lost || missing) return lost - missing;
  if (typeof a === "string") return sign * a.localeCompare(b, "en", { numeric: true });
  return sign * (a > b ? 1 : a < b ? -1 : 0);
}

/** Heads that sort. */
function modelHeads(table, choose) {
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

/** Boxes that filter the models by name and by verdict. */
function modelsFilter(codes, change) {
  const box = el("input", { type: "search", id: "find-model", autocomplete: "off",
    spellcheck: "false" });
  const list = el("select", { id: "find-verdict" }, el("option", { value: "" }, "all"),
    codes.map((code) => el("option", { value: code }, CHIP_WORDS[code])));
  box.addEventListener("input", change);
  list.addEventListener("change", change);
  const count = el("span", { class: "remark", id: "model-count", role: "status" });
  const node = el("div", { class: "filters" },
    el("div", { class: "field broad" }, el("label", { for: box.id }, "Find a model"), box),
    el("div", { class: "field" }, el("label", { for: list.id }, "Verdict"), list), count);
  const wanted = () => ({
    words: searchable(box.value).split(/\s+/).filter(Boolean),
    code: list.value === "" ? null : Number(list.value),
  });
  return { node, count, wanted };
}

/** Places of the models that are wanted, in order; equals stay as ranked. */
function keptModels({ rows, key, verdict }, { words, code }, { column, falling }) {
  const found = rows.map((_, k) => k).filter((k) =>
    words.every((word) => rows[k].key.includes(word)) && (code === null || verdict(k) === code));
  if (column === 0) return falling ? found.reverse() : found;
  const keys = new Map(found.map((k) => [k, key(column, k)]));
  return found.sort((i, j) => compareKeys(keys.get(i), keys.get(j), falling ? -1 : 1) || i - j);
}

/** A row that stands on the page. */
function rowOnPage(node) {
  const name = node.cells[1].querySelector("a")?.textContent ?? node.cells[1].textContent;
  node.append(unfoldCell(node, name));
  return { key: searchable(name), node: () => node, text: (k) => node.cells[k].textContent };
}

/** Sort and filter the rows of `source`; `paint` fills a row, `load` fetches those not here. */
function modelsTable(table, source, { codes, total = source.rows.length, paint, load }) {
  const { rows } = source;
  const state = { column: 0, falling: false, room: ROW_STEP, turn: 0 };
  const more = el("button", { type: "button", id: "more-models" }, "Show more");
  const show = () => {
    const wanted = filter.wanted();
    const kept = keptModels(source, wanted, state);
    heads.forEach((head, k) => head.setAttribute("aria-sort",
      k !== state.column ? "none" : state.falling ? "descending" : "ascending"));
    const shown = kept.slice(0, state.room);
    table.tBodies[0].replaceChildren(...shown.map((k) => {
      paint?.(rows[k].node(), k);
      return rows[k].node();
    }));
    const isWhole = !wanted.words.length && wanted.code === null;
    table.classList.toggle("resorted", state.column !== 0 || state.falling || !isWhole);
    const most = isWhole ? total : kept.length;
    more.hidden = most <= shown.length;
    filter.count.textContent = isWhole && more.hidden ? ""
      : `${fmt.count(isWhole ? shown.length : kept.length)} of ${fmt.count(total)} models`;
  };
  const ask = async (change) => {
    Object.assign(state, change);
    state.turn += 1;
    const { turn } = state;
    try {
      if (rows.length < total) {
        const rest = await load();
        if (rows.length < total) rows.push(...rest);
      }
      if (turn === state.turn) show();
    } catch {
      filter.count.textContent = `The rest could not be fetched; ${fetchMend()}.`;
    }
  };
  const filter = modelsFilter(codes, () => ask({ room: ROW_STEP }));
  const heads = modelHeads(table, (column) => {
    const first = column > 1 && heads[column].classList.contains("num");
    ask({ column, falling: state.column === column ? !state.falling : first, room: ROW_STEP });
  });
  table.tHead.rows[0].append(el("td", { class: "unfold" }));
  table.classList.add("live");
  more.addEventListener("click", () => ask({ room: state.room + ROW_STEP }));
  table.before(filter.node);
  table.after(el("div", { class: "row" }, more));
  return { heads, show };
}

/** A table whose cells say all that it is sorted by. */
function startModels(table, { more = {} } = {}) {
  const rows = [...table.tBodies[0].rows].map(rowOnPage);
  const last = [...table.tHead.rows[0].cells].findIndex((c) => c.classList.contains("verdict"));
  const verdict = (k) => CHIP_WORDS.indexOf(rows[k].text(last));
  const key = (column, k) => {
    if (column === 1) return rows[k].key;
    if (column !== last) return cellNumber(rows[k].text(column));
    return rows[k].text(last) ? verdict(k) : null;
  };
  const codes = [0, 1, 3];
  modelsTable(table, { rows, key, verdict }, { codes, ...more }).show();
}
