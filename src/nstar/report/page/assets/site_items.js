// The items of a pair on a site: ids and the scores of two models, fetched when they are asked for.

/** Ids and groups of the items of a benchmark. */
async function siteItems(data) {
  const bytes = await siteBytes(`items-${data.items}.bin`);
  return JSON.parse(new TextDecoder().decode(bytes));
}

/** Scores of two models one after the other, as a deck has them. */
function itemsOfTwo({ deck }, { ids, groups }, rows) {
  const joined = (parts) => Uint8Array.from(parts.flatMap((part) => [...part]));
  const found = { count: ids.length, ids, groups };
  if (!deck.binary) return { ...found, steps: new Uint16Array(joined(rows).buffer) };
  const half = rows[0].length / 2;
  const right = joined(rows.map((row) => row.subarray(0, half)));
  const there = joined(rows.map((row) => row.subarray(half)));
  return { ...found, right, there };
}

/** Fetch the items of a pair and show them in a node. */
async function fillItems(site, pairState, places, node) {
  const { data, load } = site;
  try {
    const models = await load();
    const [named, ...rows] = await Promise.all([site.itemsOf(),
      ...places.map((k) => siteBytes(`answers-${data.items}/${models.ids[k]}.bin`))]);
    pairState.deck.items = itemsOfTwo(data, named, rows);
    const panel = itemsPanel(pairState, { titled: false });
    node.replaceChildren(...panel.nodes);
    panel.show();
  } catch (error) {
    node.replaceChildren(el("p", { class: "remark" },
      `The items could not be shown: ${error.message}; ${fetchMend()}.`));
  }
}

/** What leads from a pair to its items; `places` are those of its models in rank order. */
function itemsNode(site, pairState, places) {
  if (site.data.items === null) {
    return el("p", { class: "remark" }, "This site does not show single items.");
  }
  const inside = el("div", { class: "inside" });
  const node = el("details", null,
    el("summary", null, el("h3", null, "What only one of them got right")), inside);
  let asked = false;
  node.addEventListener("toggle", () => {
    site.itemsOpen = node.open;
    if (!node.open || asked) return;
    asked = true;
    fillItems(site, pairState, places, inside);
  });
  node.open = Boolean(site.itemsOpen);
  return el("section", { id: "items" }, el("h2", null, "Item by item"), node);
}
