// The words of a page under the rules of the moment, each written by Python.

/** Sentences in place of others. */
function putSentences(list, sentences) {
  list?.replaceChildren(...sentences.map((text) => el("li", null, text)));
}

/** Headline, paragraph and what they rest on; and what stays as run is marked so. */
function showWords({ headline, paragraph, assumptions }, rules, { changed, asRun }) {
  const [first, others] = headline;
  document.getElementById("headline").textContent = first;
  const lead = document.getElementById("lead");
  lead.textContent = others;
  lead.hidden = !others;
  document.getElementById("to-paste").textContent = paragraph;
  putSentences(document.querySelector("#assumptions ul"), assumptions);
  document.getElementById("rules-now").textContent = rules;
  document.querySelectorAll("[data-as-run]").forEach((node) => {
    node.hidden = !changed;
    node.textContent = `As run: ${asRun}.`;
  });
}
