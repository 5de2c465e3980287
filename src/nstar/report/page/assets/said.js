// The words of a page under the rules of the moment, each written by Python.

/** Sentences in place of others. */
function putSentences(list, sentences) {
  list?.replaceChildren(...sentences.map((text) => el("li", null, text)));
}

/** Title, lead, numbers and caution at the top of a page. */
function showTop({ headline: [title, rest], tiles, caution, next }) {
  document.getElementById("headline").textContent = title;
  for (const [id, text] of [["lead", rest], ["caution", caution]]) {
    const node = document.getElementById(id);
    if (!node) continue;
    node.textContent = text;
    node.hidden = !text;
  }
  document.querySelectorAll("#tiles .tile").forEach((node, k) => {
    const [number, unit, label, more] = tiles[k];
    node.querySelector("dt").textContent = label;
    node.querySelector(".big").replaceChildren(`${number}\u00a0`, el("small", null, unit));
    node.querySelector(".more").textContent = more;
    node.querySelector(".dots")?.replaceChildren(...Array.from(next ?? [], verdictMark));
  });
}

/** All words of a page: its top, paragraph and assumptions; what stays as run is marked so. */
function showWords(view, rules, { changed, asRun }) {
  showTop(view);
  document.getElementById("to-paste").textContent = view.paragraph;
  putSentences(document.querySelector("#assumptions ul"), view.assumptions);
  document.getElementById("rules-now").textContent = rules;
  document.querySelectorAll("[data-as-run]").forEach((node) => {
    node.hidden = !changed;
    node.textContent = `As run: ${asRun}.`;
  });
}
