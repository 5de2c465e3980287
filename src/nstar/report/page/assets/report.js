const LINKED = { alpha: Number, power: Number, delta0: Number, margin: Number, adjust: String };

/** Whether two sets of settings are the same. */
function sameSettings(a, b) {
  return Object.keys(LINKED).every((key) => a[key] === b[key]);
}

/** A model as it stands in a link: its name if that is unlike all others, else its rank. */
function linkedModel(state, k) {
  const name = shownName(state.deck.names[k]);
  const alone = state.deck.names.filter((n) => shownName(n) === name).length === 1;
  return alone && !name.startsWith("~") ? name : `~${k + 1}`;
}

/** The model that a link means; undefined if there is none. */
function modelOfLink(state, text) {
  if (text === null) return undefined;
  const rank = /^~(\d+)$/.exec(text);
  const k = rank ? Number(rank[1]) - 1
    : state.deck.names.findIndex((n) => shownName(n) === shownName(text));
  return k >= 0 && k < state.deck.names.length ? k : undefined;
}

/** The part of the address that names the pair and what differs from the audit as run. */
function linkOf(state) {
  const words = new URLSearchParams();
  state.pair.forEach((k, slot) => words.set("ab"[slot], linkedModel(state, k)));
  for (const key of Object.keys(LINKED)) {
    const value = state.settings[key];
    if (value !== state.deck.settings[key]) words.set(key, value ?? "");
  }
  return `#${words}`;
}

/** Settings of a link; those that cannot be are as in the audit. */
function settingsOfLink(state, words) {
  const settings = { ...state.deck.settings };
  for (const field of settingFields(state.deck)) {
    const text = words.get(field.key);
    const value = text === null ? undefined : text === "" ? null : Number(text);
    const fits = Number.isFinite(value) && field.fits(value, settings);
    if (fits || (value === null && field.optional)) settings[field.key] = value;
  }
  const policy = words.get("adjust");
  const known = Object.hasOwn(POLICY_NAMES, policy ?? "");
  if (known && (policy !== "maxt" || state.deck.maxt !== null)) settings.adjust = policy;
  return settings;
}

/** Pair and settings of the address; null if it names neither. */
function readLink(state) {
  const words = new URLSearchParams(window.location.hash.slice(1));
  if (!["a", "b", ...Object.keys(LINKED)].some((key) => words.has(key))) return null;
  const [a, b] = ["a", "b"].map((key) => modelOfLink(state, words.get(key)));
  const pair = a === undefined || b === undefined || a === b ? state.pair : [a, b];
  return { pair, settings: settingsOfLink(state, words) };
}

/** The address tells what is shown, so that it can be sent on. */
function writeLink(state) {
  try {
    window.history.replaceState(null, "", linkOf(state));
  } catch {
    // a frame without an address of its own has none to change
  }
}

/** The two models that a report opens with: the one asked about and its neighbour, or the best. */
function firstPair(deck) {
  const asked = Math.max(deck.names.indexOf(deck.where), 0);
  return { pair: asked ? [asked - 1, asked] : [0, 1], latest: asked };
}

/** Everything that the parts of a report share. */
function reportState(deck) {
  const state = {
    deck,
    board: makeBoard(deck),
    short: shortNames(deck.names),
    ranks: ranksOf(deck),
    settings: { ...deck.settings },
    ...firstPair(deck),
  };
  Object.assign(state, readLink(state) ?? {});
  return state;
}

/** Judge all pairs under the settings of the moment. */
function judgeState(state) {
  state.view = judgeBoard(state.board, state.settings);
  state.changed = !sameSettings(state.settings, state.deck.settings);
}

/** Bring a report to life. */
function startReport(deck) {
  const state = reportState(deck);
  const parts = {};
  const showAll = () => {
    judgeState(state);
    Object.values(parts).forEach((part) => part.show());
  };
  const change = (settings) => {
    if (sameSettings(settings, state.settings)) return;
    state.settings = settings;
    showAll();
    writeLink(state);
  };
  const choose = (pair) => {
    if (pair[0] === pair[1]) return;
    state.pair = pair;
    parts.ranking.showPicked();
    parts.pair.show();
    writeLink(state);
  };
  const pick = (model) => {
    const latest = state.latest;
    state.latest = model;
    if (!state.pair.includes(model)) {
      choose([state.pair.includes(latest) ? latest : state.pair[1], model]);
    }
  };
  judgeState(state);
  parts.settings = settingsPanel(state, change);
  parts.ranking = rankingTable(state, pick);
  parts.pair = pairPanel(state, choose);
  parts.pairs = pairTable(state, (pair) => {
    choose(pair);
    document.getElementById("pair").scrollIntoView();
  });
  for (const [id, part] of Object.entries(parts)) {
    document.getElementById(id).append(...part.nodes);
  }
  showAll();
  for (const id of ["ranking-as-run", "without-script"]) document.getElementById(id).hidden = true;
  document.querySelectorAll("[data-live]").forEach((node) => { node.hidden = false; });
  window.addEventListener("hashchange", () => {
    const link = readLink(state);
    if (!link) return;
    Object.assign(state, link);
    showAll();
  });
}

/** Copying needs no data. */
function startCopying() {
  for (const id of ["to-paste", "citation"]) {
    const source = document.getElementById(id);
    source?.after(copyButton(source));
  }
}

/** Unpack the data and start; without either the page stays as it was written. */
async function openReport() {
  startCopying();
  const data = JSON.parse(document.getElementById("nstar-data").textContent);
  const deck = await unpackAll(data);
  if (deck.names.length > 1) startReport(deck);
  document.documentElement.dataset.ready = "true";
}

openReport();
