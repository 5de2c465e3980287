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

/** The mark of a verdict, with or without its word. */
function verdictWord(verdict, text = null) {
  return el("span", { class: `word w${VERDICT_WORDS.indexOf(verdict)}` }, text);
}

/** A further row of the ranking; `next` is the address and name of the model below. */
function boardRow([id, name, line, rank, ranks, mean, ...rest], next) {
  const verdict = rest.at(-1);
  const numbers = [mean, ...rest.slice(0, -1)];
  const cell = (...inside) => el("td", { class: "num" }, ...inside);
  const gap = numbers.length - 4;
  const cells = numbers.map((text, k) =>
    cell(k === gap && next ? el("a", { href: pairLink([id, name], next) }, text) : text));
  return el("tr", { class: line ? "line" : null }, cell(rank), cell(ranks),
    el("th", { scope: "row" }, el("a", { href: `m/${id}.html` }, shownName(name, 60))),
    cells, el("td", null, verdict ? verdictWord(verdict, verdict) : null));
}

/** Show the rest of a long ranking, some rows at a time. */
function moreRows(data) {
  const [button, shown] = ["more", "shown"].map((id) => document.getElementById(id));
  if (!button) return;
  const body = document.querySelector("#ranking-table tbody");
  let chunk = 1;
  button.hidden = false;
  button.addEventListener("click", async () => {
    button.disabled = true;
    try {
      const response = await fetch(`ranks-${data.keys.audit}/${chunk}.json`);
      if (!response.ok) throw new Error(`rows could not be fetched (${response.status})`);
      const { rows, next } = await response.json();
      const following = (k) => (k + 1 < rows.length ? rows[k + 1].slice(0, 2) : next);
      body.append(...rows.map((row, k) => boardRow(row, following(k))));
      chunk += 1;
      const count = body.children.length;
      button.hidden = count >= data.models;
      shown.textContent = `The first ${fmt.count(count)} of ${fmt.count(data.models)} models.`;
    } catch {
      shown.textContent = `The rest could not be fetched; ${fetchMend()}.`;
    }
    button.disabled = false;
  });
}

/** Put the address of this site into snippets for other sites. */
function realAddresses() {
  const here = new URL(".", location.href).href;
  document.querySelectorAll("[data-address]").forEach((node) => {
    node.textContent = node.textContent.replace(/(?<=["(])(?=(?:embed|index)\.html|badge\.svg)/g,
      here.replaceAll("$", "$$$$"));
  });
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
  pageFinders(data, "", {
    model: () => ["Find a model", ({ ids }, k) => { location.href = `m/${ids[k]}.html`; }],
  });
  moreRows(data);
  realAddresses();
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

const SITE_PAGES = { benchmark: benchmarkPage, model: modelPage, compare: comparePage };
const sitePage = SITE_PAGES[document.body.dataset.page];
if (sitePage) sitePage(JSON.parse(document.getElementById("nstar-data").textContent));
