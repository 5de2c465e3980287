// The page of a comparison: all that it says was written by Python for every choice of rules.

/** A cell of a table, as its column has them. */
function gridCell(text, heads, at, named) {
  const kind = heads[at]?.className || null;
  return at === named
    ? el("th", { scope: "row", class: kind }, text) : el("td", { class: kind }, text);
}

/** Put other words into a table: title, heads and rows. */
function fillGrid(table, [title, header, rows, marked]) {
  const heads = [...table.tHead.rows[0].cells];
  const named = [...(table.tBodies[0].rows[0]?.cells ?? [])].findIndex((c) => c.tagName === "TH");
  table.caption.firstChild.textContent = title;
  heads.forEach((cell, k) => { cell.textContent = header[k]; });
  table.tBodies[0].replaceChildren(...rows.map((row, i) => {
    const shown = i === marked ? [`→ ${row[0]}`, ...row.slice(1)] : row;
    return el("tr", { class: i === marked ? "asked" : null },
      shown.map((text, k) => gridCell(text, heads, k, named)));
  }));
}

/** Everything that the page says, by the rules of the moment. */
function showComparison({ deck, settings, changed }) {
  const { levels, powers, words } = deck.rules;
  const { alpha, power } = settings;
  const found = words[choiceOf(levels, alpha) * powers.length + choiceOf(powers, power)];
  showWords(found, rulesWords(settings), { changed: false, asRun: "" });
  putSentences(document.querySelector("#notes ul"), found.notes);
  document.querySelectorAll("table[data-grid]").forEach((table) =>
    fillGrid(table, found.grids[table.dataset.grid]));
  document.querySelectorAll("[data-notes] ul").forEach((list) =>
    putSentences(list, found.task_notes[Number(list.parentNode.dataset.notes)]));
  document.querySelectorAll("[data-level]").forEach((node) => {
    node.hidden = Number(node.dataset.level) !== alpha;
  });
}

/** The items of every task on which the two differ. */
function showItems({ names, items }) {
  document.querySelectorAll("[data-items]").forEach((node) => {
    const found = items[Number(node.dataset.items)];
    if (!found) return;
    const part = itemsPanel({ deck: found, short: names, pair: [0, 1] }, { titled: false });
    node.append(...part.nodes);
    part.show();
  });
}

/** Open the task that the address names. */
function openTask({ tasks }, words) {
  const at = tasks.indexOf(words.get("task"));
  const node = at < 0 ? null : document.getElementById(`task-${at}`);
  if (!node) return;
  node.open = true;
  node.scrollIntoView();
}

/** Bring the page of a comparison to life. */
function startComparison(deck) {
  const state = { deck, settings: rulesOfLink(deck, linkWords()) };
  const show = () => {
    state.changed = !sameSettings(state.settings, deck.settings);
    showComparison(state);
    panel.show();
  };
  const change = (settings) => {
    state.settings = settings;
    show();
    writeLink(addSettings(new URLSearchParams(), settings, deck.settings));
  };
  const panel = rulesPanel(state, change);
  document.querySelector("#rules .inside").append(...panel.nodes);
  show();
  showItems(deck);
  document.getElementById("without-script").hidden = true;
  document.querySelectorAll("[data-live]").forEach((node) => { node.hidden = false; });
  openTask(deck, linkWords());
  window.addEventListener("hashchange", () => {
    state.settings = rulesOfLink(deck, linkWords());
    show();
    openTask(deck, linkWords());
  });
}

/** Unpack the data and start; without them the page stays as it was written. */
async function openComparison() {
  startCopying();
  const data = JSON.parse(document.getElementById("nstar-data").textContent);
  const deck = await unpackAll(data).catch(tellLifeless);
  if (deck) startComparison(deck);
  document.documentElement.dataset.ready = "true";
}

openComparison();
