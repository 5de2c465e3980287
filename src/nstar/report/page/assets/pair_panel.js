const ABSURD_ITEMS = 1e9;

/** All numbers of two models, first minus second, in either order. */
function orientedNumbers({ board, view }, a, b) {
  if (a < b) return pairNumbers(board, view, a, b);
  const x = pairNumbers(board, view, b, a);
  return { ...x, mean_a: x.mean_b, mean_b: x.mean_a, delta: -x.delta, t: -x.t,
    ci_adjusted_low: -x.ci_adjusted_high, ci_adjusted_high: -x.ci_adjusted_low,
    ci_unadjusted_low: -x.ci_unadjusted_high, ci_unadjusted_high: -x.ci_unadjusted_low,
    n10: x.n01, n01: x.n10 };
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
  if (!(x.n > 0)) return `${short[a]} and ${short[b]} have no shared items.`;
  const on = `on the ${fmt.count(x.n)} shared items`;
  const gap = fmt.gap(deck, Math.abs(x.delta));
  if (x.delta === 0) return `${short[a]} and ${short[b]} have the same mean score ${on}.`;
  return `${short[a]} scores ${gap} ${x.delta > 0 ? "above" : "below"} ${short[b]} ${on}.`;
}

/** Whether a gap was seen of which nobody knows how far it is off. */
function isUnmeasured(x) {
  return Number.isNaN(x.se) || (x.se === 0 && x.delta !== 0);
}

/** Whether verdicts allow for other pairs; a pair without others is judged alone. */
function isAdjusted(view) {
  return view.used !== "none" && view.pairs !== 1;
}

/** The pairs that a verdict allows for, and how many, where a view tells. */
function allPairs({ pairs }) {
  return pairs === undefined ? "all pairs" : `all ${fmt.count(pairs)} pairs`;
}

/** A verdict in words that do not promise more than it does. */
function verdictMeaning({ deck, view }, x) {
  const power = fmt.percent(view.settings.power);
  const among = isAdjusted(view) ? ` among ${allPairs(view)}` : "";
  const again = isUnmeasured(x)
    ? `. The power is unknown, ${UNMEASURED}.`
    : `, underpowered: less than ${power} power if the true gap equals the observed one.`;
  return {
    significant: `Significant${among}, with at least ${power} power if the true gap equals the `
      + "observed one.",
    "significant, underpowered": `Significant${among}${again}`,
    equivalent: "Equivalent within the declared margin of "
      + `±${fmt.declared(deck, view.settings.margin)}.`,
    inconclusive: "Inconclusive: these items do not show which model is better. This is not "
      + "evidence of equality.",
  }[x.verdict];
}

/** What would settle a pair. */
function pairAdvice({ deck, view }, x) {
  if (x.verdict === "significant" || x.verdict === "equivalent") return "No more items are needed.";
  if (!(x.n > 0)) return "";
  if (isUnmeasured(x)) {
    return x.verdict === "inconclusive" ? `The number of items needed is unknown, ${UNMEASURED}.` : "";
  }
  const { delta0 } = view.settings;
  if (!(x.more_items <= ABSURD_ITEMS)) {
    return "The observed gap is too small for a useful number of items.";
  }
  if (x.more_items === 0) {
    return delta0 === null ? "" : `The current items detect ${fmt.declared(deck, delta0)}.`;
  }
  const cluster = deck.design.kind === "cluster" ? " in new clusters" : "";
  const labeled = deck.design.labeled ? `, ${deck.design.labeled},` : "";
  const spread = deck.design.kind === "average" ? " in the same shares of the tasks" : "";
  const goal = delta0 === null
    ? "if the true gap equals the observed one"
    : `to detect the declared ${fmt.declared(deck, delta0)}`;
  const family = isAdjusted(view) ? `adjusted for ${allPairs(view)}, ` : "";
  return `Resolving it takes ${fmt.count(x.more_items)} more items${cluster}${spread}${labeled} `
    + `(${fmt.count(x.n + x.more_items)} in total), ${family}${goal}.`;
}

/** p-value of equivalence among all pairs; NaN where nobody knows how many there are. */
function equivalentAmong({ used, pairs = NaN }, p) {
  return used === "bh" ? p : Math.min(p * pairs, 1);
}

/** Numbers that differ between a pair alone and one among all: key, name, value of either. */
function pairMeasures(state, x) {
  const { deck, view } = state;
  const known = (value, text) => (Number.isFinite(value) ? text : "–");
  const within = (text, ...values) => {
    const [value, low, high] = values.map(text);
    return `${value} (${low} to ${high})`;
  };
  const level = fmt.coverage(1 - view.settings.alpha);
  const column = { column: true };
  const rows = [
    ["interval", `${level} CI`, fmt.span(deck, x.ci_unadjusted_low, x.ci_unadjusted_high, column),
      fmt.span(deck, x.ci_adjusted_low, x.ci_adjusted_high, column)],
    ["p", "p", known(x.p, fmt.pvalue(x.p)),
      known(x.p_adjusted, fmt.adjusted(x.p_adjusted, drawsOf(state)))],
    ["q", "q, resolution", known(x.q, within(fmt.resolution, x.q, x.q_low, x.q_high)),
      fmt.resolution(x.q_adjusted)],
    ["n_star", "N*, items needed",
      within(fmt.count, x.n_star, x.n_star_low, x.n_star_high), fmt.count(x.n_star_adjusted)],
    ["mde", "MDE, detectable gap", fmt.gap(deck, x.mde), fmt.gap(deck, x.mde_adjusted)],
  ];
  if (x.q_delta0 !== null) {
    rows.push(["q_delta0", "q at δ₀", ...[x.q_delta0, x.q_delta0_adjusted].map(fmt.resolution)]);
  }
  if (x.p_equivalent !== null) {
    const among = equivalentAmong(view, x.p_equivalent);
    rows.push(["p_equivalent", "p of equivalence", fmt.pvalue(x.p_equivalent),
      known(among, fmt.pvalue(among))]);
  }
  return rows;
}

/** Measures as a table: this pair alone, and among all pairs where that matters. */
function measuresTable(view, measures) {
  const among = isAdjusted(view) ? [`adjusted for ${allPairs(view)}`] : [];
  const heads = ["unadjusted", ...among];
  const row = ([key, name, ...values]) => el("tr", { "data-key": key },
    el("th", { scope: "row" }, name), heads.map((_, k) => el("td", null, values[k])));
  return scrollBox("Numbers of this pair", el("table", { class: "measures" },
    el("thead", null, el("tr", null, el("td"),
      heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", null, measures.map(row))));
}

/** Names, values and keys of what a pair has whatever it stands among. */
function plainFacts({ deck }, x) {
  const known = (value, text) => (Number.isFinite(value) ? text : "–");
  const means = [x.mean_a, x.mean_b].map((mean) => known(mean, fmt.score(deck, mean)));
  return [
    ["Gap, A minus B", fmt.gap(deck, x.delta, { sign: true, column: true }), "gap"],
    ["Means", means.join(" and "), "means"],
    ["Item correlation", deck.design.labeled ? "–" : known(x.rho, fixed(x.rho, 2)), "rho"],
  ];
}

/** The 2×2 table of two models with 0/1 scores. */
function cellsTable({ short }, a, b, x) {
  const row = (name, ...values) => el("tr", null, el("th", { scope: "row" }, name),
    values.map((v) => el("td", { class: "num" }, fmt.count(v))));
  const top = [el("td"), el("th", { scope: "col", class: "num" }, "B correct"),
    el("th", { scope: "col", class: "num" }, "B incorrect")];
  return el("div", { class: "scroll" }, el("table", { class: "cells" },
    captionEl("Items by outcome"),
    el("thead", null, el("tr", null, top)),
    el("tbody", null, row("A correct", x.n11, x.n10), row("A incorrect", x.n01, x.n00))),
  el("p", { class: "remark" }, `A: ${short[a]}. B: ${short[b]}.`));
}

/** A gap with its interval, drawn, and what the drawing shows. */
function pairPicture({ deck, view, short }, a, b, x) {
  const [low, high] = [x.ci_adjusted_low, x.ci_adjusted_high];
  const interval = `${isAdjusted(view) ? "adjusted" : "unadjusted"} `
    + `${fmt.coverage(1 - view.settings.alpha)} CI`;
  const words = `Gap ${fmt.gap(deck, x.delta, { sign: true })}, `
    + `${interval} ${fmt.span(deck, low, high)}`;
  const kind = MARKS[VERDICT_WORDS.indexOf(x.verdict)];
  const marks = { delta: x.delta, low, high, near: x.mde_adjusted, kind };
  const shade = Number.isFinite(x.mde_adjusted)
    ? ` Shaded: gaps below the MDE of ${fmt.gap(deck, x.mde_adjusted)}.` : "";
  const unit = inPoints(deck) ? ", pp" : "";
  const models = [["A", short[a]], ["B", short[b]]];
  const names = deck.better > 0 ? models : [...models].reverse();
  return el("figure", { class: "hero" }, gapDrawing(deck, marks, names, words),
    el("figcaption", null, `${short[a]} minus ${short[b]}${unit}, with the ${interval}.${shade}`));
}

/** One group as a row of the forest. */
function groupRow(deck, axis, x) {
  const mean = (value) => (Number.isNaN(value) ? "–" : fmt.score(deck, value));
  return el("tr", null,
    el("th", { scope: "row" }, el("div", { class: "clamp" }, shownName(x.label))),
    el("td", { class: "cell-chart" }, forestMark(axis, x)),
    el("td", { class: "num" }, fmt.gap(deck, x.delta, { sign: true, column: true })),
    el("td", { class: "num" }, x.ci ? fmt.span(deck, x.ci[0], x.ci[1], { column: true }) : "–"),
    el("td", { class: "num" }, mean(x.mean_a)),
    el("td", { class: "num" }, mean(x.mean_b)),
    el("td", { class: "num" }, fmt.count(x.n)));
}

/** How far the groups of a column can be trusted. */
function groupsNote({ complete, design }, { rate }) {
  if (!rate) return "CIs are unadjusted, per group.";
  if (design.kind !== "average") {
    return "Means per group; this page does not contain their CIs.";
  }
  const own = complete ? "" : ", on each model's own items";
  return `Means per task${own}; no CIs are computed.`;
}

/** Where the gap comes from: all groups of a column on one scale. */
function groupsTable(state, g, a, b) {
  const { deck, view } = state;
  const by = shownName(deck.groups[g].column);
  const rows = orientedGroups(state, g, a, b);
  if (!rows.length) {
    return el("p", { class: "remark" },
      `The shared items do not form several groups by ${by}, so the gap cannot be split.`);
  }
  const axis = gapAxis(rows.flatMap((x) => [x.delta, ...(x.ci ?? [])]));
  const level = fmt.coverage(1 - view.settings.alpha);
  const heads = [["group", null], ["A minus B", null], ["gap", "num"],
    [`${level} CI`, "num"], ["A", "num"], ["B", "num"], ["items", "num"]];
  const note = groupsNote(deck, deck.groups[g]);
  return scrollBox("Table of groups", el("table", { class: "full" },
    captionEl(`By ${by}, largest lead of A first. ${note}`),
    el("thead", null, el("tr", null,
      heads.map(([h, kind]) => el("th", { scope: "col", class: kind }, h)))),
    el("tbody", null, rows.map((x) => groupRow(deck, axis, x)))));
}

/** Two models in words, drawn, and in numbers, first minus second. */
function pairResult(state, a, b, measures = pairMeasures) {
  const x = orientedNumbers(state, a, b);
  const facts = plainFacts(state, x).map(([name, value]) =>
    el("div", null, el("dt", null, name), el("dd", null, value)));
  return {
    answer: pairSentence(state, a, b, x),
    verdict: [verdictChip(VERDICT_WORDS.indexOf(x.verdict)),
      ` ${verdictMeaning(state, x)} ${pairAdvice(state, x)}`],
    drawing: pairPicture(state, a, b, x),
    detail: [el("div", null, x.n11 === null ? null : cellsTable(state, a, b, x)),
      el("div", null, el("dl", { class: "values" }, facts),
        measuresTable(state.view, measures(state, x)))],
  };
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
  const trouble = el("p", { class: "remark", id: "pair-trouble" });
  const answer = el("p", { class: "answer" });
  const verdict = el("p", { class: "prose", id: "pair-verdict" });
  const [drawing, detail] = [el("div"), el("div", { class: "sides" })];
  const found = el("div", { id: "pair-found" },
    el("div", { role: "status" }, trouble, answer, verdict), drawing, detail);
  const groups = el("div", { id: "pair-groups" });
  let column = 0;
  const showGroups = () => {
    if (!state.deck.groups.length) return;
    groups.replaceChildren(groupsTable(state, column, ...state.pair));
  };
  const show = () => {
    const [a, b] = state.pair;
    const now = pairResult(state, a, b);
    lists.forEach((l) => l.show());
    trouble.textContent = state.trouble.join(" ");
    trouble.hidden = !state.trouble.length;
    answer.textContent = now.answer;
    verdict.replaceChildren(...now.verdict);
    drawing.replaceChildren(now.drawing);
    detail.replaceChildren(...now.detail);
    showGroups();
    items.show();
  };
  const items = itemsPanel(state);
  const several = state.deck.groups.length > 1
    ? [columnChoice(state, (k) => { column = k; showGroups(); })] : [];
  const origin = state.deck.groups.length ? [el("h3", null, "Where the gap comes from")] : [];
  const nodes = [el("div", { class: "choice" }, lists.map((l) => l.node), swap), found,
    ...origin, ...several, groups, ...items.nodes];
  return { nodes, show };
}
