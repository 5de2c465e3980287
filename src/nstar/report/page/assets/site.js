// The pages of a site: what each of them does beyond what its HTML says.

/** A function that asks once, and again only after a failure. */
function asked(once) {
  let answer = null;
  return () => {
    answer ??= once().catch((error) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}

/** A model in a link: its name, or its address if the name is long or no text. */
function linkName(name, id) {
  const text = name.length <= 200 && !/\p{Surrogate}/u.test(name);
  return encodeURIComponent(text ? name : id);
}

/** Link to a pair of models given as [address, name]. */
function pairLink(a, b) {
  return `compare.html#a=${linkName(a[1], a[0])}&b=${linkName(b[1], b[0])}`;
}

/** The search boxes that a page has room for. */
function pageFinders(data, up, choices) {
  const load = asked(() => siteModels(data, up));
  document.querySelectorAll("[data-find]").forEach((room) => {
    const [label, choose] = choices[room.dataset.find](room);
    const finder = modelFinder(`find-${room.dataset.find}`, label, load, async (k) => {
      choose(await load(), k);
    });
    room.append(finder.node);
    room.hidden = false;
  });
}

/** The page of a benchmark. */
function benchmarkPage(data) {
  startCopying();
  liveBoard(data);
}

/** The page of one model. */
function modelPage(data) {
  pageFinders(data, "../", {
    rival: (room) => ["Compare it with", ({ ids, names }, k) => {
      const other = linkName(names[k], ids[k]);
      location.href = `../compare.html#a=${room.dataset.first}&b=${other}`;
    }],
  });
}

SITE_PAGES.benchmark = benchmarkPage;
SITE_PAGES.model = modelPage;
const sitePage = SITE_PAGES[document.body.dataset.page];
const given = document.getElementById("nstar-data");
if (sitePage) sitePage(given && JSON.parse(given.textContent));
