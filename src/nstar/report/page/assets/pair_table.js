const PAGE_ROWS = 50;

/** Both models of every pair, in the order of pairs. */
function pairEnds({ models, size }) {
  const [first, second] = [new Uint16Array(size), new Uint16Array(size)];
  for (let i = 0, k = 0; i < models; i += 1) {
    for (let j = i + 1; j < models; j += 1, k += 1) {
      first[k] = i;
      second[k] = j;
    }
  }
  return { first, second };
}

/** Resolution ratio of every pair in its family, to sort by. */
function familyQ({ board, view }) {
  const rules = { alpha: view.threshold, power: view.settings.power };
  if (board.deck.kind === "counts") {
    const rule = mcnemarRule(rules);
    const { gap2 } = board.deck.pairs;
    return (k) => {
      const [n, gap] = [board.n[k], Math.abs(board.delta[k])];
      return board.se[k] > 0 ? n / mcnemarNeeded(gap, gap2[k] / n, rule) : NaN;
    };
  }
  // sign flips need so many items however large the gap: beyond that q is the same
  const least = board.deck.design.kind === "independent" ? leastGraded(rules) : 0;
  const enough = least ? reachOf(least - 1, rules) / Math.sqrt(least) : Infinity;
  return (k) => {
    const size = Math.min(Math.abs(board.t[k]), enough * Math.sqrt(board.n[k]));
    return board.se[k] > 0 ? size / reachOf(someOrInfinite(board.df[k]), rules) : NaN;
  };
}

/** Lower end of the adjusted interval of every pair, to sort by. */
function lowerEnd({ board, deck, view }, { first, second }) {
  if (deck.kind !== "counts") {
    const reach = remembered((alpha) => remembered(studentReach(alpha)));
    return (k) => adjustedInterval(deck, pairOf(board, first[k], second[k]), view, reach)[0];
  }
  const z = remembered(zOf);
  return (k) => {
    if (!(board.n[k] > 0)) return NaN;
    const { n10, n01 } = cellsOfPair(deck, first[k], second[k], k);
    const pair = { delta: board.delta[k], p: board.p[k] };
    const low = tangoLimit(n10, n01, board.n[k], z(adjustedLevel(pair, view)));
    return alignWithTest([Math.max(low, -1), Infinity], pair, view)[0];
  };
}

/** Columns: name, what a pair is sorted by, whether large values come first. */
function pairColumns(state, ends) {
  const { board, deck, view } = state;
  const heads = pairHeads(state);
  const several = typeof deck.pairs.n !== "number";
  return [
    { name: "first", key: (k) => ends.first[k] },
    { name: "second", key: (k) => ends.second[k] },
    ...(several ? [{ name: "items", key: (k) => board.n[k], falling: true, num: true }] : []),
    { name: heads[0], id: "gap", key: (k) => board.delta[k], falling: true, num: true },
    { name: heads[1], id: "interval", key: lowerEnd(state, ends), falling: true, num: true },
    { name: heads[2], id: "p", key: (k) => adjustedP(board, view, k), num: true },
    { name: heads[3], id: "q", key: familyQ(state), falling: true, num: true },
    { name: "verdict", key: (k) => verdictCode(board, view, ends.first[k], ends.second[k], k) },
  ];
}

/** Which models have which words in their names. */
function nameMatches(deck, text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const names = deck.names.map((n) => n.toLowerCase());
  return words.map((word) => names.map((n) => n.includes(word)));
}

/** Whether a pair passes: every word in either name, verdict, size of the gap. */
function passesFilter({ deck, board, view }, ends, wanted) {
  const words = nameMatches(deck, wanted.text);
  const [low, high] = [wanted.least ?? 0, wanted.most ?? Infinity];
  const bounded = wanted.least !== null || wanted.most !== null;
  return (k) => {
    const size = Math.abs(board.delta[k]);
    if (bounded && !(size >= low && size <= high)) return false;
    if (!words.every((has) => has[ends.first[k]] || has[ends.second[k]])) return false;
    return wanted.codes === null
      || wanted.codes.has(verdictCode(board, view, ends.first[k], ends.second[k], k));
  };
}

/** All pairs in the order of a column; what has no value comes last, equals stay as ranked. */
function sortedPairs(size, key, rising) {
  const [keys, order] = [new Float64Array(size), new Uint32Array(size)];
  for (let k = 0; k < size; k += 1) {
    const value = key(k);
    keys[k] = Number.isNaN(value) ? Infinity : rising ? value : -value;
    order[k] = k;
  }
  return order.sort((a, b) => keys[a] - keys[b] || a - b);
}

/** Orders of all pairs, each found once as long as the settings stay. */
function knownOrders(state) {
  let [view, orders] = [null, new Map()];
  return ({ key }, { id, rising }) => {
    if (view !== state.view) [view, orders] = [state.view, new Map()];
    const name = `${id} ${rising}`;
    if (!orders.has(name)) orders.set(name, sortedPairs(state.board.size, key, rising));
    return orders.get(name);
  };
}

/** A pair as a row that can be chosen. */
function pairRow(state, a, b, several) {
  const x = pairNumbers(state.board, state.view, a, b);
  const open = el("button", { type: "button", class: "link", "data-a": a, "data-b": b,
    "aria-label": `Compare ${state.short[a]} with ${state.short[b]}` }, state.short[a]);
  return el("tr", { "data-a": a, "data-b": b },
    el("th", { scope: "row" }, open),
    el("td", null, el("div", { class: "clamp" }, state.short[b])),
    several && el("td", { class: "num" }, fmt.count(x.n)),
    pairCellNodes(state, x));
}

/** A text box of the filter. */
function filterBox(id, label, kind, change, wide) {
  const box = el("input", { type: kind, id, autocomplete: "off",
    inputmode: kind === "text" ? "decimal" : null });
  box.addEventListener("input", change);
  const note = el("span", { id: `${id}-note` });
  if (kind === "text") box.setAttribute("aria-describedby", note.id);
  const node = el("div", { class: wide ? "field broad" : "field" },
    el("label", { for: id }, label), box, kind === "text" && note);
  return { node, box, note };
}

/** How a gap is typed: in points, or in units of the score. */
function gapUnits(scale) {
  if (!inPoints(scale)) return { factor: 1, units: {} };
  return { factor: 100, units: { pp: 100, "%": 100 } };
}

/** What was typed, as a number in units of the score; NaN if it is not one, null if nothing. */
function typedNumber(text, { factor, units }) {
  if (text.trim() === "") return null;
  const [, digits, unit] = /^\s*([^\s%p]+)\s*(%|pp)?\s*$/.exec(text) ?? [null, "x"];
  const by = unit ? units[unit] ?? NaN : factor;
  return Number((Number(digits.replace(",", ".")) / by).toPrecision(12));
}

/** The gap typed into a box of the filter, null if none; what is not a gap is marked. */
function boundOf({ box, note }, deck) {
  const value = typedNumber(box.value, gapUnits(deck));
  const wrong = value !== null && !(value >= 0);
  box.setAttribute("aria-invalid", String(wrong));
  note.className = wrong ? "was" : "";
  note.textContent = wrong ? "not a valid gap; ignored" : "";
  return wrong ? null : value;
}

/** Boxes to tick for verdicts. */
function verdictChecks(state, change) {
  const checks = possibleCodes(state.deck.settings).map((code) => {
    const box = el("input", { type: "checkbox", id: `show-${code}`, checked: true });
    box.addEventListener("change", change);
    const label = el("label", { for: `show-${code}` }, verdictMark(code), CHIP_WORDS[code]);
    return { code, box, node: el("div", { class: "check" }, box, label) };
  });
  const node = el("fieldset", { class: "checks" }, el("legend", null, "Verdicts"),
    checks.map((c) => c.node));
  const codes = () => {
    const ticked = checks.filter((c) => c.box.checked);
    return ticked.length === checks.length ? null : new Set(ticked.map((c) => c.code));
  };
  return { node, codes };
}

/** The filter above the table. */
function pairFilter(state, change) {
  const unit = inPoints(state.deck) ? ", pp" : "";
  const text = filterBox("filter-text", "Models with", "search", change, true);
  const least = filterBox("filter-least", `Gap from${unit}`, "text", change);
  const most = filterBox("filter-most", `Gap to${unit}`, "text", change);
  const checks = verdictChecks(state, change);
  const size = (filter) => boundOf(filter, state.deck);
  return {
    node: el("div", { class: "filters" }, text.node, least.node, most.node, checks.node),
    wanted: () =>
      ({ text: text.box.value, least: size(least), most: size(most), codes: checks.codes() }),
  };
}

/** Buttons to turn the pages. */
function pairPager(turn) {
  const button = (words, label, step) => {
    const node = el("button", { type: "button", "aria-label": label }, words);
    node.addEventListener("click", () => turn(step));
    return node;
  };
  const steps = [button("First", "First page", -Infinity), button("Back", "Page before", -1)];
  const more = [button("Next", "Next page", 1), button("Last", "Last page", Infinity)];
  const place = el("span");
  const show = (page, pages) => {
    place.textContent = `Page ${fmt.count(page + 1)} of ${fmt.count(pages)}`;
    steps.forEach((b) => { b.disabled = page === 0; });
    more.forEach((b) => { b.disabled = page + 1 >= pages; });
    node.hidden = pages < 2;
  };
  const node = el("div", { class: "row pager" }, steps, place, more);
  return { node, show };
}

/** Column heads that sort. */
function sortHeads(columns, sort, choose) {
  return columns.map((column) => {
    const id = column.id ?? column.name;
    const kind = column.roomy ? "roomy" : column.num ? "num" : null;
    if (!column.key && !column.text) return el("th", { scope: "col", class: kind }, column.name);
    const button = el("button", { type: "button", class: "sort", "data-column": id }, column.name);
    button.addEventListener("click", () => choose(column, id));
    const way = sort.id !== id ? null : sort.rising ? "ascending" : "descending";
    return el("th", { scope: "col", class: kind, "aria-sort": way }, button);
  });
}

/** How many pairs are shown of how many. */
function shownWords(start, stop, kept, all) {
  if (!kept) return `None of ${fmt.count(all)} pairs match the filter.`;
  const among = kept === all ? "" : ` matching, of ${fmt.count(all)}`;
  return `Pairs ${fmt.count(start + 1)} to ${fmt.count(stop)} of ${fmt.count(kept)}${among}.`;
}

/** All pairs: filtered, sorted, a page at a time, and judged no sooner than they are seen. */
function pairTable(state, choose) {
  const ends = pairEnds(state.board);
  const several = typeof state.deck.pairs.n !== "number";
  const [head, body] = [el("tr"), el("tbody")];
  const caption = captionEl("Pairs of models, first minus second. Pick one to see it above.");
  const table = el("table", { class: "pairs full" }, caption, el("thead", null, head), body);
  const count = el("p", { class: "remark", id: "pair-count", role: "status" });
  const orderOf = knownOrders(state);
  let [kept, page, sort] = [new Uint32Array(), 0, { id: "first", rising: true }];

  const showPage = () => {
    const pages = Math.max(Math.ceil(kept.length / PAGE_ROWS), 1);
    page = Math.min(Math.max(page, 0), pages - 1);
    const start = page * PAGE_ROWS;
    const rows = kept.slice(start, start + PAGE_ROWS);
    body.replaceChildren(...Array.from(rows, (k) =>
      pairRow(state, ends.first[k], ends.second[k], several)));
    count.textContent = shownWords(start, start + rows.length, kept.length, state.board.size);
    pager.show(page, pages);
  };
  const arrange = () => {
    const columns = pairColumns(state, ends);
    const column = columns.find((c) => (c.id ?? c.name) === sort.id);
    kept = orderOf(column, sort).filter(passesFilter(state, ends, filter.wanted()));
    const focused = document.activeElement?.dataset?.column;
    head.replaceChildren(...sortHeads(columns, sort, (chosen, id) => {
      sort = { id, rising: sort.id === id ? !sort.rising : !chosen.falling };
      page = 0;
      arrange();
    }));
    [...head.querySelectorAll("button")].find((b) => b.dataset.column === focused)?.focus();
    showPage();
  };
  const filter = pairFilter(state, () => { page = 0; arrange(); });
  const pager = pairPager((step) => { page += step; showPage(); });
  table.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-a]");
    if (row) choose([Number(row.dataset.a), Number(row.dataset.b)]);
  });
  const nodes = [filter.node, count, scrollBox("Table of pairs", table), pager.node];
  return { nodes, show: whenSeen(count, arrange) };
}
