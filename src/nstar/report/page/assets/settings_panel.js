const POLICY_NAMES = {
  maxt: "max-T", holm: "Holm", bonferroni: "Bonferroni", bh: "Benjamini–Hochberg", none: "None",
};

/** What each policy promises, in a line. */
function policyPromise(policy, { pairs, alpha, deck }) {
  const chance = Math.round(pairs * alpha);
  return {
    maxt: deck.maxt
      ? "The chance of any false win is at most α; uses how the gaps go together."
      : `Not here: ${deck.why ?? "the audit was run without it"}.`,
    holm: "The chance of any false win is at most α, however the gaps go together.",
    bonferroni: "The same promise as Holm’s by a simpler, stricter rule.",
    bh: "Of the pairs called significant at most a share α is expected to be false, if the gaps "
      + "go together mildly.",
    none: `Each pair alone: of ${fmt.count(pairs)} pairs without a gap about ${fmt.count(chance)} `
      + "would be significant by chance.",
  }[policy];
}

/** The numbers that can be set: how they are shown and which are possible. */
function settingFields(deck) {
  const unit = inPoints(deck) ? ", pp" : "";
  const factor = inPoints(deck) ? 100 : 1;
  const width = deck.limits[1] - deck.limits[0];
  const size = (x) => x > 0 && x <= width;
  const fields = [
    { key: "alpha", label: "Level α", factor: 1, hint: "a number between 0 and the power",
      fits: (x, s) => x >= 1e-6 && x < Math.min(1, s.power) },
    { key: "power", label: "Power, %", factor: 100, hint: "a number between α and 100 %",
      fits: (x, s) => x > s.alpha && x <= 0.9999 },
    { key: "delta0", label: `Gap of interest δ₀${unit}`, factor, optional: true,
      hint: "a gap above 0, or nothing", fits: size },
  ];
  const margin = { key: "margin", label: `Margin of equivalence${unit}`, factor, fits: size,
    hint: "a gap above 0" };
  return deck.settings.margin === null ? fields : [...fields, margin];
}

/** A setting as it is typed. */
function settingText(value, factor) {
  return value === null ? "" : String(Number((value * factor).toPrecision(12)));
}

/** What was typed, as a setting; undefined if it is none. */
function settingValue(text, field, settings) {
  const typed = text.trim().replace(",", ".").replace(/\s*(%|pp)$/, "");
  if (typed === "") return field.optional ? null : undefined;
  const value = Number((Number(typed) / field.factor).toPrecision(12));
  return Number.isFinite(value) && field.fits(value, settings) ? value : undefined;
}

/** A text box for one number of the settings. */
function settingBox(state, field, change) {
  const id = `set-${field.key}`;
  const box = el("input", { type: "text", inputmode: "decimal", id, autocomplete: "off",
    "aria-describedby": `${id}-note`, placeholder: field.optional ? "as seen" : null });
  const note = el("span", { id: `${id}-note` });
  const read = () => settingValue(box.value, field, state.settings);
  const mark = () => {
    const wrong = read() === undefined;
    const original = state.deck.settings[field.key];
    const other = state.settings[field.key] !== original;
    box.setAttribute("aria-invalid", String(wrong));
    note.className = wrong || other ? "was" : "";
    const was = original === null ? "none" : settingText(original, field.factor);
    note.textContent = wrong ? field.hint : other ? `as run: ${was}` : "";
  };
  box.addEventListener("input", () => {
    const value = read();
    if (value !== undefined) change({ ...state.settings, [field.key]: value });
    mark();
  });
  const show = () => {
    if (read() !== state.settings[field.key]) {
      box.value = settingText(state.settings[field.key], field.factor);
    }
    mark();
  };
  const reset = () => {
    box.value = settingText(state.settings[field.key], field.factor);
    mark();
  };
  return {
    node: el("div", { class: "field" }, el("label", { for: id }, field.label), box, note),
    show, reset,
  };
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

/** Parts of a list in words: a, b and c. */
function listedWords(parts) {
  if (parts.length < 2) return parts.join("");
  return `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
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
    remarks.push("The picture, notes and paragraph show the audit as run: "
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
  const boxes = settingFields(state.deck).map((field) => settingBox(state, field, change));
  const policies = Object.keys(POLICY_NAMES).map((p) => policyChoice(state, p, change));
  const said = el("p", { id: "live-sentence", role: "status", "aria-live": "polite" });
  const remarks = el("div", { class: "remark", role: "status" });
  const bars = el("div", { class: "bars" });
  const reset = el("button", { type: "button" }, "Reset to the audit as run");
  reset.addEventListener("click", () => {
    change({ ...state.deck.settings });
    boxes.forEach((b) => b.reset());
  });
  const show = () => {
    boxes.forEach((b) => b.show());
    policies.forEach((p) => p.show());
    said.textContent = liveSentence(state);
    remarks.replaceChildren(...liveRemarks(state).map((text) => el("p", null, text)));
    bars.replaceChildren(...verdictBars(state));
    reset.disabled = !state.changed;
  };
  const nodes = [
    el("p", { class: "remark" }, "Change them, and all below is computed anew."),
    el("div", { class: "numbers" }, boxes.map((b) => b.node)),
    el("fieldset", { class: "policies" }, el("legend", null, "Many comparisons at once"),
      policies.map((p) => p.node)),
    el("div", { class: "said" }, said, bars, remarks),
    el("div", { class: "row" }, reset),
  ];
  return { nodes, show };
}
