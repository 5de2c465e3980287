// The first page: benchmarks that have the words searched for, some at a time.

const HOME_STEP = 24;

/** Show the cards that match, and say how many do. */
function showCards({ cards, keys, wanted, seen, more, room }) {
  const words = searchable(wanted ? wanted.value : "").trim().split(/\s+/);
  const found = cards.filter((_, k) => words.every((word) => keys[k].includes(word)));
  const shown = new Set(found.slice(0, room));
  cards.forEach((card) => { card.hidden = !shown.has(card); });
  more.hidden = found.length <= room;
  if (!seen) return;
  seen.textContent = found.length ? `${fmt.count(shown.size)} of ${fmt.count(cards.length)} shown.`
    : "No board has that in its name or finding.";
}

/** The first page of a site. */
function homePage() {
  const [list, more, search, wanted, seen] = ["cards", "more", "search", "wanted", "seen"]
    .map((id) => document.getElementById(id));
  const cards = [...list.children];
  const keys = cards.map((card) => searchable(card.textContent));
  const state = { cards, keys, more, wanted, seen, room: HOME_STEP };
  more.addEventListener("click", () => {
    state.room += HOME_STEP;
    showCards(state);
  });
  wanted?.addEventListener("input", () => showCards(Object.assign(state, { room: HOME_STEP })));
  if (search) search.hidden = false;
  showCards(state);
}

SITE_PAGES.home = homePage;
