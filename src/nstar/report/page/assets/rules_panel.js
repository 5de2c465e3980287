// The rules that a reader may choose, folded away: every choice was judged by Python beforehand.

const POLICY_NAMES = {
  maxt: "max-T", holm: "Holm", bonferroni: "Bonferroni", bh: "Benjamini–Hochberg", none: "None",
};

/** Where a setting stands among its choices. */
function choiceOf(values, value) {
  return values.findIndex((x) => x === value);
}

/** What each policy promises, in a line. */
function policyPromise(policy, { pairs, alpha, deck }) {
  const chance = pairs * alpha;
  const wins = chance < 1 ? "fewer than 1" : `about ${fmt.count(Math.round(chance))}`;
  return {
    maxt: deck.maxt
      ? "Familywise error rate at most α; uses the correlation of the gaps."
      : `Not available here: ${deck.why}.`,
    holm: "Familywise error rate at most α, whatever the correlation of the gaps.",
    bonferroni: "Same guarantee as Holm, but more conservative.",
    bh: "False discovery rate at most α, under mild positive dependence.",
    none: `Unadjusted: of ${fmt.count(pairs)} pairs without a true gap, ${wins} would be `
      + "significant by chance.",
  }[policy];
}

/** Rules in words. */
function rulesWords({ alpha, power, adjust }, used = adjust) {
  const policy = { undefined: [], none: ["no adjustment"] }[used] ?? [POLICY_NAMES[used]];
  return [`α = ${general(alpha, 6)}`, `${fmt.percent(power)} power`, ...policy].join(", ");
}

/** The numbers to choose from, and how each is written. */
function ruleFields({ rules }) {
  return [
    { key: "alpha", label: "Level α", values: rules.levels, text: (x) => general(x, 6),
      help: "Probability of a false positive." },
    { key: "power", label: "Power", values: rules.powers, text: (x) => fmt.percent(x),
      help: "Probability of detecting a true gap." },
  ];
}

/** A list of the values of one rule. */
function ruleChoice(state, { key, label, values, text, help }, change) {
  const id = `set-${key}`;
  const asRun = state.deck.settings[key];
  const options = values.map((x, k) =>
    el("option", { value: k }, x === asRun ? `${text(x)} (as run)` : text(x)));
  const list = el("select", { id, "aria-describedby": `${id}-note` }, options);
  list.disabled = values.length < 2;
  list.addEventListener("change", () =>
    change({ ...state.settings, [key]: values[Number(list.value)] }));
  const show = () => { list.value = String(choiceOf(values, state.settings[key])); };
  const note = el("small", { id: `${id}-note` }, help);
  return { node: el("div", { class: "field" }, el("label", { for: id }, label), list, note), show };
}

/** One policy to choose, with its promise. */
function policyChoice(state, policy, change) {
  const id = `policy-${policy}`;
  const dot = el("input", { type: "radio", name: "policy", id, value: policy,
    disabled: !state.deck.rules.policies.includes(policy), "aria-describedby": `${id}-promise` });
  dot.addEventListener("change", () => change({ ...state.settings, adjust: policy }));
  const promise = el("small", { id: `${id}-promise` });
  const was = policy === state.deck.settings.adjust ? " (as run)" : "";
  const name = el("label", { for: id }, `${POLICY_NAMES[policy]}${was}`);
  const show = () => {
    const { adjust, alpha } = state.settings;
    dot.checked = adjust === policy;
    const about = { pairs: state.board.size, alpha, deck: state.deck };
    promise.textContent = policyPromise(policy, about);
  };
  return { node: el("div", { class: "policy" }, dot, name, promise), show };
}

/** All policies; none to choose where there is no family of pairs. */
function policyChoices(state, change) {
  if (!state.deck.rules.policies) return { nodes: [], show: () => {} };
  const every = Object.keys(POLICY_NAMES).map((p) => policyChoice(state, p, change));
  const node = el("fieldset", { class: "policies" },
    el("legend", null, "Multiple-comparison adjustment"), every.map((p) => p.node));
  return { nodes: [node], show: () => every.forEach((p) => p.show()) };
}

/** What is not as it was asked for. */
function rulesRemark({ view, settings }) {
  if (!view || view.used === settings.adjust) return "";
  return `Max-T was not simulated for α = ${general(settings.alpha, 6)}, so Holm is used.`;
}

/** Level, power and policy. */
function rulesPanel(state, change) {
  const numbers = ruleFields(state.deck).map((field) => ruleChoice(state, field, change));
  const policies = policyChoices(state, change);
  const remark = el("p", { class: "remark", id: "rules-remark", role: "status" });
  const reset = el("button", { type: "button", id: "reset" }, "As run");
  reset.addEventListener("click", () => change({ ...state.deck.settings }));
  const show = () => {
    numbers.forEach((n) => n.show());
    policies.show();
    remark.textContent = rulesRemark(state);
    remark.hidden = !remark.textContent;
    reset.disabled = !state.changed;
  };
  const nodes = [el("div", { class: "numbers" }, numbers.map((n) => n.node)),
    ...policies.nodes, remark, el("div", { class: "row" }, reset)];
  return { nodes, show };
}

/** Rules of a link: those that are offered; all others are as run. */
function rulesOfLink({ rules, settings }, words) {
  const numbers = Object.entries({ alpha: rules.levels, power: rules.powers })
    .map(([key, values]) => [key, values.find((x) => x === Number(words.get(key)))]);
  const policy = rules.policies?.find((p) => p === words.get("adjust"));
  const found = [...numbers, ["adjust", policy]].filter(([, value]) => value !== undefined);
  return { ...settings, ...Object.fromEntries(found) };
}
