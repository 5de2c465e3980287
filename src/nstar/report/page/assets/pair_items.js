// From a pair down to its items: which of them only one of the two solved, by group, with ids.

const FIRST_ITEMS = 60;

/** A reader of one model's scores: 0 or 1, or a score of the scale; NaN where there is none. */
function itemScores({ items, limits }, model) {
  const { count, right, there, steps } = items;
  if (steps) return (k) => scoreOfStep(limits, steps[model * count + k]);
  const row = model * Math.ceil(count / 8);
  const bit = (bits, k) => (bits[row + (k >> 3)] >> (k & 7)) & 1;
  return (k) => (there && !bit(there, k) ? NaN : bit(right, k));
}

/** Items on which two models differ, those of the first and those of the second, widest first. */
function itemGaps(deck, a, b) {
  const [first, second] = [itemScores(deck, a), itemScores(deck, b)];
  const found = [[], []];
  for (let k = 0; k < deck.items.count; k += 1) {
    const gap = (first(k) - second(k)) * deck.better;
    if (gap > 0) found[0].push({ k, gap });
    else if (gap < 0) found[1].push({ k, gap: -gap });
  }
  return found.map((side) => side.sort((x, y) => y.gap - x.gap || x.k - y.k));
}

/** Items by group, the group with most of them first; one group where there is no column. */
function byGroup(items, column, side) {
  const groups = items.groups[column];
  const parts = new Map();
  side.forEach((item) => {
    const label = groups ? groups.labels[groups.codes[item.k]] : "";
    if (!parts.has(label)) parts.set(label, []);
    parts.get(label).push(item);
  });
  return [...parts].sort(([, x], [, y]) => y.length - x.length);
}

/** One item: its id, and both scores where they are not just right and wrong. */
function itemNode(deck, { a, b }, { k }) {
  const id = el("code", null, shownName(deck.items.ids[k], 60));
  if (!deck.items.steps) return el("li", null, id);
  const scores = [a, b].map((model) => general(itemScores(deck, model)(k), 3));
  return el("li", null, id, ` ${scores.join(" and ")}`);
}

/** Items of one side in a list by group; the first of them, until all are asked for. */
function itemList(deck, pair, column, side, all) {
  let room = all ? Infinity : FIRST_ITEMS;
  return byGroup(deck.items, column, side).map(([label, items]) => {
    const shown = items.slice(0, Math.max(room, 0));
    room -= items.length;
    return el("div", { class: "item-group" },
      label && el("h5", null, `${shownName(label)} (${fmt.count(items.length)})`),
      shown.length > 0 && el("ul", { class: "items" }, shown.map((x) => itemNode(deck, pair, x))));
  });
}

/** One side: its title, its items by group, and a button for all of them. */
function itemSide(state, pair, column, side, title) {
  const list = el("div");
  const fill = (all) =>
    list.replaceChildren(...itemList(state.deck, pair, column, side, all));
  const more = el("button", { type: "button" }, `Show all ${fmt.count(side.length)}`);
  more.hidden = side.length <= FIRST_ITEMS;
  more.addEventListener("click", () => {
    fill(true);
    more.hidden = true;
  });
  fill(false);
  return el("div", { class: "item-side" },
    el("h4", null, `${title}: ${fmt.items(side.length)}`), list, more);
}

/** Why there are no items to show; null if there are. */
function itemsMissingWhy({ items, design }) {
  if (!items && design && design.kind !== "average") {
    return "Scores that are corrected or weighted are of all items together; one item has none.";
  }
  if (!items) return "An average has no items of its own: open the page of one task to see them.";
  if (items.ids) return null;
  return `The scores of ${fmt.items(items.count)} were left out to keep this page small; `
    + "nstar compare A B --list gained --out FILE writes them.";
}

/** Items that only one of two models solved. */
function itemsPanel(state, { titled = true } = {}) {
  const why = itemsMissingWhy(state.deck);
  const framed = (...nodes) => (titled ? [el("details", { class: "fold" },
    el("summary", null, "Item by item"), el("div", { class: "inside" }, nodes))] : nodes);
  if (why) return { nodes: framed(el("p", { class: "remark" }, why)), show: () => {} };
  const { items } = state.deck;
  const sides = el("div", { class: "sides pair-items" });
  let column = 0;
  const fill = () => {
    const [a, b] = state.pair;
    const found = itemGaps(state.deck, a, b);
    const titles = [a, b].map((k) => (items.steps ? `${state.short[k]} is ahead`
      : `Only ${state.short[k]} ${state.deck.better > 0 ? "is right" : "has the better score"}`));
    sides.replaceChildren(...found.map((side, k) =>
      itemSide(state, { a, b }, column, side, titles[k])));
  };
  const list = el("select", { "aria-label": "Items by" }, items.groups.map((g, k) =>
    el("option", { value: k }, shownName(g.column))));
  list.addEventListener("change", () => {
    column = Number(list.value);
    fill();
  });
  let last = "";
  const show = () => {
    if (last === String(state.pair)) return;
    last = String(state.pair);
    fill();
  };
  const several = items.groups.length > 1 ? [el("div", { class: "row" },
    el("div", { class: "field" }, el("span", { class: "remark" }, "Items by"), list))] : [];
  return { nodes: framed(...several, sides), show };
}
