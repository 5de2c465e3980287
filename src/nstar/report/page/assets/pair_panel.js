const ABSURD_ITEMS = 1e9;

/** All numbers of two models, first minus second, in either order. */
function orientedNumbers({ board, view }, a, b) {
  if (a < b) return pairNumbers(board, view, a, b);
  const x = pairNumbers(board, view, b, a);
  return { ...x, mean_a: x.mean_b, mean_b: x.mean_a, delta: -x.delta, t: -x.t,
    ci_low: -x.ci_high, ci_high: -x.ci_low, n10: x.n01, n01: x.n10 };
}

/** Groups of two models, first minus second, in either order; the largest gap first. */
function orientedGroups({ board, view }, g, a, b) {
  const rows = groupNumbers(board, view, g, Math.min(a, b), Math.max(a, b));
  const flipped = ({ delta, ci, mean_a, mean_b, ...rest }) =>
    ({ ...rest, mean_a: mean_b, mean_b: mean_a, delta: -delta, ci: ci && [-ci[1], -ci[0]] });
  const size = (x) => (Number.isNaN(x.delta) ? -Infinity : x.delta);
  return (a < b ? rows : rows.map(flipped)).sort((x, y) => size(y) - size(x));
}

/** Which of two scores more, and on what. */
function pairSentence({ deck, short }, a, b, x) {
  if (!(x.n > 0)) return `${short[a]} and ${short[b]} have no item in common.`;
  const on = `on the ${fmt.items(x.n)} that both have`;
  const gap = fmt.gap(deck, Math.abs(x.delta));
  if (x.delta === 0) return `${short[a]} and ${short[b]} score the same ${on}.`;
  return `${short[a]} scores ${gap} ${x.delta > 0 ? "more" : "less"} than ${short[b]} ${on}.`;
}

/** A verdict in words that do not promise more than it does. */
function verdictMeaning({ deck, view }, x) {
  const power = fmt.percent(view.settings.power);
  const among = view.used === "none" ? "" : " among all pairs";
  return {
    resolved: `Resolved: significant${among}, and a gap of this size would be found again with `
      + `at least ${power} probability.`,
    "significant only": "Significant only: more than chance explains, but another benchmark of "
      + `this size would find such a gap again with less than ${power} probability.`,
    equivalent: "Equivalent: the gap was shown to lie within "
      + `±${fmt.gap(deck, view.settings.margin)}, the margin declared in advance.`,
    unresolved: "Unresolved: these items do not tell the two apart; that is no evidence that "
      + "they are equal.",
  }[x.verdict];
}

/** What would settle a pair. */
function pairAdvice({ deck, view }, x) {
  if (x.verdict === "resolved" || x.verdict === "equivalent") return "Nothing more is needed.";
  if (!(x.n > 0)) return "";
  const { delta0 } = view.settings;
  if (!(x.more_items <= ABSURD_ITEMS)) {
    return "No number of items is advice here: the gap as seen is too small for any.";
  }
  if (x.more_items === 0) {
    return delta0 === null ? "" : `The items at hand can detect ${fmt.gap(deck, delta0)}.`;
  }
  const cluster = deck.design.kind === "cluster" ? " in new clusters of the same sizes" : "";
  const spread = deck.design.kind === "average" ? " spread over the tasks as now" : "";
  const goal = delta0 === null
    ? "if the gap is really as seen" : `to detect the declared ${fmt.gap(deck, delta0)}`;
  return `${fmt.count(x.more_items)} more items${cluster}${spread} would settle it, ${goal}.`;
}

/** Names and values of a pair. */
function pairFacts(state, x) {
  const { deck, view } = state;
  const level = coverageWords(view.settings.alpha);
  const within = (value, low, high) => `${value} (${low} to ${high})`;
  const known = (value, text) => (Number.isFinite(value) ? text : "–");
  const adjusted = view.used === "none" ? [] : [
    ["Adjusted p", fmt.adjusted(x.p_adjusted, drawsOf(state))],
    ["Adjusted q", fmt.resolution(x.q_adjusted)],
  ];
  return [
    ["Gap, A minus B", fmt.gap(deck, x.delta, { sign: true, column: true })],
    [`${level} interval`, fmt.span(deck, x.ci_low, x.ci_high, { column: true })],
    ["Means", `${known(x.mean_a, fmt.score(deck, x.mean_a))} and `
      + known(x.mean_b, fmt.score(deck, x.mean_b))],
    ["p, this pair alone", known(x.p, fmt.pvalue(x.p))],
    ...adjusted.slice(0, 1),
    ["q, resolution", known(x.q, within(fmt.resolution(x.q), fmt.resolution(x.q_low),
      fmt.resolution(x.q_high)))],
    ...adjusted.slice(1),
    ["N*, items needed", within(fmt.count(x.n_star), fmt.count(x.n_star_low),
      fmt.count(x.n_star_high))],
    ["Smallest detectable gap", fmt.gap(deck, x.mde)],
    ["Item correlation", known(x.rho, fixed(x.rho, 2))],
    ...(x.q_delta0 === null ? [] : [["q at δ₀", fmt.resolution(x.q_delta0)]]),
    ...(x.p_equivalent === null ? [] : [["p of equivalence", fmt.pvalue(x.p_equivalent)]]),
  ];
}

/** The 2×2 table of two models with 0/1 scores. */
function cellsTable({ short }, a, b, x) {
  const row = (name, ...values) => el("tr", null, el("th", { scope: "row" }, name),
    values.map((v) => el("td", { class: "num" }, fmt.count(v))));
  const top = [el("td"), el("th", { scope: "col", class: "num" }, "B right"),
    el("th", { scope: "col", class: "num" }, "B wrong")];
  return el("div", { class: "scroll" }, el("table", { class: "cells" },
    captionEl("Items by who was right"),
    el("thead", null, el("tr", null, top)),
    el("tbody", null, row("A right", x.n11, x.n10), row("A wrong", x.n01, x.n00))),
  el("p", { class: "remark" }, `A: ${short[a]}. B: ${short[b]}.`));
}

/** A gap with its interval, drawn, and what the drawing shows. */
function pairPicture({ deck, view }, x) {
  const span = fmt.span(deck, x.ci_low, x.ci_high);
  const words = `Gap ${fmt.gap(deck, x.delta, { sign: true })}, interval ${span}`;
  const marks = { delta: x.delta, low: x.ci_low, high: x.ci_high, near: x.mde };
  const shade = Number.isFinite(x.mde)
    ? ` Shaded: gaps below ${fmt.gap(deck, x.mde)}, too small for so many items.` : "";
  const unit = inPoints(deck) ? ", pp" : "";
  return el("figure", { class: "picture" }, gapDrawing(deck, marks, words),
    el("figcaption", { class: "remark" }, `A minus B${unit}, with the `
      + `${coverageWords(view.settings.alpha)} interval of this pair alone.${shade}`));
}

/** One group as a row of the forest. */
function groupRow(deck, map, x) {
  const mean = (value) => (Number.isNaN(value) ? "–" : fmt.score(deck, value));
  return el("tr", null,
    el("th", { scope: "row" }, el("div", { class: "clamp" }, shownName(x.label))),
    el("td", null, forestMark(map, x)),
    el("td", { class: "num" }, fmt.gap(deck, x.delta, { sign: true, column: true })),
    el("td", { class: "num" }, x.ci ? fmt.span(deck, x.ci[0], x.ci[1], { column: true }) : "–"),
    el("td", { class: "num" }, mean(x.mean_a)),
    el("td", { class: "num" }, mean(x.mean_b)),
    el("td", { class: "num" }, fmt.count(x.n)));
}

/** Where the gap comes from: all groups of a column on one scale. */
function groupsTable(state, g, a, b) {
  const { deck, view } = state;
  const rows = orientedGroups(state, g, a, b);
  const map = gapScale(rows.flatMap((x) => [x.delta, ...(x.ci ?? [])]), 4, 196);
  const level = coverageWords(view.settings.alpha);
  const heads = [["group", null], ["A minus B", null], ["gap", "num"],
    [`${level} interval`, "num"], ["A", "num"], ["B", "num"], ["items", "num"]];
  const note = rows.some((x) => x.ci)
    ? "Each group alone; intervals are not adjusted for how many there are."
    : "Means of each group; this page has no room for their intervals.";
  const by = shownName(deck.groups[g].column);
  return scrollBox("Table of groups", el("table", null,
    captionEl(`By ${by}, largest lead of A first. ${note}`),
    el("thead", null, el("tr", null,
      heads.map(([h, kind]) => el("th", { scope: "col", class: kind }, h)))),
    el("tbody", null, rows.map((x) => groupRow(deck, map, x)))));
}

/** A list of all models to choose from. */
function modelChoice(state, slot, choose) {
  const id = `model-${"ab"[slot]}`;
  const options = state.deck.names.map((name, k) =>
    el("option", { value: k }, `${state.short[k]} · rank ${fmt.count(state.ranks[k])}`));
  const list = el("select", { id }, options);
  list.addEventListener("change", () => choose(slot, Number(list.value)));
  const label = el("label", { for: id }, slot ? "B, the second" : "A, the first");
  const show = () => { list.value = String(state.pair[slot]); };
  return { node: el("div", { class: "field" }, label, list), show };
}

/** A list of group columns, if there are several. */
function columnChoice(state, change) {
  const id = "group-column";
  const list = el("select", { id }, state.deck.groups.map((g, k) =>
    el("option", { value: k }, shownName(g.column))));
  list.addEventListener("change", () => change(Number(list.value)));
  return el("div", { class: "row" }, el("div", { class: "field" },
    el("label", { for: id }, "Groups by"), list));
}

/** Two models side by side. */
function pairPanel(state, choose) {
  const lists = [0, 1].map((slot) => modelChoice(state, slot, (at, model) => {
    const other = model === state.pair[1 - at] ? state.pair[at] : state.pair[1 - at];
    choose(at ? [other, model] : [model, other]);
  }));
  const swap = el("button", { type: "button" }, "Swap");
  swap.addEventListener("click", () => choose([state.pair[1], state.pair[0]]));
  const found = el("div", { id: "pair-found" });
  const groups = el("div", { id: "pair-groups" });
  let column = 0;
  const showGroups = () => {
    if (!state.deck.groups.length) return;
    groups.replaceChildren(groupsTable(state, column, ...state.pair));
  };
  const show = () => {
    const [a, b] = state.pair;
    const x = orientedNumbers(state, a, b);
    lists.forEach((l) => l.show());
    const facts = pairFacts(state, x).map(([name, value]) =>
      el("div", null, el("dt", null, name), el("dd", null, value)));
    const mark = verdictMark(VERDICT_WORDS.indexOf(x.verdict));
    const words = el("div", { role: "status" },
      el("p", { class: "answer" }, pairSentence(state, a, b, x)),
      el("p", { class: "prose", id: "pair-verdict" }, mark,
        `${verdictMeaning(state, x)} ${pairAdvice(state, x)}`));
    const cells = x.n11 === null ? null : cellsTable(state, a, b, x);
    found.replaceChildren(words, el("div", { class: "sides" },
      el("div", null, pairPicture(state, x), cells), el("dl", { class: "values" }, facts)));
    showGroups();
  };
  const several = state.deck.groups.length > 1
    ? [columnChoice(state, (k) => { column = k; showGroups(); })] : [];
  const origin = state.deck.groups.length ? [el("h3", null, "Where the gap comes from")] : [];
  const nodes = [el("div", { class: "choice" }, lists.map((l) => l.node), swap), found,
    ...origin, ...several, groups];
  return { nodes, show };
}
