const SVG_SPACE = "http://www.w3.org/2000/svg";
const ADDRESSES = ["href", "src", "action", "formaction", "poster", "data", "xlink:href"];
const REFUSED_TAGS = ["script", "style", "iframe", "object", "embed", "link", "meta", "base"];
const HERE = /^(#|(\.{1,2}\/)*([\w%][\w%./-]*)?([?#]|$))/;
const TINY = 1e-12;
const TINY_GAP = 1e-9;

/** Set one attribute; handlers, styles and addresses of other places are refused. */
function setSafely(node, key, value) {
  const name = key.toLowerCase();
  if (name.startsWith("on") || name === "style" || name === "srcdoc") {
    throw new Error(`attribute refused: ${name}`);
  }
  if (ADDRESSES.includes(name) && !HERE.test(value)) {
    throw new Error(`address refused: ${name}`);
  }
  node.setAttribute(key, value === true ? "" : String(value));
}

/** Fill a new element; strings and numbers become text, null and false nothing. */
function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value !== null && value !== undefined && value !== false) setSafely(node, key, value);
  }
  const shown = children.flat(Infinity);
  node.append(...shown.filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

/** An HTML element. */
function el(tag, attributes, ...children) {
  if (REFUSED_TAGS.includes(tag.toLowerCase())) throw new Error(`element refused: ${tag}`);
  return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
function svgEl(tag, attributes, ...children) {
  if (REFUSED_TAGS.includes(tag.toLowerCase())) throw new Error(`element refused: ${tag}`);
  return filled(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

/** A box that scrolls by itself, also by keyboard. */
function scrollBox(label, ...children) {
  const box = { class: "scroll", role: "region", tabindex: 0, "aria-label": label };
  return el("div", box, ...children);
}

/** A caption that stays in sight when its table scrolls sideways. */
function captionEl(...words) {
  return el("caption", null, el("span", null, ...words));
}

/** Characters that show nothing, as in nstar._base.visible. */
const HIDDEN =
  /[\p{C}\p{Zl}\p{Zp}\p{DI}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}/gu;

/** A stranger's name: hidden characters become "?", the middle of a long one goes. */
function shownName(text, limit = 80) {
  const clean = Array.from(String(text).replace(HIDDEN, "?"));
  if (clean.length <= limit) return clean.join("");
  const half = Math.floor((limit - 1) / 2);
  return `${clean.slice(0, limit - 1 - half).join("")}…${clean.slice(-half).join("")}`;
}

/** A name as it is searched: without accents and in small letters. */
function searchable(text) {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

/** Whether the digits after a cut are exactly one half. */
function isHalf(tail) {
  return /^50*$/.test(tail);
}

/** The sign that Python prints, also of a negative zero. */
function minusOf(x) {
  return x < 0 || Object.is(x, -0) ? "-" : "";
}

/** x with so many decimals; exact halves go to the even digit, as in Python. */
function fixed(x, decimals) {
  const size = Math.abs(x);
  if (!Number.isFinite(x)) return minusOf(x) + size;
  const zeros = decimals ? `.${"0".repeat(decimals)}` : "";
  if (size >= 1e21) return `${minusOf(x)}${BigInt(size)}${zeros}`;
  const exact = size.toFixed(decimals + 60);
  const head = exact.slice(0, -60).replace(/\.$/, "");
  const even = "02468".includes(head.at(-1));
  return minusOf(x) + (isHalf(exact.slice(-60)) && even ? head : size.toFixed(decimals));
}

/** Mantissa and exponent of size with so many decimals; exact halves go to the even digit. */
function mantissa(size, decimals) {
  const [exact, power] = size.toExponential(100).split("e");
  const cut = decimals ? 2 + decimals : 1;
  const tail = exact.slice(decimals ? cut : 2);
  if (isHalf(tail) && "02468".includes(exact.slice(0, cut).at(-1))) {
    return [exact.slice(0, cut), Number(power)];
  }
  const [near, raised] = size.toExponential(decimals).split("e");
  return [near, Number(raised)];
}

/** An exponent of two digits or more. */
function exponent(power) {
  return `e${power < 0 ? "-" : "+"}${String(Math.abs(power)).padStart(2, "0")}`;
}

/** x as 1.2e-09. */
function scientific(x, decimals) {
  const [digits, power] = mantissa(Math.abs(x), decimals);
  return minusOf(x) + digits + exponent(power);
}

/** No zeros at the end of decimals. */
function trimmed(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** x with so many significant digits, as Python's format g. */
function general(x, digits) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x < 0 ? "-inf" : "inf";
  if (x === 0) return `${minusOf(x)}0`;
  const [near, power] = mantissa(Math.abs(x), digits - 1);
  if (power < -4 || power >= digits) return minusOf(x) + trimmed(near) + exponent(power);
  const bare = near.replace(".", "");
  const whole = power < 0 ? "0" : bare.slice(0, power + 1);
  const rest = power < 0 ? "0".repeat(-power - 1) + bare : bare.slice(power + 1);
  return minusOf(x) + (rest ? trimmed(`${whole}.${rest}`) : whole);
}

/** Thousands separators. */
function grouped(digits) {
  return digits.replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Whether gaps are told in percentage points. */
function inPoints(scale) {
  return scale.limits[0] === 0 && scale.limits[1] === 1;
}

/** A gap with its decimals, and up to two more if it would round to 0. */
function roundedGap(scale, value, signed) {
  const [factor, unit] = inPoints(scale) ? [100, " pp"] : [1, ""];
  const size = factor * Math.abs(value);
  let text = "";
  for (let more = 0; more <= 2; more += 1) {
    text = fixed(size, scale.decimals + more);
    if (Number(text) || size <= TINY_GAP * factor) break;
  }
  if (!Number(text) && size > TINY_GAP * factor) {
    const least = general(10 ** -(scale.decimals + 2), 6);
    return `${value < 0 ? ">−" : signed ? "<+" : "<"}${least}${unit}`;
  }
  const [whole, rest] = text.split(".");
  const mark = value < 0 ? "−" : signed ? "+" : "";
  return `${mark}${grouped(whole)}${rest ? `.${rest}` : ""}${unit}`;
}

/** The JS twins of report/prose/numbers.py and gap.py: the same strings. */
const fmt = {
  /** Whole number with thousands separators, rounded up; no number of items is "∞". */
  count(n) {
    if (n === null || n === undefined || Number.isNaN(n)) return "–";
    if (!Number.isFinite(n)) return "∞";
    const whole = BigInt(Math.ceil(n - 1e-9));
    return (whole < 0n ? "-" : "") + grouped(String(whole < 0n ? -whole : whole));
  },

  /** A number of items in words that fit one item too. */
  items(n) {
    return n === 1 ? "1 item" : `${fmt.count(n)} items`;
  },

  /** An accuracy in percent, with its decimals or as few as it needs (up to 4). */
  percent(p, decimals = null) {
    return `${decimals === null ? trimmed(fixed(100 * p, 4)) : fixed(100 * p, decimals)}%`;
  },

  /** A gap in percentage points; in a table column keeps the decimals aligned. */
  pp(delta, { sign = false, column = false } = {}) {
    if (delta === null || delta === undefined || Number.isNaN(delta)) return "–";
    if (!Number.isFinite(delta)) return "none";
    const size = 100 * Math.abs(delta);
    if (size > 0 && size < 0.005) return "<0.01 pp";
    const text = fixed(size, size < 1 || column ? 2 : 1);
    const mark = delta < 0 ? "−" : sign ? "+" : "";
    return `${mark}${column ? text : trimmed(text)} pp`;
  },

  /** A probability of detection in percent, never a false 0 or 100. */
  probability(p) {
    if (p === null || p === undefined) return "–";
    if (p > 0.999) return ">99.9%";
    if (p < 0.001) return "<0.1%";
    return `${fixed(100 * p, p >= 0.01 && p <= 0.99 ? 0 : 1)}%`;
  },

  /** A ratio with two significant decimals. */
  ratio(x) {
    if (Number.isNaN(x)) return "nan";
    if (!Number.isFinite(x)) return "∞";
    return x < 10 ? fixed(x, 2) : grouped(fixed(x, 0));
  },

  /** A p-value, never 0. */
  pvalue(p) {
    if (p < 1e-300) return "< 1e-300";
    return p < 1e-4 ? scientific(p, 1) : general(p, 2);
  },

  /** An adjusted p-value in a table, never below what so many draws can show. */
  adjusted(p, draws = null) {
    const least = draws === null ? 0 : 1 / (draws + 1);
    if (p <= least * (1 + 1e-9)) return `≤ ${scientific(least, 0)}`;
    return p < 1e-15 ? "<1e-15" : fmt.pvalue(p);
  },

  /** A resolution ratio in a table; a dash where no error was measured. */
  resolution(q) {
    if (Number.isNaN(q)) return "–";
    return q > 0 && q < 0.01 ? "<0.01" : fmt.ratio(q);
  },

  /** A gap in points or score units; none is a dash. One too small to print keeps its sign. */
  gap(scale, value, { sign = false, column = false } = {}) {
    if (value === null || value === undefined || Number.isNaN(value)) return "–";
    const widest = Math.max(...scale.limits.map(Math.abs));
    const x = Math.abs(value) <= TINY * widest ? 0 : value;
    const signed = sign && x !== 0;
    if (Number.isInteger(scale.decimals) && Number.isFinite(x)) return roundedGap(scale, x, signed);
    if (signed && inPoints(scale) && Math.abs(x) < 5e-5) {
      return x < 0 ? ">−0.01 pp" : "<+0.01 pp";
    }
    if (inPoints(scale)) return fmt.pp(x, { sign: signed, column });
    const mark = x < 0 ? "−" : signed ? "+" : "";
    return mark + general(Math.abs(x), column ? 4 : 3);
  },

  /** A gap that the user set, such as a margin, with its digits. */
  declared({ limits }, value) {
    return fmt.gap({ limits }, value);
  },

  /** A mean score. */
  score(scale, value) {
    return inPoints(scale) ? fmt.percent(value, 1) : general(value, 4);
  },

  /** An interval of the gap, with signs; none is a dash. */
  span(scale, low, high, { column = false } = {}) {
    if (low === null || low === undefined || Number.isNaN(low)) return "–";
    const [from, to] = [low, high].map((x) => fmt.gap(scale, x, { sign: true, column }));
    return `${from.replace(/ pp$/, "")} to ${to}`;
  },

  /** The level of an interval, with as many decimals as it needs, never a false 100. */
  coverage(conf) {
    const text = fixed(100 * conf, 6);
    return text === "100.000000" ? ">99.999999%" : `${trimmed(text)}%`;
  },
};

/** Do something that is due once its part of the page comes into view, or all is printed. */
function whenSeen(node, work) {
  let [due, seen] = [false, false];
  const settle = () => {
    if (!due || !seen) return;
    due = false;
    requestAnimationFrame(() => requestAnimationFrame(work));
  };
  window.addEventListener("beforeprint", () => {
    if (due) work();
    due = false;
  });
  new IntersectionObserver((entries) => {
    seen = entries.at(-1).isIntersecting;
    settle();
  }, { rootMargin: "400px" }).observe(node);
  return () => {
    due = true;
    settle();
  };
}

/** A button that copies a text, or selects it where copying is not allowed. */
function copyButton(source) {
  const button = el("button", { type: "button" }, "Copy");
  const said = el("span", { role: "status", class: "remark" });
  const select = () => {
    window.getSelection().selectAllChildren(source);
    said.textContent = "Selected: copy it with the keyboard.";
  };
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(source.textContent);
      said.textContent = "Copied.";
    } catch {
      select();
    }
  });
  return el("div", { class: "row" }, button, said);
}

/** Buttons that copy what there is to paste and to cite. */
function startCopying() {
  for (const id of ["to-paste", "citation"]) {
    const source = document.getElementById(id);
    source?.after(copyButton(source));
  }
}
