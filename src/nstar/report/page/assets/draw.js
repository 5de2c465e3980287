/** The level of an interval: 95%. */
function levelWords({ alpha }) {
  return fmt.coverage(1 - alpha);
}

/** Which verdicts can occur: equivalence takes a margin. */
function possibleCodes(settings) {
  return [0, 1, 2, 3].filter((code) => code !== 2 || settings.margin !== null);
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

/** A share of the width as a position. */
function across(share) {
  return `${Number((100 * share).toFixed(2))}%`;
}

/** An axis with room for 0 and all finite values, as GapAxis in _gap_chart.py. */
function gapAxis(values) {
  const shown = [0, ...values.filter(Number.isFinite)];
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  const pad = (0.06 / 0.88) * (high - low) || 0.01;
  const [from, to] = [low - pad, high + pad];
  return { at: (x) => (x - from) / (to - from), from, to };
}

/** A gap on an axis as it is labeled: points, or score units. */
function tickLabel(scale, x) {
  const shown = inPoints(scale) ? 100 * x : x;
  const size = general(Math.abs(Number(shown.toPrecision(12))), 6);
  return size === "0" ? "0" : `${x < 0 ? "−" : "+"}${size}`;
}

/** A line between two shares of the width. */
function chartLine(kind, [x1, x2], [y1, y2]) {
  return svgEl("line", { class: kind, x1: across(x1), x2: across(x2), y1, y2 });
}

/** A text at a share of the width. */
function chartText(x, y, words, kind = "s m") {
  return svgEl("text", { class: kind, x: across(x), y }, words);
}

/** Which model is better on a side; narrow windows have its letter only. */
function chartSide(x, before, [letter, name], after, kind) {
  return svgEl("text", { class: kind, x: across(x), y: 146 }, `${before}${letter}`,
    svgEl("tspan", { class: "roomy" }, `, ${name},`), after);
}

/** The mark of a verdict at a share of the width. */
function chartPoint(x, y, kind, size = 10) {
  return svgEl("svg", { class: "o", x: across(x), y }, svgEl("use",
    { href: `#${kind}`, x: -size / 2, y: -size / 2, width: size, height: size }));
}

/** One gap with its interval and the gaps that are not detected, as in _gap_chart.py. */
function gapDrawing(scale, { delta, low, high, near, kind }, [first, second], words) {
  const axis = gapAxis([delta, low, high, near, -near]);
  const { at } = axis;
  const number = (x) => fmt.gap(scale, x, { sign: true });
  const bare = (x) => number(x).replace(/\spp$/, "");
  const ends = at(high) - at(low) > 0.16 ? ["s m", "s m"] : ["s e", "s"];
  return svgEl(
    "svg",
    { class: `chart gap ${kind}`, height: 150, role: "img", "aria-label": words },
    near > 0 && [svgEl("rect", { class: "near", x: across(at(-near)), y: 22, height: 82,
      width: across(at(near) - at(-near)) }),
    [-near, near].map((x) => chartLine("near-end", [at(x), at(x)], [22, 104])),
    chartText(at(near), 15, `MDE ${bare(near)}`)],
    chartLine("axis", [0, 1], [104, 104]),
    roundTicks(axis.from, axis.to, 6).map((x) => [chartLine("axis", [at(x), at(x)], [104, 109]),
      chartText(at(x), 123, tickLabel(scale, x))]),
    chartLine("zero", [at(0), at(0)], [12, 104]),
    Number.isFinite(low) && [chartLine("iv thick", [at(low), at(high)], [68, 68]),
      chartText(at(low), 91, bare(low), ends[0]), chartText(at(high), 91, bare(high), ends[1])],
    Number.isFinite(delta) && [chartPoint(at(delta), 68, kind, 20),
      chartText(at(delta), 48, number(delta), "b big m")],
    chartSide(0, "← ", second, " better", "s"),
    chartSide(1, "", first, " better →", "s e"),
  );
}

/** A gap in one row of a table; all rows have one axis. Unadjusted gaps have no verdict. */
function forestMark({ at }, { delta, ci }) {
  return svgEl(
    "svg",
    { class: "chart plain", height: 14, "aria-hidden": "true" },
    chartLine("zero", [at(0), at(0)], [-7, 21]),
    ci && chartLine("iv", [at(ci[0]), at(ci[1])], [7, 7]),
    Number.isFinite(delta) && chartPoint(at(delta), 7, "plain"),
  );
}
