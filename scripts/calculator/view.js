// The view of the calculator: inputs, three panels, and the address that holds the inputs.

const NO_BREAK = "\u00a0";
const SVG = "http://www.w3.org/2000/svg";
const RHO_ROWS = [0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];
const MAX_ROWS_IN_ADDRESS = 300;
const MAX_ROWS_FROM_ADDRESS = 200000;

const $ = (selector, parent = document) => parent.querySelector(selector);
const $$ = (selector, parent = document) => [...parent.querySelectorAll(selector)];

// ---- Text ----

/** A number without trailing zeros. */
function short(x, digits = 6) {
  return String(Number(x.toFixed(digits)));
}

function count(n) {
  return Number.isFinite(n) && n < 1e15 ? wholeItems(n).toLocaleString("en") : "∞";
}

function withUnit(text, unit) {
  return unit ? `${text}${NO_BREAK}${unit}` : text;
}

function points(x, digits = 2) {
  return withUnit((100 * x).toFixed(digits), "pp");
}

function signed(x, digits) {
  const size = Math.abs(x).toFixed(digits);
  const sign = x < 0 ? "−" : "+";
  return `${Number(size) === 0 ? "" : sign}${size}`;
}

function pvalue(p) {
  if (p < 0.001) return "p < 0.001";
  return `p = ${p < 0.1 ? Number(p.toPrecision(2)) : p.toFixed(2)}`;
}

/** Decimals of a gap: one where its standard error is at least half a point, else two. */
function decimalsFor(se) {
  return 100 * se >= 0.5 ? 1 : 2;
}

/** One value, or the range of several. */
function range(values, text) {
  const [low, high] = [text(Math.min(...values)), text(Math.max(...values))];
  return low === high ? low : `${low} to ${high}`;
}

// ---- Elements ----

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children);
  return node;
}

function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  Object.entries(attributes).forEach(([key, value]) => node.setAttribute(key, value));
  node.append(...children);
  return node;
}

function label(x, y, kind, text) {
  return shape("text", { x, y, class: kind }, text);
}

function line(x1, y1, x2, y2, kind) {
  return shape("line", { x1, y1, x2, y2, class: kind });
}

function verdictChip(kind, word = kind) {
  const mark = shape("svg", { viewBox: "0 0 12 12", "aria-hidden": "true" });
  mark.append(shape("use", { href: `#${kind}` }));
  return element("span", { class: `chip ${kind}` }, mark, word);
}

// ---- Charts ----

function position({ min, max, log = false }, from, to) {
  const scaled = log ? Math.log : (v) => v;
  return (v) =>
    from + ((to - from) * (scaled(Math.max(v, log ? min : v)) - scaled(min))) / (scaled(max) - scaled(min));
}

/** A curve with a grid, a level, a band, and one marked point. */
function curveChart(host, { x, y, points: curve, mark, band, level, alt }) {
  const [width, height] = [Math.max(host.clientWidth, 260), 230];
  const [left, right, top, bottom] = [50, width - 14, 14, height - 44];
  const [atX, atY] = [position(x, left, right), position(y, bottom, top)];
  const svg = shape("svg", {
    class: "chart", height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": alt,
  });
  if (band) {
    const [from, to] = [atX(band.from), atX(band.to)];
    const box = { class: "band", x: from, width: Math.max(to - from, 0), y: top, height: bottom - top };
    svg.append(shape("rect", box), label((from + to) / 2, bottom - 8, "middle", band.name));
  }
  y.ticks.forEach((v) => {
    svg.append(line(left, atY(v), right, atY(v), "grid"), label(left - 8, atY(v) + 4, "end", y.text(v)));
  });
  x.ticks.forEach((v) => svg.append(label(atX(v), bottom + 18, "middle", x.text(v))));
  svg.append(label((left + right) / 2, height - 6, "middle", x.title));
  svg.append(line(left, bottom, right, bottom, "axis"));
  if (level) {
    svg.append(line(left, atY(level.value), right, atY(level.value), "level"));
    svg.append(label(left + 8, atY(level.value) + (level.isBelow ? 15 : -6), "halo", level.name));
  }
  const path = curve
    .filter(([, v]) => Number.isFinite(v))
    .map(([u, v]) => `${atX(u).toFixed(1)} ${atY(Math.min(Math.max(v, y.min), y.max)).toFixed(1)}`);
  if (path.length) svg.append(shape("path", { class: "curve", d: `M${path.join("L")}` }));
  if (mark && Number.isFinite(mark.y)) {
    const [px, py] = [atX(mark.x), atY(mark.y)];
    const isRight = px > width * 0.8;
    svg.append(line(px, py, px, bottom, "drop"));
    svg.append(shape("circle", { class: "point kind-underpowered", cx: px, cy: py, r: 5 }));
    const side = isRight ? -6 : 6;
    svg.append(label(px + side, py + (mark.isBelow ? 20 : -10), `strong halo${isRight ? " end" : ""}`, mark.name));
  }
  host.replaceChildren(svg);
}

/** The gap on a line: interval, the band of the MDE, and zero. */
function gapChart(host, { gap, low, high, mde, digits, kind, unit }) {
  const width = Math.max(host.clientWidth, 260);
  const ends = [low, high, mde].filter(Number.isFinite).map(Math.abs);
  const reach = 1.12 * Math.max(...ends, 1e-6);
  const at = position({ min: -reach, max: reach }, 10, width - 10);
  const scale = 10 ** Math.floor(Math.log10(reach));
  const most = width < 480 ? 2.6 : 4.2;
  const step = [0.1, 0.2, 0.5, 1, 2, 5].map((s) => s * scale).find((s) => reach / s <= most);
  const tickDigits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const hasMde = Number.isFinite(mde);
  const alt = `Gap ${signed(gap, digits)} ${unit}, interval ${signed(low, digits)} to ${signed(high, digits)}`;
  const svg = shape("svg", {
    class: "chart", height: 140, viewBox: `0 0 ${width} 140`, role: "img",
    "aria-label": hasMde ? `${alt}, MDE ${mde.toFixed(digits)}` : alt,
  });
  if (hasMde) {
    svg.append(shape("rect", { class: "band", x: at(-mde), width: at(mde) - at(-mde), y: 22, height: 78 }));
    svg.append(label(at(mde), 15, "middle", `MDE ${mde.toFixed(digits)}`));
    [-mde, mde].forEach((v) => svg.append(line(at(v), 22, at(v), 100, "edge")));
  }
  svg.append(line(10, 100, width - 10, 100, "axis"), line(at(0), 12, at(0), 100, "zero"));
  const ticks = Math.floor(reach / step);
  for (let k = -ticks; k <= ticks; k += 1) {
    svg.append(label(at(k * step), 118, "middle", k ? signed(k * step, tickDigits) : "0"));
  }
  svg.append(
    line(at(low), 64, at(high), 64, `interval kind-${kind}`),
    shape("circle", { class: `point kind-${kind}`, cx: at(gap), cy: 64, r: 8 }),
    label(at(gap), 44, "strong size middle halo", withUnit(signed(gap, digits), unit)),
    label(at(low), 87, "middle halo", signed(low, digits)),
    label(at(high), 87, "middle halo", signed(high, digits)),
    label(10, 137, "", "← B better"),
    label(width - 10, 137, "end", "A better →"),
  );
  host.replaceChildren(svg);
}

/** Ticks of a logarithmic axis of items. */
function itemTicks(min, max) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(min)); power <= Math.log10(max); power += 1) {
    ticks.push(...[1, 3].map((m) => m * 10 ** power).filter((v) => v >= min && v <= max));
  }
  return ticks.length > 6 ? ticks.filter((v) => Number.isInteger(Math.log10(v))) : ticks;
}

function itemAxis(n, reach, values) {
  const [min, max] = [Math.max(n / reach[0], 10), n * reach[1]];
  const text = (v) => (v >= 1e6 ? `${short(v / 1e6, 1)}M` : v >= 1e4 ? `${short(v / 1e3, 1)}k` : count(v));
  const grid = Array.from({ length: 90 }, (_, k) => min * (max / min) ** (k / 89));
  return {
    x: { min, max, log: true, ticks: itemTicks(min, max), text, title: "items that both models answer (log scale)" },
    points: grid.map((items) => [items, values(items)]),
  };
}

// ---- Inputs ----

function written(id) {
  return $(`#${id}`).value.trim().replace(",", ".").replace(/\s*%$/, "");
}

function number(id) {
  const text = written(id);
  return text === "" ? NaN : Number(text);
}

function currentRules() {
  return { alpha: number("alpha"), power: number("power") / 100, sides: $("#one-sided").checked ? 1 : 2 };
}

function ruleText({ alpha, power, sides }) {
  return `${short(100 * power, 1)}% power, ${sides === 1 ? "one-sided" : "two-sided"} α = ${alpha}`;
}

/** What a rule adds to a command and to a Python call. */
function ruleOptions({ alpha, power, sides }) {
  const options = [];
  if (alpha !== 0.05) options.push(["alpha", alpha, alpha]);
  if (power !== 0.8) options.push(["power", short(power), short(power)]);
  if (sides === 1) options.push(["alternative", "greater", '"greater"']);
  return {
    shell: options.map(([name, value]) => ` --${name} ${value}`).join(""),
    python: options.map(([name, , value]) => `, ${name}=${value}`).join(""),
  };
}

/** Throw what is wrong with an input as the text to show. */
function require(isValid, problem) {
  if (!isValid) throw new RangeError(problem);
}

function requireItems(n) {
  require(n >= 2 && Number.isInteger(n), "The number of items must be a whole number of at least 2.");
}

function requireRules({ alpha, power }) {
  require(alpha > 0 && alpha < 0.5, "The significance level must be between 0 and 0.5.");
  require(power > alpha && power < 1, "The power must be above the significance level and below 100%.");
}

// ---- Panels ----

function answer(panel, { big, unit, finding, more, chip, command, python }) {
  $(".big", panel).replaceChildren(big, element("small", {}, unit ? `${NO_BREAK}${unit}` : ""));
  $(".finding", panel).textContent = finding;
  $(".more", panel).replaceChildren(...(chip ? [chip] : []), more);
  const options = ruleOptions(currentRules());
  $(".shell", panel).textContent = `${command}${options.shell}`;
  $(".python", panel).textContent = python.replace(/\)$/, `${options.python})`);
}

function fillTable(panel, title, header, rows) {
  $("summary", panel).textContent = title;
  const cells = (tag, texts, attributes) => texts.map((text) => element(tag, attributes, text));
  $("table", panel).replaceChildren(
    element("thead", {}, element("tr", {}, ...cells("th", header, { scope: "col" }))),
    element("tbody", {}, ...rows.map(({ isChosen, texts }) =>
      element("tr", isChosen ? { class: "chosen" } : {}, ...cells("td", texts)))),
  );
}

function planPanel(panel) {
  const rules = currentRules();
  const knowsGap = $("#mode-gap").checked;
  $("#field-delta").hidden = !knowsGap;
  $("#field-items").hidden = knowsGap;
  const [base, rho] = [number("baseline") / 100, number("rho")];
  require(base > 0 && base < 1, "The baseline accuracy must be between 0% and 100%.");
  require(rho > -1 && rho < 1, "The item correlation must be between −1 and 1.");
  requireRules(rules);
  if (knowsGap) planForGap(panel, { base, rho, rules });
  else planForItems(panel, { base, rho, rules });
}

function planForGap(panel, { base, rho, rules }) {
  const delta = number("delta") / 100;
  const [baseText, deltaText] = [short(100 * base, 4), short(100 * delta, 4)];
  require(rules.sides === 2 || delta > 0, "A one-sided test needs a gap above 0.");
  const n = planItems(base, delta, rho, rules);
  require(Number.isFinite(n), `A ${deltaText} pp gap from a ${baseText}% baseline is impossible at rho = ${rho}.`);
  const psi = Math.max(psiFromRho(base + delta, base, rho), Math.abs(delta));
  const significant = significantGap(evenRound(psi * n), n, rules);
  const also = Number.isFinite(significant) ? ` An observed gap above ${points(significant, 1)} is then significant.` : "";
  answer(panel, {
    big: count(n),
    finding: `Detecting a ${deltaText} pp gap from a ${baseText}% baseline takes ${count(n)} items.`,
    more: `Both models answer all of them (${ruleText(rules)}, rho = ${rho}).${also}`,
    command: `nstar plan --baseline ${baseText}% --delta ${deltaText}pp --rho ${rho}`,
    python: `nstar.plan(baseline=${short(base)}, delta=${short(delta)}, rho=${rho})`,
  });
  const power = `${short(100 * rules.power, 1)}%`;
  curveChart($(".plot", panel), {
    ...itemAxis(n, [40, 4], (items) => approximatePower(delta, psi, items, rules)),
    y: { min: 0, max: 1, ticks: [0, 0.25, 0.5, 0.75, 1], text: (v) => `${100 * v}%` },
    mark: { x: n, y: rules.power, name: `${count(n)} items`, isBelow: true },
    level: { value: rules.power, name: `${power} power` },
    alt: `Power by number of items: ${count(n)} items have ${power} power`,
  });
  fillTable(panel, "By item correlation", ["rho", "disagree on", "items needed"], RHO_ROWS.map((r) => {
    const need = planItems(base, delta, r, rules);
    const share = `${(100 * psiFromRho(base + delta, base, r)).toFixed(1)}%`;
    const texts = Number.isFinite(need) ? [share, count(need)] : ["–", "impossible"];
    return { isChosen: r === rho, texts: [r.toFixed(1), ...texts] };
  }));
}

function planForItems(panel, { base, rho, rules }) {
  const n = number("items");
  requireItems(n);
  const [gain, loss] = [1, -1].map((sign) => planMde(base, n, rho, sign, rules));
  require(Number.isFinite(gain) || Number.isFinite(loss), `${count(n)} items detect no possible gap.`);
  const baseText = short(100 * base, 4);
  const name = (mde, word) => (Number.isFinite(mde) ? [`a ${word} of ${points(mde)}`] : []);
  const gaps = [...name(gain, "gain"), ...name(loss, "loss")].join(" or ");
  const main = Number.isFinite(gain) ? gain : loss;
  answer(panel, {
    big: (100 * main).toFixed(2),
    unit: "pp",
    finding: `${count(n)} items detect ${gaps} from a ${baseText}% baseline.`,
    more: `Smaller true gaps are detected with lower power (${ruleText(rules)}, rho = ${rho}).`,
    command: `nstar plan --baseline ${baseText}% --items ${n} --rho ${rho}`,
    python: `nstar.plan(baseline=${short(base)}, items=${n}, rho=${rho})`,
  });
  const sign = Number.isFinite(gain) ? 1 : -1;
  const axis = itemAxis(n, [12, 12], (items) => 100 * planMde(base, items, rho, sign, rules));
  const top = Math.max(...axis.points.map(([, v]) => v).filter(Number.isFinite));
  const step = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20].find((s) => top / s <= 5) || 20;
  const ticks = Array.from({ length: Math.floor(top / step) + 1 }, (_, k) => k * step);
  curveChart($(".plot", panel), {
    ...axis,
    y: { min: 0, max: top, ticks, text: (v) => withUnit(short(v, 1), "pp") },
    mark: { x: n, y: 100 * main, name: points(main) },
    alt: `Detectable gap by number of items: ${count(n)} items detect ${points(main)}`,
  });
  fillTable(panel, "By item correlation", ["rho", "smallest gain", "smallest loss"], RHO_ROWS.map((r) => {
    const mdes = [1, -1].map((s) => planMde(base, n, r, s, rules));
    const texts = mdes.map((mde) => (Number.isFinite(mde) ? points(mde) : "–"));
    return { isChosen: r === rho, texts: [r.toFixed(1), ...texts] };
  }));
}

/** Verdict of a claim: the chip and the sentence of the command line. */
function claimFinding({ gap, significance, mostDiscordant, typical }, n, digits) {
  const size = withUnit(signed(100 * gap, digits), "pp");
  if (significance === "always") {
    return ["significant", "Supported", `Supported: ${size} on ${count(n)} items is significant, however often the models disagree.`];
  }
  if (significance === "never") {
    return ["inconclusive", "Not supported", `Not supported: ${size} on ${count(n)} items is not significant, however often the models disagree.`];
  }
  const most = mostDiscordant === null ? 0 : mostDiscordant;
  const usual = range(typical.map((row) => evenRound(row.psi * n)), count).replace(" to ", "–");
  return ["inconclusive", "Depends", `Depends: ${size} on ${count(n)} items is significant only if the models disagree on at most ${count(most)} items; ${usual} is typical.`];
}

function claimPanel(panel) {
  const rules = currentRules();
  $("#impossible").textContent = "";
  const reported = ["first", "second"].map(written);
  const [pa, pb] = reported.map((text) => (text === "" ? NaN : Number(text) / 100));
  const n = number("claim-items");
  require([pa, pb].every((p) => p > 0 && p < 1), "Both accuracies must be between 0% and 100%.");
  require(pa !== pb, "The accuracies are equal, so there is no gap to check.");
  requireItems(n);
  requireRules(rules);
  const decimals = reported.map((text) => (text.split(".")[1] || "").length + 2);
  const claim = judgeClaim(pa, pb, n, decimals, rules);
  const digits = decimalsFor(Math.sqrt(Math.max(...claim.typical.map((row) => row.psi)) / n));
  const [kind, word, finding] = claimFinding(claim, n, digits);
  const thresholds = ["significant", "mde"].map((key) => {
    const values = claim.typical.map((row) => row[key]).filter(Number.isFinite);
    return values.length ? range(values, (v) => points(v, digits)).replace(/\u00a0pp to /, "–") : null;
  });
  const more = thresholds.every(Boolean)
    ? `Typically an observed gap above ${thresholds[0]} is significant and a true gap of ${thresholds[1]} is detected (${ruleText(rules)}).`
    : `At typical correlations, ${count(n)} items detect no possible gap (${ruleText(rules)}).`;
  answer(panel, {
    big: signed(100 * claim.gap, digits),
    unit: "pp",
    finding,
    chip: verdictChip(kind, word),
    more,
    command: `nstar claim ${reported[0]}% ${reported[1]}% --items ${n}`,
    python: `nstar.claim("${reported[0]}%", "${reported[1]}%", items=${n})`,
  });
  const [low, high] = [Math.max(claim.bounds[0], -0.2), claim.bounds[1]];
  const curve = Array.from({ length: 160 }, (_, k) => low + ((high - low) * k) / 159)
    .map((rho) => [rho, claim.at(rho).p]);
  const floor = Math.max(10 ** Math.floor(Math.log10(Math.min(...curve.map(([, p]) => p), 0.01))), 1e-6);
  const exponents = [0, -1, -2, -3, -4, -5, -6].filter((e) => 10 ** e >= floor * 0.999);
  const inside = (rho) => Math.min(Math.max(rho, low), high);
  curveChart($(".plot", panel), {
    x: {
      min: low, max: high, title: "item correlation between the two models (rho)",
      ticks: [-0.2, 0, 0.2, 0.4, 0.6, 0.8, 1].filter((v) => v >= low - 1e-9 && v <= high + 1e-9),
      text: (v) => `${v < 0 ? "−" : ""}${Math.abs(v).toFixed(1)}`,
    },
    y: { min: floor, max: 1, log: true, ticks: exponents.map((e) => 10 ** e), text: (v) => short(v) },
    points: curve,
    band: { from: inside(0.4), to: inside(0.7), name: "typical" },
    level: { value: rules.alpha, name: `α = ${rules.alpha}`, isBelow: curve[0][1] > rules.alpha },
    alt: `P-value by item correlation, from ${pvalue(curve[0][1])} to ${pvalue(curve.at(-1)[1])}`,
  });
  const rows = RHO_ROWS.filter((r) => r >= claim.bounds[0] && r <= claim.bounds[1]).map((r) => {
    const row = claim.at(r);
    const mde = Number.isFinite(row.mde) ? points(row.mde, digits) : "–";
    const texts = [r.toFixed(1), count(evenRound(row.psi * n)), pvalue(row.p).replace(/^p (= )?/, ""), mde, count(row.need)];
    return { isChosen: r >= 0.4 && r <= 0.7, texts };
  });
  fillTable(panel, "By item correlation", ["rho", "disagree on", "p", "MDE", "items needed"], rows);
  const impossible = reported.filter((_, k) => !claim.grims[k].isPossible).map((text) => `${text}%`);
  if (impossible.length) {
    const verb = impossible.length > 1 ? "are not possible scores" : "is not a possible score";
    $("#impossible").textContent = `${impossible.join(" and ")} ${verb} on ${count(n)} items.`;
  }
}

const WORDS = new Map([
  ...["true", "correct", "yes", "pass"].map((word) => [word, 1]),
  ...["false", "incorrect", "no", "fail"].map((word) => [word, 0]),
]);

/** The last two cells of each line as scores. */
function parseColumns(text) {
  const [a, b] = [[], []];
  let skipped = 0;
  text.split(/\r?\n/).map((row) => row.trim()).filter(Boolean).forEach((row, k) => {
    const cells = row.split(/[\t,; ]+/).slice(-2);
    const scores = cells.map((cell) => WORDS.get(cell.toLowerCase()) ?? (cell === "" ? NaN : Number(cell)));
    if (scores.length === 2 && scores.every(Number.isFinite)) {
      a.push(scores[0]);
      b.push(scores[1]);
    } else if (k > 0) {
      skipped += 1;
    }
  });
  return { a, b, skipped };
}

function columnVerdict(result, alpha) {
  if (result.p > alpha) return "inconclusive";
  return result.need <= result.n ? "significant" : "underpowered";
}

function columnFinding(kind, { gap, sides, text, interval, p, n }) {
  const end = `(${interval}, ${pvalue(p)}, ${count(n)} items).`;
  if (kind !== "inconclusive") return `A ${gap < 0 ? "trails" : "beats"} B by ${text} ${end}`;
  if (sides === 1 && gap < 0) return `A is not shown to be better: A scores ${text} below B ${end}`;
  return gap === 0
    ? `Inconclusive: A and B have the same mean ${end}`
    : `Inconclusive: A scores ${text} ${gap < 0 ? "below" : "above"} B ${end}`;
}

function columnsPanel(panel) {
  const rules = currentRules();
  const { a, b, skipped } = parseColumns($("#data").value);
  require(a.length >= 3, $("#data").value.trim() ? "At least 3 rows with two numbers are needed." : "Paste two columns, or load the example.");
  requireRules(rules);
  const result = compareColumns(a, b, rules);
  require(result.p > 0 && a.some((v, k) => v - b[k] !== a[0] - b[0]), "The gap is the same on every item, so its standard error cannot be estimated.");
  const isShare = [...a, ...b].every((v) => v >= 0 && v <= 1);
  const [scale, unit] = isShare ? [100, "pp"] : [1, ""];
  const critical = zOf(levelOf(rules));
  const digits = isShare ? decimalsFor((result.high - result.low) / (2 * critical)) : 2;
  const size = (x) => withUnit((scale * Math.abs(x)).toFixed(digits), unit);
  const kind = columnVerdict(result, rules.alpha);
  const coverage = `${short(100 * (1 - levelOf(rules)), 2)}% CI`;
  const interval = `${coverage} ${signed(scale * result.low, digits)} to ${withUnit(signed(scale * result.high, digits), unit)}`;
  const { n, p, gap } = result;
  const thresholds = Number.isFinite(result.mde) && Number.isFinite(result.significant)
    ? `An observed gap of ${size(result.significant)} or more is significant; a true gap of ${size(result.mde)} is detected with ${short(100 * rules.power, 1)}% power.`
    : "No gap can be detected on these items.";
  answer(panel, {
    big: signed(scale * gap, digits),
    unit,
    finding: columnFinding(kind, { gap, sides: rules.sides, text: size(gap), interval, p, n }),
    chip: verdictChip(kind, kind === "underpowered" ? "significant, underpowered" : kind),
    more: thresholds,
    command: "nstar compare scores.csv --a A --b B",
    python: a.length <= 24 ? `nstar.compare([${a.join(", ")}], [${b.join(", ")}])` : "nstar.compare(a, b)",
  });
  gapChart($(".plot", panel), {
    gap: scale * gap, low: scale * result.low, high: scale * result.high, mde: scale * result.mde, digits, kind, unit,
  });
  const score = (x) => (isShare ? `${(100 * x).toFixed(1)}%` : short(x, 4));
  const rows = [
    ["A", score(result.ma)],
    ["B", score(result.mb)],
    ["items to resolve this gap (N*)", count(result.need)],
    ["item correlation (rho)", Number.isFinite(result.rho) ? result.rho.toFixed(2) : "–"],
    ["test", result.test],
    ["rows skipped", count(skipped)],
  ];
  if (result.cells) {
    const { n11, n10, n01, n00 } = result.cells;
    rows.splice(2, 0, ["both correct", count(n11)], ["only A correct", count(n10)], ["only B correct", count(n01)], ["neither correct", count(n00)]);
  }
  fillTable(panel, "Details", ["", ""], rows.map((texts) => ({ texts })));
}

// ---- Tabs and the address ----

const TABS = {
  plan: { show: planPanel, fields: ["baseline", "delta", "items", "rho"] },
  claim: { show: claimPanel, fields: ["first", "second", "claim-items"] },
  columns: { show: columnsPanel, fields: [] },
};
const RULE_FIELDS = { alpha: "0.05", power: "80" };
let tab = "plan";

function writeColumns(query) {
  const { a, b } = parseColumns($("#data").value);
  if (a.length && [...a, ...b].every((v) => v === 0 || v === 1)) {
    const { n11, n10, n01, n00 } = cellsOf(a, b);
    query.set("cells", [n11, n10, n01, n00].join("-"));
  } else if (a.length && a.length <= MAX_ROWS_IN_ADDRESS) {
    query.set("rows", a.map((v, k) => `${v}_${b[k]}`).join("~"));
  }
}

function writeAddress() {
  const query = new URLSearchParams({ t: tab });
  const unused = $("#mode-gap").checked ? "items" : "delta";
  TABS[tab].fields.filter((id) => id !== unused).forEach((id) => query.set(id, $(`#${id}`).value));
  if (tab === "columns") writeColumns(query);
  Object.entries(RULE_FIELDS).forEach(([id, usual]) => {
    if ($(`#${id}`).value !== usual) query.set(id, $(`#${id}`).value);
  });
  if ($("#one-sided").checked) query.set("sides", "1");
  history.replaceState(null, "", `#${query}`);
}

function readAddress() {
  const query = new URLSearchParams(location.hash.slice(1));
  const ids = [...Object.values(TABS).flatMap(({ fields }) => fields), ...Object.keys(RULE_FIELDS)];
  ids.filter((id) => query.has(id)).forEach((id) => {
    $(`#${id}`).value = query.get(id);
  });
  $("#one-sided").checked = query.get("sides") === "1";
  $(query.has("items") && !query.has("delta") ? "#mode-items" : "#mode-gap").checked = true;
  if (query.has("cells")) {
    const counts = query.get("cells").split("-").map((v) => Math.floor(Number(v)) || 0);
    const [n11, n10, n01, n00] = counts.map((v) => Math.min(Math.max(v, 0), MAX_ROWS_FROM_ADDRESS / 4));
    $("#data").value = ["1\t1\n".repeat(n11), "1\t0\n".repeat(n10), "0\t1\n".repeat(n01), "0\t0\n".repeat(n00)].join("");
  } else if (query.has("rows")) {
    $("#data").value = query.get("rows").split("~").map((row) => row.replace("_", "\t")).join("\n");
  }
  if (Object.hasOwn(TABS, query.get("t") ?? "")) tab = query.get("t");
}

function showPanel() {
  const panel = $(`#${tab}`);
  panel.classList.remove("invalid");
  $$("[data-for]").forEach((slider) => {
    slider.value = number(slider.dataset.for);
  });
  $("#rules-now").textContent = ruleText(currentRules());
  try {
    TABS[tab].show(panel);
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem;
    panel.classList.add("invalid");
    $(".error", panel).textContent = problem.message;
  }
}

function refresh() {
  showPanel();
  writeAddress();
}

function chooseTab(name) {
  tab = name;
  Object.keys(TABS).forEach((id) => {
    const button = $(`#tab-${id}`);
    button.setAttribute("aria-selected", String(id === name));
    button.tabIndex = id === name ? 0 : -1;
    $(`#${id}`).hidden = id !== name;
  });
}

function openAddress() {
  readAddress();
  chooseTab(tab);
  showPanel();
}

async function copy(button) {
  const { of } = button.dataset;
  const source = of === "link" ? null : $(`.${of}`, button.closest(".panel"));
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(source ? source.textContent : location.href);
    button.textContent = "Copied";
  } catch {
    if (source) getSelection().selectAllChildren(source);
    button.textContent = "Press Ctrl+C";
  }
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}

function example() {
  const rows = Array.from({ length: 200 }, (_, k) => {
    const place = (k * 7919) % 200;
    return place < 118 ? "1\t1" : place < 142 ? "1\t0" : place < 153 ? "0\t1" : "0\t0";
  });
  return ["A\tB", ...rows].join("\n");
}

function setData(text) {
  $("#data").value = text;
  refresh();
}

$$(".output").forEach((output) => output.append($("#answer").content.cloneNode(true)));
openAddress();
const names = Object.keys(TABS);
names.forEach((name, place) => {
  const button = $(`#tab-${name}`);
  button.addEventListener("click", () => {
    chooseTab(name);
    refresh();
  });
  button.addEventListener("keydown", ({ key }) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (!step) return;
    chooseTab(names[(place + step + names.length) % names.length]);
    $(`#tab-${tab}`).focus();
    refresh();
  });
});
$$("[data-for]").forEach((slider) => {
  slider.addEventListener("input", () => {
    $(`#${slider.dataset.for}`).value = slider.value;
    refresh();
  });
});
$$("input:not([data-for]), textarea").forEach((input) => input.addEventListener("input", refresh));
$$(".copy").forEach((button) => button.addEventListener("click", () => copy(button)));
$("#example").addEventListener("click", () => setData(example()));
$("#clear").addEventListener("click", () => {
  setData("");
  $("#data").focus();
});
addEventListener("hashchange", openAddress);
let resizing = 0;
addEventListener("resize", () => {
  clearTimeout(resizing);
  resizing = setTimeout(showPanel, 80);
});
document.documentElement.dataset.ready = "true";
