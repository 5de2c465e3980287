// A comparison in words and rows: the twin of report/_compare_headline.py and comparison.py.

/** "p = 0.03", or "p < " the smallest that is printed. */
function pText(p) {
  const value = fmt.pvalue(p);
  return value.startsWith("<") ? `p ${value}` : `p = ${value}`;
}

/** Interval and p-value. */
function evidenceText(task, judged, sides) {
  const span = fmt.span(task, ...judged.ci);
  const side = sides === 1 ? "one-sided " : "";
  return `${fmt.coverage(judged.conf)} interval ${span}, ${side}${pText(task.p)}`;
}

/** The smallest gap this benchmark shows. */
function detectableText(task, judged, delta0) {
  let text = `${fmt.items(task.n)} are too few to detect a gap reliably`;
  if (judged.mde !== null) {
    text = `this benchmark can detect ${fmt.gap(task, judged.mde)}`;
  } else if (judged.mdeLeast !== null) {
    text =
      "they disagree too rarely for any gap to be detected reliably; even with every " +
      `disagreement in favour of one model it would take ${fmt.gap(task, judged.mdeLeast)}`;
  } else if (task.se === 0 && task.n > 1) {
    return `what it can detect is unknown, ${UNMEASURED}`;
  }
  if (delta0 === null || judged.qDelta0 === null) return text;
  const enough = judged.qDelta0 >= 1 ? "enough" : "too little";
  const declared = fmt.gap(task, delta0);
  return `${text} (${enough} for the declared ${declared}: q = ${fixed(judged.qDelta0, 2)})`;
}

/** A number of items still missing, and of clusters. */
function moreText(task, more) {
  const word = `${fmt.count(more)} more item${more === 1 ? "" : "s"}`;
  if (task.design.kind !== "cluster" || !task.design.groups) return word;
  const clusters = fmt.count(Math.ceil((more * task.design.groups) / task.n));
  return `${word} in about ${clusters} new clusters of the same sizes`;
}

/** How many more items would do; nothing where no number would help. */
function settleText(task, judged, delta0) {
  if (!judged.moreItems) return "";
  const more = moreText(task, judged.moreItems);
  if (delta0 !== null) return `detecting the declared ${fmt.gap(task, delta0)} takes ${more}`;
  const seen = fmt.gap(task, task.delta, { sign: true });
  return `if the gap is really ${seen}, ${more} would settle it`;
}

/** The groups, where they were declared. */
function groupsText(task) {
  const { kind, groups } = task.design;
  if (kind === "items") return "";
  return ` in ${fmt.count(groups)} ${kind === "strata" ? "strata" : "clusters"}`;
}

/** The finding itself, without what the benchmark could have found. */
function findingText(task, judged, sides, [first, second]) {
  const size = fmt.gap(task, Math.abs(task.delta));
  const signed = fmt.gap(task, task.delta, { sign: true });
  const found = evidenceText(task, judged, sides);
  const on = `on ${fmt.items(task.n)}${groupsText(task)}`;
  const { verdict, equivalence } = judged;
  if (verdict === "better" || verdict === "worse") {
    const verb = verdict === "better" ? "beats" : "trails";
    return `${first} ${verb} ${second} by ${size} (${found}), ${on}`;
  }
  if (verdict === "equivalent") {
    const level = fmt.coverage(equivalence.conf);
    const inside = `${level} interval ${fmt.span(task, ...equivalence.ci)}`;
    const margin = fmt.gap(task, equivalence.margin);
    return (
      `${first} and ${second} are equivalent within ${margin}: the gap is ${signed} ` +
      `(${inside}), ${on}`
    );
  }
  if (verdict === "borderline") {
    const ahead = task.delta > 0 !== task.lower ? "ahead of" : "behind";
    return (
      `Borderline: ${first} is ${ahead} ${second} by ${size}, and test and interval disagree ` +
      `(${found}), ${on}`
    );
  }
  if (task.sigma === 0 && task.delta === 0) {
    const every = task.n > 1 ? "all " : "";
    return `${first} and ${second} score the same on ${every}${fmt.items(task.n)} (${found})`;
  }
  if (sides === 1) {
    const lead = `${first} is not shown to be better than ${second}`;
    return `${lead}: the gap is ${signed} (${found}), ${on}`;
  }
  const here = `${fmt.items(task.n)}${groupsText(task)}`;
  const open = equivalence && !equivalence.equivalent
    ? ` and is not shown to be within ${fmt.gap(task, equivalence.margin)}` : "";
  return `${here} cannot tell ${first} and ${second} apart: the gap is ${signed} (${found})${open}`;
}

/** What it would take to find the gap again. */
function againText(judged, rules) {
  return (
    `to find a gap of that size again with ${fmt.probability(rules.power)} probability would ` +
    `take ${fmt.items(Math.ceil(judged.nStar - 1e-9))} (q = ${fixed(judged.q, 2)})`
  );
}

/** One sentence about one task. */
function taskSentence(deck, task, judged, settings) {
  const parts = [
    findingText(task, judged, deck.sides, deck.names),
    detectableText(task, judged, settings.delta0),
  ];
  if (judged.verdict === "inconclusive" || judged.verdict === "borderline") {
    parts.push(settleText(task, judged, settings.delta0));
  } else if (judged.verdict !== "equivalent" && judged.q !== null && !judged.resolved) {
    parts.push(againText(judged, settings));
  }
  return `${parts.filter(Boolean).join("; ")}.`;
}

/** The count of verdicts over tasks. */
function tasksSentence(deck, judged) {
  const seen = (word) => judged.filter((j) => j.verdict === word).length;
  const [first, second] = deck.names;
  const lead =
    `${first} is better than ${second} on ${fmt.count(seen("better"))} of ` +
    `${fmt.count(judged.length)} tasks and worse on ${fmt.count(seen("worse"))} after Holm's ` +
    "adjustment";
  const rest = ["equivalent", "borderline", "inconclusive"]
    .filter(seen)
    .map((word) => `${fmt.count(seen(word))} ${seen(word) === 1 ? "is" : "are"} ${word}`);
  return rest.length ? `${lead}; ${listedWords(rest)}.` : `${lead}.`;
}

/** The first sentence: of one task, or the count of verdicts over several. */
function comparisonSentence(deck, judged, settings) {
  if (judged.length > 1) return tasksSentence(deck, judged);
  return taskSentence(deck, deck.tasks[0], judged[0], settings);
}

/** A correlation with two decimals. */
function correlationText(rho) {
  return fixed(rho, 2).replace("-", "−");
}

/** Two numbers of three digits. */
function spanText([low, high], text) {
  return `${text(low)} to ${text(high)}`;
}

/** Rows of the table of one task, as document() has them: name, value, interval. */
function numberRows(task, judged) {
  const three = (x) => general(x, 3);
  const gap = fmt.gap(task, task.delta, { sign: true, column: true });
  const rho = task.rho === null ? "–" : correlationText(task.rho);
  const rows = [
    ...task.fixed.above,
    ["gap", gap, fmt.span(task, ...judged.ci, { column: true })],
    ...task.fixed.below,
    ["item correlation rho", rho, judged.rhoCi ? spanText(judged.rhoCi, correlationText) : "–"],
    ["MDE", fmt.gap(task, judged.mde, { column: true }), ""],
  ];
  if (judged.q !== null) {
    rows.push(
      ["q at the observed gap", three(judged.q), spanText(judged.qCi, three)],
      ["items needed for it", fmt.count(judged.nStar), spanText(judged.nStarCi, fmt.count)],
    );
  }
  return rows;
}

/** Rows of what was declared, and of what it comes to. */
function askedRows(task, judged, settings) {
  const rows = [];
  if (settings.delta0 !== null) {
    const q = judged.qDelta0 === null ? "–" : fixed(judged.qDelta0, 2);
    const size = fmt.gap(task, settings.delta0);
    rows.push(
      [`q at ${size}`, q, ""],
      [`items needed for ${size}`, fmt.count(judged.nStarDelta0), ""],
    );
  }
  const e = judged.equivalence;
  if (e) {
    const margin = fmt.gap(task, e.margin);
    const level = fmt.coverage(e.conf);
    const span = `${fmt.span(task, ...e.ci, { column: true })} (${level})`;
    rows.push([`gap within ${margin}`, e.equivalent ? "shown" : "not shown", span]);
    rows.push([`p (gap of ${margin} or more)`, fmt.pvalue(e.p), ""]);
  }
  rows.push(["verdict", judged.verdict, ""]);
  return rows;
}

/** Header of the table of tasks. */
function taskHeads(deck, judged, settings) {
  const scale = deck.tasks[0];
  const heads = [...deck.table.heads, "gap", `${fmt.coverage(judged[0].conf)} interval`];
  heads.push("p, Holm", "MDE");
  if (settings.delta0 !== null) heads.push(`q at ${fmt.gap(scale, settings.delta0)}`);
  if (settings.margin !== null) heads.push(`within ${fmt.gap(scale, settings.margin)}`);
  return [...heads, "verdict"];
}

/** Rows of the table of tasks. */
function taskRows(deck, judged, settings) {
  return deck.tasks.map((task, k) => {
    const j = judged[k];
    const row = [
      deck.table.labels[k],
      fmt.count(task.n),
      fmt.score(task, task.mean_a),
      fmt.score(task, task.mean_b),
      fmt.gap(task, task.delta, { sign: true, column: true }),
      fmt.span(task, ...j.ci, { column: true }),
      fmt.pvalue(task.p_adjusted),
      fmt.gap(task, j.mde, { column: true }),
    ];
    if (settings.delta0 !== null) row.push(j.qDelta0 === null ? "–" : fmt.ratio(j.qDelta0));
    if (j.equivalence) row.push(j.equivalence.equivalent ? "shown" : "not shown");
    return [...row, j.verdict];
  });
}
