// The page of a comparison: settings, and all that follows from them, in place of what was run.

const DECIDED = ["better", "worse", "equivalent"];

/** Settings in words. */
function rulesWords(deck, { alpha, power, delta0, margin }) {
  const scale = deck.tasks[0];
  const parts = [`α = ${general(alpha, 6)}`, `${fmt.percent(power)} power`];
  if (delta0 !== null) parts.push(`δ₀ = ${fmt.gap(scale, delta0)}`);
  if (margin !== null) parts.push(`margin ${fmt.gap(scale, margin)}`);
  return parts.join(", ");
}

/** The numbers that can be set here: an interval takes α < ½ if one of its tests has one side. */
function compareFields(deck) {
  const [scale] = deck.tasks;
  const below = deck.sides === 1 || deck.settings.margin !== null ? 0.5 : 1;
  return settingFields({ limits: scale.limits, settings: deck.settings },
    { width: inPoints(scale) ? 1 : Infinity, below });
}

/** What the test asks, which only a new run can change. */
function sidesWords(deck) {
  return deck.sides === 2
    ? "The test is two-sided, as it was run: either model may win."
    : `The test is one-sided, as it was run: only “${deck.names[0]} is better” is of interest.`;
}

/** Level, power, gap of interest, margin, and what they say. */
function comparePanel(state, change) {
  const boxes = settingBoxes(state, compareFields(state.deck), change,
    "Reset to the comparison as run");
  const said = el("p", { id: "live-sentence", role: "status", "aria-live": "polite" });
  const remark = el("p", { class: "remark", id: "live-remark" });
  const show = () => {
    const { deck, judged, settings, changed } = state;
    boxes.show();
    said.textContent = comparisonSentence(deck, judged, settings);
    remark.textContent = changed
      ? `So with ${rulesWords(deck, settings)}. The headline, pictures, groups, other readings, `
        + `notes and paragraph show the comparison as run: ${rulesWords(deck, deck.settings)}.`
      : "";
    document.getElementById("settings").toggleAttribute("data-changed", changed);
  };
  const nodes = [
    el("p", { class: "remark" }, `Change them, and the numbers are computed anew. ${
      sidesWords(state.deck)}`),
    boxes.node,
    el("div", { class: "said" }, said, remark),
    el("div", { class: "row" }, boxes.button),
  ];
  return { nodes, show };
}

/** A table whose first column names the row. */
function wordedTable(title, heads, rows, { words = [0], last = false } = {}) {
  const kind = (k) => (words.includes(k) ? null : "num");
  const cell = (text, k) =>
    el(k ? "td" : "th", { class: kind(k), scope: k ? null : "row" }, text);
  const head = heads.map((text, k) => el("th", { scope: "col", class: kind(k) }, text));
  const body = rows.map((row, i) =>
    el("tr", { class: last && i === rows.length - 1 ? "asked" : null }, row.map(cell)));
  return el("table", null, el("caption", null, el("span", null, title)),
    el("thead", null, el("tr", null, head)), el("tbody", null, body));
}

/** The gap of one task, drawn with its interval and what would go unnoticed. */
function taskPicture(task, judged) {
  const [low, high] = judged.ci;
  const level = fmt.coverage(judged.conf);
  const words = `Gap ${fmt.gap(task, task.delta, { sign: true })}, ${level} interval ${
    fmt.span(task, low, high)}`;
  const near = judged.mde ?? NaN;
  const shade = judged.mde === null ? ""
    : ` Shaded: gaps below the MDE, ${fmt.gap(task, judged.mde)}.`;
  const drawn = gapDrawing(task, { delta: task.delta, low, high, near }, words);
  const unit = inPoints(task) ? ", pp" : "";
  return el("figure", { class: "picture live-gap" }, drawn,
    el("figcaption", { class: "remark" }, `Gap${unit}, with its ${level} interval.${shade}`));
}

/** What would settle a gap that was not shown. */
function unsettledWords(task, judged, { delta0 }) {
  const settles = settleText(task, judged, delta0);
  if (settles) return `${settles[0].toUpperCase()}${settles.slice(1)}.`;
  if (task.se === 0) return `What would settle it is unknown, ${UNMEASURED}.`;
  if (judged.moreItems === null) {
    return "No number of items is advice here: the gap as seen is too small for any.";
  }
  const size = delta0 === null
    ? `a gap of ${fmt.gap(task, Math.abs(task.delta))}` : `the declared ${fmt.gap(task, delta0)}`;
  return `These items are as many as ${size} takes, and still no gap is shown.`;
}

/** That the first model is at least not much worse, where that is shown. */
function noWorseWords(deck, task, { equivalence }) {
  if (!equivalence?.noninferior || task.lower) return "";
  const [first, second] = deck.names;
  const margin = fmt.gap(task, equivalence.margin);
  return ` ${first} is shown to be no worse than ${second} by ${margin}.`;
}

/** What would settle it, or what is left to say where it is settled. */
function adviceWords(deck, task, judged, settings) {
  if (!DECIDED.includes(judged.verdict)) {
    return unsettledWords(task, judged, settings) + noWorseWords(deck, task, judged);
  }
  if (judged.verdict === "equivalent") {
    return "Nothing more is needed: the gap is shown to lie inside the declared margin.";
  }
  if (judged.q === null) return `How surely it would be found again is unknown, ${UNMEASURED}.`;
  const q = `q = ${fixed(judged.q, 2)}`;
  const takes = `such a gap takes ${fmt.items(judged.nStar)}, and ${fmt.count(task.n)} are here`;
  if (judged.resolved) return `Nothing more is needed: ${takes} (${q}).`;
  return `Shown; ${againText(judged, settings)}, and ${fmt.count(task.n)} are here.`;
}

/** One task in its place: table, picture, advice. */
function showTask(state, k) {
  const { deck, judged, settings } = state;
  const [task, found] = [deck.tasks[k], judged[k]];
  const [box, beside] = document.getElementById(`of-${k}`).children;
  const rows = [...numberRows(task, found), ...askedRows(task, found, settings)];
  const heads = ["", "value", `${fmt.coverage(found.conf)} interval`];
  box.replaceChildren(wordedTable(task.title, heads, rows, { last: true }));
  beside.querySelectorAll(".live-gap, .advice").forEach((old) => old.remove());
  const advice = el("p", { class: "prose advice" }, adviceWords(deck, task, found, settings));
  beside.prepend(taskPicture(task, found), advice);
  if (deck.tasks.length > 1) {
    const answer = document.getElementById("task-answer");
    const adjusted = `After Holm's adjustment over ${fmt.count(deck.tasks.length)} tasks ${
      pText(task.p_adjusted)}.`;
    answer.textContent = `${taskSentence(deck, task, found, settings)} ${adjusted}`;
  }
}

/** A task's name as a button that chooses it. */
function taskButton(label, choose) {
  const button = el("button", { type: "button", class: "pick" }, label);
  button.addEventListener("click", choose);
  return button;
}

/** The gap of one task in a row of the table, with what would go unnoticed. */
function taskMark({ at }, task, { ci, mde }) {
  const within = (x) => Math.min(Math.max(at(x), 0), 200);
  const [left, right] = [-mde, mde].map(within);
  return svgEl("svg", { class: "forest", viewBox: "0 0 200 18", "aria-hidden": "true" },
    mde !== null
      && svgEl("rect", { class: "near", x: left, y: 1, width: right - left, height: 16 }),
    svgEl("path", { class: "zero", d: `M${at(0)} 0V18` }),
    svgEl("path", { class: "whisker", d: `M${at(ci[0])} 9H${at(ci[1])}` }),
    svgEl("circle", { class: "point", cx: at(task.delta), cy: 9, r: 4 }));
}

/** All tasks in place of those as run; gaps are drawn if the tasks have one scale. */
function showTasks(state, choose) {
  const { deck, judged, settings } = state;
  const same = new Set(deck.tasks.map((task) => task.limits.join())).size === 1;
  const map = gapScale(deck.tasks.flatMap((t, k) => [t.delta, ...judged[k].ci]), 4, 196);
  const heads = taskHeads(deck, judged, settings);
  const rows = taskRows(deck, judged, settings).map((row, k) => {
    const there = document.getElementById(`task-${k}`);
    return [there ? taskButton(row[0], () => choose(k)) : row[0], ...row.slice(1)];
  });
  const at = heads.length - 1;
  if (same) {
    heads.splice(at, 0, "gap, shaded below the MDE");
    rows.forEach((row, k) => row.splice(at, 0, taskMark(map, deck.tasks[k], judged[k])));
  }
  const words = same ? [0, at, at + 1] : [0, at];
  const table = wordedTable(deck.table.title, heads, rows, { words });
  document.getElementById("tasks-as-run").replaceChildren(table);
}

/** A list of the tasks that have a part of their own. */
function taskList(state, choose) {
  const list = el("select", { id: "task-chosen" },
    toldTasks(state.deck).map((label, k) => el("option", { value: k }, label)));
  list.addEventListener("change", () => choose(Number(list.value)));
  const field = el("div", { class: "field task-choice" },
    el("label", { for: "task-chosen" }, "Task"), list);
  const answer = el("p", { class: "answer", id: "task-answer", role: "status" });
  document.getElementById("h-task").after(field, answer);
  return list;
}

/** Only the chosen task, unfolded. */
function unfold(chosen) {
  document.querySelectorAll("details.task").forEach((part) => {
    const here = part.id === `task-${chosen}`;
    part.hidden = !here;
    part.open = here;
    part.querySelector("summary").hidden = true;
  });
}

/** Tasks that have a part of their own, by label. */
function toldTasks({ table }) {
  return table ? table.labels.filter((_, k) => document.getElementById(`task-${k}`)) : [];
}

/** Settings and task of the address; what it does not name is as run. */
function comparisonOfLink(deck) {
  const words = linkWords();
  return {
    settings: numbersOfLink(compareFields(deck), deck.settings, words),
    chosen: placeOfLink(toldTasks(deck), words.get("task")) ?? 0,
  };
}

/** The part of the address that names the task and what differs from the comparison as run. */
function comparisonLink({ deck, settings, chosen }) {
  const words = addSettings(new URLSearchParams(), settings, deck.settings);
  if (chosen) words.set("task", linkedName(toldTasks(deck), chosen));
  return words;
}

/** Take over the parts that settings change. */
function startComparison(deck) {
  const state = { deck, ...comparisonOfLink(deck) };
  const several = deck.tasks.length > 1;
  let list = null;
  const choose = (k) => {
    state.chosen = k;
    list.value = String(k);
    unfold(k);
    showTask(state, k);
  };
  const chooseLinked = (k) => {
    choose(k);
    writeLink(comparisonLink(state));
  };
  const fromTable = (k) => {
    chooseLinked(k);
    document.getElementById("task").scrollIntoView();
    list.focus({ preventScroll: true });
  };
  const show = () => {
    state.judged = judgeTasks(deck, state.settings);
    state.changed = !sameSettings(state.settings, deck.settings);
    if (several) showTasks(state, fromTable);
    if (several) choose(state.chosen);
    else showTask(state, 0);
    panel.show();
  };
  const panel = comparePanel(state, (settings) => {
    if (sameSettings(settings, state.settings)) return;
    state.settings = settings;
    show();
    writeLink(comparisonLink(state));
  });
  if (several) list = taskList(state, chooseLinked);
  document.getElementById("settings").append(...panel.nodes);
  show();
  window.addEventListener("hashchange", () => {
    const words = linkWords();
    if (!["task", ...Object.keys(deck.settings)].some((key) => words.has(key))) return;
    Object.assign(state, comparisonOfLink(deck));
    show();
  });
  document.getElementById("without-script").hidden = true;
  document.querySelectorAll("[data-live]").forEach((part) => { part.hidden = false; });
  startCopying();
  document.documentElement.dataset.ready = "true";
}

globalThis.nstar = {
  ...globalThis.nstar,
  comparison: {
    ...{ judgeTask, judgeTasks, comparisonSentence, numberRows, askedRows },
    ...{ taskHeads, taskRows },
  },
};
startComparison(JSON.parse(document.getElementById("nstar-data").textContent));
