// The ladder under the rules of the moment: rank ranges, tiers, verdicts and intervals of gaps.
// Positions are percent across and pixels down, as in _ladder.py.

const BAR_PAD = 0.16;

/** First row and size of each tier among some rows. */
function tierRuns(tier, first, rows) {
  const runs = [];
  for (let k = 0; k < rows; k += 1) {
    if (k && tier[first + k] === tier[first + k - 1]) runs.at(-1).size += 1;
    else runs.push({ at: k, size: 1 });
  }
  return runs;
}

/** Every other tier on a ground of its own. */
function moveBands(svg, runs, step) {
  svg.querySelector(".bands").replaceChildren(...runs.filter((_, k) => k % 2 === 0)
    .map(({ at, size }) => svgEl("rect", { class: "band", width: "100%", y: at * step,
      height: size * step })));
}

/** A name beside the block of its tier, on the side with room. */
function placeName(text, left, right) {
  const after = right >= left;
  text.setAttribute("x", across(after ? 1 - right : left));
  text.setAttribute("dx", after ? 5 : -5);
  text.classList.toggle("e", !after);
}

/** A rank range beside its bar. */
function placeRange(text, low, high, [start, end]) {
  const after = end <= 1 - 3 / 29;
  text.setAttribute("x", across(after ? end : start));
  text.setAttribute("dx", after ? 5 : -5);
  text.setAttribute("class", after ? "ranks" : "ranks e");
  text.textContent = rankSetWords(low, high);
}

/** Bars of rank ranges on the blocks of tiers. */
function moveStairs(svg, { rankLo, rankHi }, runs) {
  const [step, low, ranks, first] = ["step", "low", "ranks", "first"].map((k) => +svg.dataset[k]);
  const x = (rank) => (rank - low) / ranks;
  const sides = runs.flatMap(({ at, size }) => {
    const start = x(first + at + 1);
    return Array.from({ length: size }, () => [start, 1 - start - size / ranks]);
  });
  svg.querySelector(".tier-block").replaceChildren(...runs.map(({ at, size }) =>
    svgEl("rect", { x: across(x(first + at + 1)), width: across(size / ranks), y: at * step,
      height: size * step, rx: 5 })));
  svg.querySelectorAll("[data-row]").forEach((row, k) => {
    const [from, to] = [rankLo[first + k], rankHi[first + k]];
    const bar = row.querySelector(".bar");
    row.setAttribute("class", from === to ? "one" : "many");
    bar.setAttribute("x", across(x(from + BAR_PAD)));
    bar.setAttribute("width", across((to - from + 1 - 2 * BAR_PAD) / ranks));
    const texts = row.querySelectorAll("text");
    if (svg.dataset.names === "beside") texts.forEach((text) => placeName(text, ...sides[k]));
    else if (svg.dataset.names === "none") placeRange(texts[0], from, to, [x(from), x(to + 1)]);
  });
}

/** Verdicts and intervals of the gaps, and the band of gaps that are not detected. */
function moveGaps(svg, state) {
  const { deck, view, board } = state;
  const [low, high, share] = ["low", "high", "share"].map((key) => Number(svg.dataset[key]));
  const unit = inPoints(deck) ? 100 : 1;
  const x = (gap) => (share * (Math.min(Math.max(unit * gap, low), high) - low)) / (high - low);
  const near = svg.querySelector(".near");
  if (near) {
    const mde = view.mde ?? 0;
    near.setAttribute("x", across(x(-mde)));
    near.setAttribute("width", across(x(mde) - x(-mde)));
  }
  svg.querySelectorAll("[data-gap]").forEach((row) => {
    const k = Number(row.dataset.gap);
    row.setAttribute("class", MARKS[view.next[k]]);
    row.querySelector("use")?.setAttribute("href", `#${MARKS[view.next[k]]}`);
    const line = row.querySelector(".ci");
    if (!line) return;
    const ends = adjustedInterval(deck, pairOf(board, k, k + 1), view, state.reach);
    ends.forEach((end, side) => line.setAttribute(`x${side + 1}`, across(x(end))));
  });
}

/** The ladder for wide and for narrow windows. */
function ladderPart(state) {
  const figure = document.getElementById("ladder");
  const heads = [...figure.querySelectorAll(".head")].flatMap((head) => [...head.childNodes])
    .map((node) => ({ node, parts: node.textContent.split(levelWords(state.deck.settings)) }));
  const [wide, narrow] = figure.querySelectorAll(".stairs");
  const show = () => {
    const { view, settings } = state;
    const [first, rows] = ["first", "rows"].map((key) => Number(wide.dataset[key]));
    const runs = tierRuns(view.tier, first, rows);
    const steps = [wide, narrow].map((svg) => Number(svg.dataset.step));
    figure.querySelectorAll(".ladder .bands").forEach((g) =>
      moveBands(g.parentNode, runs, steps[0]));
    figure.querySelectorAll(".narrow .bands").forEach((g) =>
      moveBands(g.parentNode, runs, steps[1]));
    [wide, narrow].forEach((svg) => moveStairs(svg, view, runs));
    figure.querySelectorAll("svg[data-share]").forEach((svg) => moveGaps(svg, state));
    heads.forEach(({ node, parts }) => {
      node.textContent = parts.join(levelWords(settings));
    });
  };
  return { nodes: [], show };
}
