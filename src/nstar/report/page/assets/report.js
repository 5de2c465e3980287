/** The part of the address that names the pair and what differs from the audit as run. */
function reportLink({ pair, deck, settings }) {
  const words = new URLSearchParams();
  pair.forEach((k, slot) => words.set("ab"[slot], linkedName(deck.names, k)));
  return addSettings(words, settings, deck.settings);
}

/** The pair that a link names, filled up with the best models, and what is wrong with it. */
function pairOfLink({ deck, pair }, words) {
  const wanted = ["a", "b"].map((key) => words.get(key));
  const [a, b] = wanted.map((text) => placeOfLink(deck.names, text));
  const lost = wanted.filter((text, k) => text !== null && [a, b][k] === undefined);
  const trouble = lost.map((text) => `No model here is called ${shownName(text)}.`);
  const other = (k) => (k === 0 ? 1 : 0);
  if (a === undefined && b === undefined) return { pair, trouble };
  if (a === b) {
    return { pair: [a, other(a)], trouble: [`The link names ${shownName(wanted[0])} twice.`] };
  }
  return { pair: [a ?? other(b), b ?? other(a)], trouble };
}

/** Pair and settings of the address; null if it names neither. */
function readLink(state) {
  const words = linkWords();
  const known = ["a", "b", ...Object.keys(state.deck.settings)];
  if (!known.some((key) => words.has(key))) return null;
  return { ...pairOfLink(state, words), settings: rulesOfLink(state.deck, words) };
}

/** The two models that a report opens with: the one asked about and its neighbor, or the best. */
function firstPair(deck) {
  const asked = Math.max(deck.names.indexOf(deck.where), 0);
  return asked ? [asked - 1, asked] : [0, 1];
}

/** Everything that the parts of a report share. */
function reportState(deck) {
  const state = {
    deck,
    board: makeBoard(deck),
    short: shortNames(deck.names),
    ranks: ranksOf(deck),
    settings: { ...deck.settings },
    trouble: [],
    pair: firstPair(deck),
  };
  Object.assign(state, readLink(state) ?? {});
  return state;
}

/** Look up what holds under the rules of the moment. */
function judgeState(state) {
  state.view = judgeBoard(state.board, state.settings);
  state.changed = !sameSettings(state.settings, state.deck.settings);
}

/** The headline and all other words. */
function wordsPart(state) {
  const show = () => {
    const { deck, view, settings, changed } = state;
    const asRun = rulesWords(deck.settings);
    showWords(view, rulesWords(settings, view.used), { changed, asRun });
  };
  return { nodes: [], show };
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
    writeLink(reportLink(state));
  };
  const choose = (pair) => {
    if (pair[0] === pair[1]) return;
    Object.assign(state, { pair, trouble: [] });
    parts.pair.show();
    writeLink(reportLink(state));
  };
  const open = (pair) => {
    choose(pair);
    const heading = document.getElementById("h-pair");
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    heading.scrollIntoView();
  };
  judgeState(state);
  parts.headline = wordsPart(state);
  parts.ranking = rankingTable(state, open);
  parts.ladder = ladderPart(state);
  parts.rules = rulesPanel(state, change);
  parts.pair = pairPanel(state, choose);
  parts.pairs = pairTable(state, open);
  for (const [id, part] of Object.entries(parts)) {
    const place = document.getElementById(id);
    (place.querySelector(".inside") ?? place).append(...part.nodes);
  }
  showAll();
  document.getElementById("without-script").hidden = true;
  document.querySelectorAll("[data-live]").forEach((node) => { node.hidden = false; });
  window.addEventListener("hashchange", () => {
    const link = readLink(state);
    if (!link) return;
    Object.assign(state, link);
    showAll();
  });
}

/** Unpack the data and start; without either the page stays as it was written. */
async function openReport() {
  startCopying();
  const data = JSON.parse(document.getElementById("nstar-data").textContent);
  const deck = await unpackAll(data).catch(tellLifeless);
  if (deck?.names.length > 1) startReport(deck);
  document.documentElement.dataset.ready = "true";
}

openReport();
