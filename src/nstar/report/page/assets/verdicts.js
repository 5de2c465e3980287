/** Symbols of the verdicts, and their words in a table. */
const MARKS = ["sig", "und", "eq", "inc"];
const CHIP_WORDS = ["significant", "underpowered", "equivalent", "inconclusive"];

/** A verdict as a shape that does not rest on color. */
function verdictMark(code) {
  return svgEl("svg", { class: "g", viewBox: "0 0 12 12", "aria-hidden": "true" },
    svgEl("use", { href: `#${MARKS[code]}` }));
}

/** A verdict as a shape and a word. */
function verdictChip(code) {
  return el("span", { class: `chip ${MARKS[code]}` }, verdictMark(code), CHIP_WORDS[code]);
}
