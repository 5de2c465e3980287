// The ladder under the rules of the moment: rank sets with the labels at their ends, intervals of
// scores, bands of tiers, and the level that its words name.

// How far a score may stand beyond the field of scores.
const ROOM = 12;

/** A number as it stands in a drawing. */
function drawn(x, digits = 1) {
  return String(Number(x.toFixed(digits)));
}

/** Where the scores of a ladder stand, read off its dots; null if all scores are the same. */
function scoreScale(svg, mean) {
  const dots = [...svg.querySelectorAll(".score")]
    .flatMap((path) => [...path.getAttribute("d").matchAll(/M([-\d.]+)/g)])
    .map(([, x]) => Number(x));
  const last = mean.length - 1;
  const slope = (dots[last] - dots[0]) / (mean[last] - mean[0]);
  return Number.isFinite(slope) ? (score) => dots[0] + slope * (score - mean[0]) : null;
}

/** Where a ladder has its ranks, rows and scores. */
function ladderScale(svg, mean) {
  const keys = ["x1", "xm", "from", "to", "top", "step", "above", "apart"];
  const [x1, xm, from, to, top, step, above, apart] = keys.map((key) => Number(svg.dataset[key]));
  return {
    x: (rank) => x1 + ((xm - x1) * (rank - 1)) / Math.max(mean.length - 1, 1),
    y: (row) => top + step * row,
    score: scoreScale(svg, mean),
    inField: (x) => Math.min(Math.max(x, from), to),
    to, step, above, apart,
  };
}

/** How far the label of a bar stands from its end. */
function labelShift(bar) {
  return Number(/\bw(\d+)/.exec(bar.getAttribute("class"))[1]) / 2 + 4;
}

/** Move the rank set of a row, and the labels where it ends. */
function moveSet(row, { x, y }, k, from, to) {
  const { bar, low, high, away, at } = row;
  if (at === `${from} ${to}`) return;
  row.at = `${from} ${to}`;
  bar.classList.toggle("one", from === to);
  bar.setAttribute("d", `M${drawn(x(from))} ${drawn(y(k))}H${drawn(x(to) + 0.01, 2)}`);
  if (!low || !high) return;
  low.textContent = from < to ? fmt.count(from) : "";
  low.setAttribute("x", drawn(x(from) - away));
  high.textContent = fmt.count(to);
  high.setAttribute("x", drawn(x(to) + away));
}

/** Bands, one for each tier. */
function moveTiers(group, { y, step, above, apart }, tiers) {
  const model = group?.querySelector("rect");
  if (!model) return;
  const bands = [];
  tiers.forEach((tier, k) => {
    if (k && tier === tiers[k - 1]) bands.at(-1).to = k;
    else bands.push({ from: k, to: k });
  });
  group.replaceChildren(...bands.map(({ from, to }) => {
    const band = model.cloneNode();
    const height = (to - from + 1) * step;
    band.setAttribute("y", drawn(y(from) - above + apart / 2));
    band.setAttribute("height", drawn(height - apart));
    band.setAttribute("rx", drawn(Math.min(6, height / 4)));
    return band;
  }));
}

/** Ends of the interval of one score, cut at the field; null if there is none. */
function whisker({ score, inField }, limits, ci, k) {
  const ends = [ci[2 * k], ci[2 * k + 1]].map((step) => scoreOfStep(limits, step));
  return ends.some(Number.isNaN) ? null : ends.map((end) => inField(score(end)));
}

/** Move a score that stands beside its interval, on the side with room. */
function moveBeside(text, { to }, [low, high]) {
  const fits = high + 9 + text.getComputedTextLength() <= to + ROOM;
  text.setAttribute("x", drawn(fits ? high + 9 : low - 9));
  text.setAttribute("text-anchor", fits ? "start" : "end");
}

/** Move the intervals of all scores: one path each, or one for all where rows are thin. */
function moveScores({ whiskers, scale, rows }, { limits, names }, ci) {
  if (!scale.score || !whiskers.length) return;
  const ends = names.map((_, k) => whisker(scale, limits, ci, k));
  const path = (pair, k) => `M${drawn(pair[0])} ${drawn(scale.y(k))}H${drawn(pair[1])}`;
  const every = ends.map((pair, k) => (pair ? path(pair, k) : ""));
  rows.forEach(({ beside }, k) => beside && ends[k] && moveBeside(beside, scale, ends[k]));
  if (whiskers.length === 1) whiskers[0].setAttribute("d", every.join(""));
  else whiskers.forEach((path, k) => path.setAttribute("d", every[k]));
}

/** Parts of one drawing that move. */
function ladderParts(svg, { mean, settings }) {
  const asRun = fmt.coverage(1 - settings.alpha);
  const rows = [...svg.querySelectorAll(".row")].map((row) => {
    const bar = row.querySelector(".set");
    return { bar, low: row.querySelector(".lo"), high: row.querySelector(".hi"),
      beside: row.querySelector(".s.ink"), away: labelShift(bar) };
  });
  const words = [...svg.querySelectorAll("text")]
    .filter((text) => !text.closest(".row") && text.textContent.includes(asRun))
    .map((node) => ({ node, parts: node.textContent.split(asRun) }));
  return { svg, rows, words, scale: ladderScale(svg, mean), tiers: svg.querySelector(".tiers"),
    whiskers: [...svg.querySelectorAll(".ci")] };
}

/** The ladders of a page, one for wide and one for narrow windows; the one in sight moves. */
function ladderPart(state) {
  const { deck } = state;
  const ladders = [...document.querySelectorAll("#ladder svg[data-x1]")]
    .map((svg) => ladderParts(svg, deck));
  const move = (parts) => {
    const { svg, rows, words, scale, tiers } = parts;
    const { rankLo, rankHi, tier, ci, headline, settings } = state.view;
    rows.forEach((row, k) => moveSet(row, scale, k, rankLo[k], rankHi[k]));
    moveTiers(tiers, scale, Array.from(tier));
    moveScores(parts, deck, ci);
    const level = fmt.coverage(1 - settings.alpha);
    words.forEach(({ node, parts }) => { node.textContent = parts.join(level); });
    svg.querySelectorAll("title, desc").forEach((node) => { node.textContent = headline.join(" ").trim(); });
  };
  const moves = ladders.map((parts) => whenSeen(parts.svg, () => move(parts)));
  return { nodes: [], show: () => moves.forEach((due) => due()) };
}
