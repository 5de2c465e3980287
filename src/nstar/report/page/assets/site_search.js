// A box that finds a model by any part of its name; all names are fetched when it is first used.

const SITE_SHOWN = 12;

/** Places of models whose names have every word of a query; those that begin with it first. */
function matchingModels(keys, query) {
  const wanted = searchable(query).trim();
  const words = wanted.split(/\s+/);
  const found = [];
  const first = [];
  keys.forEach((key, k) => {
    if (!words.every((word) => key.includes(word))) return;
    (wanted && key.startsWith(wanted) ? first : found).push(k);
  });
  return [...first, ...found];
}

/** What a search found, in words. */
function searchWords(shown, total) {
  if (!total) return "No model has that in its name.";
  return shown < total ? `${shown} of ${fmt.count(total)} shown.` : `${fmt.count(total)} found.`;
}

/** One model in the list. */
function searchOption(models, k, id) {
  return el("li", { role: "option", id, "aria-selected": "false" },
    el("span", { class: "place-number" }, fmt.count(models.columns.rank[k])),
    shownName(models.names[k]));
}

/** Mark one of the options, and no other; none if it is beyond them. */
function markOption(input, list, at) {
  [...list.children].forEach((option, k) =>
    option.setAttribute("aria-selected", String(k === at)));
  const option = list.children[at];
  if (!option) {
    input.removeAttribute("aria-activedescendant");
    return;
  }
  input.setAttribute("aria-activedescendant", option.id);
  option.scrollIntoView({ block: "nearest" });
}

/** The elements of a search box. */
function finderNodes(id, label) {
  const input = el("input", { type: "text", id, role: "combobox", "aria-expanded": "false",
    "aria-controls": `${id}-list`, "aria-autocomplete": "list", autocomplete: "off",
    spellcheck: "false" });
  const list = el("ul", { id: `${id}-list`, role: "listbox", "aria-label": label, hidden: true });
  const said = el("span", { class: "unseen", role: "status" });
  const node = el("div", { class: "field" }, el("label", { for: id }, label), input, list, said);
  return { node, input, list, said };
}

/** Show or hide what was found. */
function openList(box, on) {
  const { input, list } = box;
  list.hidden = !on || !box.places.length;
  input.setAttribute("aria-expanded", String(!list.hidden));
  if (!on) markOption(input, list, (box.at = -1));
}

/** Search for what is in the box; the name of the model that was chosen asks for all. */
function searchNames(box) {
  const { input, list, said, models } = box;
  const every = matchingModels(box.keys, input.value === box.shown ? "" : input.value);
  box.places = every.slice(0, SITE_SHOWN);
  list.replaceChildren(...box.places.map((k, n) => searchOption(models, k, `${input.id}-${n}`)));
  said.textContent = searchWords(box.places.length, every.length);
  openList(box, true);
}

/** Search, once the names are there. */
async function searchWhenReady(box, load) {
  if (!box.models) {
    try {
      box.models = await load();
      box.keys = box.models.names.map(searchable);
      box.said.className = "unseen";
    } catch {
      box.said.textContent = `The names could not be fetched; ${fetchMend()}.`;
      box.said.className = "remark";
      return;
    }
  }
  if (document.activeElement === box.input) searchNames(box);
}

/** What keys do in the box. */
function pressKey(box, key, take) {
  const move = (step) => {
    if (box.list.hidden) searchNames(box);
    const at = Math.min(Math.max(box.at + step, 0), box.places.length - 1);
    markOption(box.input, box.list, (box.at = at));
  };
  const actions = {
    ArrowDown: () => move(1),
    ArrowUp: () => move(-1),
    Enter: () => !box.list.hidden && take(Math.max(box.at, 0)),
    Escape: () => openList(box, false),
  };
  if (!box.models || !Object.hasOwn(actions, key)) return false;
  actions[key]();
  return true;
}

/** A search box; load gives the models, choose is told the place of one. */
function modelFinder(id, label, load, choose) {
  const box = { ...finderNodes(id, label), models: null, keys: [], places: [], at: -1, shown: "" };
  const { node, input, list } = box;
  const take = (n) => {
    openList(box, false);
    choose(box.places[n]);
  };
  input.addEventListener("focus", () => {
    input.select();
    searchWhenReady(box, load);
  });
  input.addEventListener("input", () => {
    Object.assign(box, { at: -1, shown: "" });
    searchWhenReady(box, load);
  });
  input.addEventListener("blur", () => openList(box, false));
  input.addEventListener("keydown", (event) => {
    if (pressKey(box, event.key, take)) event.preventDefault();
  });
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  list.addEventListener("click", (event) => {
    const n = [...list.children].indexOf(event.target.closest("li"));
    if (n >= 0) take(n);
  });
  const show = (name) => { input.value = box.shown = shownName(name); };
  return { node, show };
}
