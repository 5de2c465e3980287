// The ranking of a benchmark: rows beyond those on the page are fetched before the first sort or
// search, so that both cover all models.

/** The cells of a fetched row, as those on the page. */
function boardCells({ id, name, flags, verdict, words }, heads, next) {
  return heads.map(({ kind, label }, column) => {
    if (column === 1) {
      return el("th", { scope: "row", class: "wrap" },
        el("a", { href: `m/${id}.html` }, shownName(name, 60)),
        flags.map((flag) => el("small", { class: "flag" }, flag)));
    }
    const text = words[column];
    if (kind === "verdict") {
      return el("td", { class: kind }, verdict && verdictChip(VERDICT_WORDS.indexOf(verdict)));
    }
    const link = label.startsWith("Gap") && next
      ? el("a", { href: pairLink([id, name], next) }, text) : text;
    return el("td", { class: kind, "data-label": kind.includes("wide") && label }, link);
  });
}

/** A row of the file; `next` is the address and name of the model below. */
function rowOfFile([id, name, line, flags, verdict, ...texts], heads, next) {
  const words = heads.map(({ kind }, column) => {
    if (column === 1) return name;
    if (kind !== "verdict") return texts.shift();
    return verdict && CHIP_WORDS[VERDICT_WORDS.indexOf(verdict)];
  });
  let made = null;
  const node = () => {
    if (!made) {
      made = el("tr", { class: line ? "line" : null },
        boardCells({ id, name, flags, verdict, words }, heads, next));
      made.append(unfoldCell(made, shownName(name, 60)));
    }
    return made;
  };
  return { key: searchable(name), node, text: (k) => words[k] };
}

/** Rows of the file, in rank order. */
async function restOfBoard(data, heads) {
  const bytes = await siteBytes(`ranks-${data.keys.audit}.bin`);
  const rows = JSON.parse(new TextDecoder().decode(bytes));
  return rows.map((row, k) => rowOfFile(row, heads, rows[k + 1]?.slice(0, 2)));
}

/** The ranking of a benchmark. */
function liveBoard(data) {
  const table = document.querySelector("#ranking table");
  const heads = [...table.tHead.rows[0].cells].map((head) =>
    ({ kind: head.className, label: head.textContent }));
  const load = asked(() => restOfBoard(data, heads));
  startModels(table, { more: { total: data.models, load } });
}
