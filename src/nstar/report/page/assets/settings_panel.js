const POLICY_NAMES = {
  maxt: "max-T", holm: "Holm", bonferroni: "Bonferroni", bh: "Benjamini–Hochberg", none: "None",
};

/** What each policy promises, in a line. */
function policyPromise(policy, { pairs, alpha, deck }) {
  const chance = pairs * alpha;
  const wins = chance < 1 ? "fewer than 1" : `about ${fmt.count(Math.round(chance))}`;
  return {
    maxt: deck.maxt
      ? "The chance of any false win is at most α; uses how the gaps go together."
      : `Not here: ${deck.why}.`,
    holm: "The chance of any false win is at most α, however the gaps go together.",
    bonferroni: "The same promise as Holm’s by a simpler, stricter rule.",
    bh: "Of the pairs called significant at most a share α is expected to be false, under "
      + "mild positive dependence.",
    none: `Each pair alone: of ${fmt.count(pairs)} pairs without a gap ${wins} would be `
      + "significant by chance.",
  }[policy];
}

/** How a gap is typed: in points, or in units of the score. */
function gapUnits(scale) {
  if (!inPoints(scale)) return { factor: 1, units: {} };
  return { factor: 100, units: { pp: 100, "%": 100 } };
}

/** The numbers that can be set: how they are typed, and which are possible. */
function settingFields(deck, { width = deck.limits[1] - deck.limits[0], below = 1 } = {}) {
  const unit = inPoints(deck) ? ", pp" : "";
  const most = Math.max(0.9999, deck.settings.power);
  const least = Math.min(1e-6, deck.settings.alpha);
  const narrow = below < 1 ? `${general(below, 6)} and ` : "";
  const size = { ...gapUnits(deck),
    limits: Number.isFinite(width) ? `above 0 and below ${fmt.gap(deck, width)}` : "above 0",
    fits: (x) => x > 0 && x < width };
  const fields = [
    { key: "alpha", label: "Level α", factor: 1, units: { "%": 100 },
      limits: `at least ${general(least, 6)} and below ${narrow}the power`,
      fits: (x, s) => x >= least && x < below && x < s.power },
    { key: "power", label: "Power, %", factor: 100, units: { "%": 100 },
      limits: `in percent, above α and at most ${fmt.percent(most)}`,
      fits: (x, s) => x > s.alpha && x <= most },
    { ...size, key: "delta0", label: `Gap of interest δ₀${unit}`, optional: true,
      limits: `${size.limits}, or nothing` },
  ];
  const margin = { ...size, key: "margin", label: `Margin of equivalence${unit}` };
  return deck.settings.margin === null ? fields : [...fields, margin];
}

/** A setting as it is typed. */
function settingText(value, factor) {
  return value === null ? "" : String(Number((value * factor).toPrecision(12)));
}

/** What was typed, as a number in units of the score; NaN if it is none, null if nothing. */
function typedNumber(text, { factor, units }) {
  if (text.trim() === "") return null;
  const [, digits, unit] = /^\s*([^\s%p]+)\s*(%|pp)?\s*$/.exec(text) ?? [null, "x"];
  const by = unit ? units[unit] ?? NaN : factor;
  return Number((Number(digits.replace(",", ".")) / by).toPrecision(12));
}

/** What was typed, as a setting; undefined if it is none. */
function settingValue(text, field, settings) {
  const value = typedNumber(text, field);
  if (value === null) return field.optional ? null : undefined;
  return Number.isFinite(value) && field.fits(value, settings) ? value : undefined;
}

/** What to say of a box: its limits, what was probably meant, or what was run. */
function settingNote(text, field, { settings, deck }) {
  const original = deck.settings[field.key];
  const typed = typedNumber(text, field);
  if (field.key === "power" && typed > 0 && typed < 0.01) {
    return `in percent: type ${settingText(typed * 100, 100)}, not ${settingText(typed, 100)}`;
  }
  if (settingValue(text, field, settings) === undefined) return field.limits;
  if (settings[field.key] === original) return "";
  return `as run: ${original === null ? "none" : settingText(original, field.factor)}`;
}

/** A text box for one number of the settings; marked is told whenever it is right or wrong. */
function settingBox(state, field, change, marked) {
  const id = `set-${field.key}`;
  const box = el("input", { type: "text", inputmode: "decimal", id, autocomplete: "off",
    "aria-describedby": `${id}-note`, placeholder: field.optional ? "as seen" : null });
  const note = el("span", { id: `${id}-note` });
  const read = () => settingValue(box.value, field, state.settings);
  const wrong = () => read() === undefined;
  const mark = () => {
    box.setAttribute("aria-invalid", String(wrong()));
    note.textContent = settingNote(box.value, field, state);
    note.className = note.textContent ? "was" : "";
  };
  box.addEventListener("input", () => {
    const value = read();
    if (value !== undefined) change({ ...state.settings, [field.key]: value });
    mark();
    marked();
  });
  const reset = () => {
    box.value = settingText(state.settings[field.key], field.factor);
    mark();
  };
  const show = () => (read() === state.settings[field.key] ? mark() : reset());
  return {
    node: el("div", { class: "field" }, el("label", { for: id }, field.label), box, note),
    show, reset, wrong,
  };
}

/** Boxes for all settings, and a button that makes them as run. */
function settingBoxes(state, fields, change, words) {
  const button = el("button", { type: "button", id: "reset" }, words);
  const mark = () => { button.disabled = !state.changed && !boxes.some((b) => b.wrong()); };
  const boxes = fields.map((field) => settingBox(state, field, change, mark));
  button.addEventListener("click", () => {
    change({ ...state.deck.settings });
    boxes.forEach((b) => b.reset());
    mark();
  });
  const show = () => {
    boxes.forEach((b) => b.show());
    mark();
  };
  return { node: el("div", { class: "numbers" }, boxes.map((b) => b.node)), button, show };
}

/** One policy to choose, with its promise. */
function policyChoice(state, policy, change) {
  const id = `policy-${policy}`;
  const dot = el("input", { type: "radio", name: "policy", id, value: policy,
    disabled: policy === "maxt" && !state.deck.maxt, "aria-describedby": `${id}-promise` });
  dot.addEventListener("change", () => change({ ...state.settings, adjust: policy }));
  const promise = el("small", { id: `${id}-promise` });
  const name = el("label", { for: id }, POLICY_NAMES[policy]);
  const was = el("span", { class: "was" }, "audit");
  const show = () => {
    const { adjust, alpha } = state.settings;
    dot.checked = adjust === policy;
    const about = { pairs: state.board.size, alpha, deck: state.deck };
    promise.textContent = policyPromise(policy, about);
    was.hidden = adjust === state.deck.settings.adjust || policy !== state.deck.settings.adjust;
  };
  const line = el("span", null, name, " ", was);
  return { node: el("div", { class: "policy" }, dot, line, promise), show };
}

/** How many are resolved, and what the others are. */
function verdictSentence(counts, what) {
  const total = counts.reduce((a, b) => a + b, 0);
  const others = [1, 2, 3].filter((k) => counts[k]);
  const rest = others.map((k) => `${fmt.count(counts[k])} ${VERDICT_WORDS[k]}`);
  const verb = counts[0] === 1 ? "is" : "are";
  const text = `${fmt.count(counts[0])} of ${fmt.count(total)} ${what} ${verb} resolved`;
  return rest.length ? `${text}, ${listedWords(rest)}` : text;
}

/** Who may be the best. */
function bestSentence(deck, view) {
  const may = deck.names.flatMap((name, k) => (view.rankLo[k] === 1 ? [k] : []));
  if (!may.length) return "every model is beaten by another";
  if (may.length > 1) return `any of ${fmt.count(may.length)} models may be the best`;
  const only = shownName(deck.names[may[0]]);
  return view.rankHi[may[0]] === 1 ? `${only} beats all others` : `${only} is unbeaten`;
}

/** Settings in words. */
function settingsWords({ alpha, power, delta0, adjust }, scale) {
  const declared = delta0 === null ? [] : [`δ₀ = ${fmt.gap(scale, delta0)}`];
  const policy = adjust === "none" ? "no adjustment" : POLICY_NAMES[adjust];
  const parts = [`α = ${general(alpha, 6)}`, `${fmt.percent(power)} power`, ...declared, policy];
  return listedWords(parts);
}

/** What these settings say of the ranking. */
function liveSentence({ deck, view }) {
  const tiers = view.tier.at(-1) - view.tier[0] + 1;
  const lines = tiers > 1 ? `${fmt.count(tiers)} tiers` : "no tier line";
  const used = { ...view.settings, adjust: view.used };
  const neighbours = deck.names.length > 2
    ? `${verdictSentence(view.adjacentWords, "neighbours")}; ` : "";
  return `With ${settingsWords(used, deck)} the ranking supports ${lines}; ${neighbours}`
    + `${verdictSentence(view.words, "pairs")}; ${bestSentence(deck, view)}.`;
}

/** What is not as it was asked for, or not as the picture shows it. */
function liveRemarks({ deck, view, settings, changed }) {
  const remarks = [];
  if (view.used !== settings.adjust && deck.maxt !== null) {
    const levels = listedWords(deck.maxt.levels.map(([alpha]) => general(alpha, 6)));
    remarks.push(`max-T has no critical value here for α = ${general(settings.alpha, 6)} `
      + `(it has ${levels}), so Holm is used.`);
  }
  if (changed) {
    const others = deck.design.kind === "average" ? "tasks" : "other readings";
    remarks.push(`The headline, picture, ${others}, notes and paragraph show the audit as run: `
      + `${settingsWords(deck.settings, deck)}.`);
  }
  return remarks;
}

/** Verdicts of neighbours and of all pairs as bars, with a key. */
function verdictBars({ deck, view, settings }) {
  const line = (name, counts) =>
    el("div", { class: "bar" }, el("span", null, name), verdictBar(counts));
  const key = possibleCodes(settings).map((code) =>
    el("li", null, verdictWords(code), ` ${fmt.count(view.words[code])}`));
  return [
    deck.names.length > 2 && line("Neighbours", view.adjacentWords),
    line("All pairs", view.words),
    el("ul", { class: "key" }, key),
  ].filter(Boolean);
}

/** Level, power, gap of interest, policy, and what they say. */
function settingsPanel(state, change) {
  const boxes = settingBoxes(state, settingFields(state.deck), change,
    "Reset to the audit as run");
  const policies = Object.keys(POLICY_NAMES).map((p) => policyChoice(state, p, change));
  const said = el("p", { id: "live-sentence", role: "status", "aria-live": "polite" });
  const remarks = el("div", { class: "remark", role: "status" });
  const bars = el("div", { class: "bars" });
  const show = () => {
    boxes.show();
    policies.forEach((p) => p.show());
    said.textContent = liveSentence(state);
    remarks.replaceChildren(...liveRemarks(state).map((text) => el("p", null, text)));
    bars.replaceChildren(...verdictBars(state));
  };
  const nodes = [
    el("p", { class: "remark" },
      "Ranking, pairs and two models below are computed anew when these change."),
    boxes.node,
    el("fieldset", { class: "policies" }, el("legend", null, "Many comparisons at once"),
      policies.map((p) => p.node)),
    el("div", { class: "said" }, said, bars, remarks),
    el("div", { class: "row" }, boxes.button),
  ];
  return { nodes, show };
}
