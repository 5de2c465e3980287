/** A verdict as a shape that does not rest on color. */
function verdictMark(code) {
  const shape = code === 2
    ? svgEl("path", { class: "v2", d: "M5 0L10 5L5 10L0 5Z" })
    : svgEl("circle", { class: `v${code}`, cx: 5, cy: 5, r: 4.2 });
  const half = code === 1 ? svgEl("path", { class: "v0", d: "M5 .8A4.2 4.2 0 0 0 5 9.2Z" }) : null;
  return svgEl("svg", { class: "mark", viewBox: "0 0 10 10", "aria-hidden": "true" }, shape, half);
}

/** A verdict as its shape and its word. */
function verdictWords(code) {
  return [verdictMark(code), VERDICT_WORDS[code]];
}

/** Which verdicts can occur: equivalence takes a margin. */
function possibleCodes(settings) {
  return [0, 1, 2, 3].filter((code) => code !== 2 || settings.margin !== null);
}

/** Shares of verdicts in a line. */
function verdictBar(counts) {
  const total = counts.reduce((a, b) => a + b, 0);
  let x = 0;
  const parts = counts.map((n, code) => {
    const width = total ? (100 * n) / total : 0;
    const part = svgEl("rect", { class: `v${code}`, x, y: 0, width, height: 10 });
    x += width;
    return n ? part : null;
  });
  const box = { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" };
  return svgEl("svg", box, parts);
}

/** The ranks that the data leave open, on an axis of ranks. */
function rankBar(low, high, rank, models) {
  const at = (r) => 4 + (92 * (r - 1)) / Math.max(models - 1, 1);
  return svgEl(
    "svg",
    { class: "span", viewBox: "0 0 100 10", "aria-hidden": "true" },
    svgEl("path", { class: "track", d: "M0 5H100" }),
    svgEl("path", { class: "open", d: `M${at(low) - 2} 5H${at(high) + 2}` }),
    svgEl("circle", { class: "dot", cx: at(rank), cy: 5, r: 2 }),
  );
}

/** Round numbers between two, about so many. */
function roundTicks(low, high, wanted) {
  const raw = (high - low) / wanted;
  const size = 10 ** Math.floor(Math.log10(raw));
  const step = size * [1, 2, 5, 10].find((k) => k * size >= raw * 0.999);
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: last - first + 1 }, (_, k) => (first + k) * step);
}

/** A straight map from scores to places that shows all these values and 0. */
function gapScale(values, start, stop) {
  const seen = [0, ...values.filter(Number.isFinite)];
  const [low, high] = [Math.min(...seen), Math.max(...seen)];
  const pad = 0.06 * (high - low) || 0.01;
  const [from, to] = [low - pad, high + pad];
  const at = (x) => start + ((stop - start) * (x - from)) / (to - from);
  return { at: (x) => Number(at(x).toFixed(2)), from, to };
}

/** A gap on an axis as it is labeled: points, or score units. */
function tickLabel(scale, x) {
  const shown = inPoints(scale) ? 100 * x : x;
  const size = general(Math.abs(Number(shown.toPrecision(12))), 6);
  return size === "0" ? "0" : `${x < 0 ? "−" : "+"}${size}`;
}

/** One gap with its interval, and the gaps that would go unnoticed. */
function gapDrawing(scale, { delta, low, high, near }, words) {
  const { at, from, to } = gapScale([delta, low, high, near, -near], 20, 380);
  const ticks = roundTicks(from, to, 5);
  return svgEl(
    "svg",
    { class: "gap", viewBox: "0 0 400 76", role: "img", "aria-label": words },
    near > 0 && svgEl("rect", { class: "near", x: at(-near), y: 4, height: 46,
      width: at(near) - at(-near) }),
    ticks.map((x) => svgEl("path", { class: "tick", d: `M${at(x)} 50v5` })),
    svgEl("path", { class: "tick", d: "M8 50H392" }),
    svgEl("path", { class: "zero", d: `M${at(0)} 4V50` }),
    Number.isFinite(low) && svgEl("path", { class: "whisker", d: `M${at(low)} 27H${at(high)}` }),
    Number.isFinite(delta) && svgEl("circle", { class: "point", cx: at(delta), cy: 27, r: 6.5 }),
    ticks.map((x) => svgEl("text", { x: at(x), y: 69, "text-anchor": "middle" },
      tickLabel(scale, x))),
  );
}

/** A gap in one row of a forest; all rows have one map, from 4 to 196. */
function forestMark({ at }, { delta, ci }) {
  const known = Number.isFinite(delta);
  return svgEl(
    "svg",
    { class: "forest", viewBox: "0 0 200 11", "aria-hidden": "true" },
    known && svgEl("rect", { class: "bar", x: Math.min(at(0), at(delta)), y: 2.5, height: 6,
      width: Math.abs(at(delta) - at(0)) }),
    svgEl("path", { class: "zero", d: `M${at(0)} 0V11` }),
    ci && svgEl("path", { class: "whisker", d: `M${at(ci[0])} 5.5H${at(ci[1])}` }),
    known && svgEl("circle", { class: "point", cx: at(delta), cy: 5.5, r: 2.6 }),
  );
}
