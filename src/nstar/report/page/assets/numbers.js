// Special functions to nearly all digits of a double, deep tails included.

const SMALLEST = 2.2250738585072014e-308;
const LOG_ROOT_2PI = 0.9189385332046727;

/** Gaussian exp(-x²/2) whose exponent keeps its digits for large x. */
function bell(x) {
  const near = Math.fround(x);
  return Math.exp(-0.5 * near * near) * Math.exp(-0.5 * (x - near) * (x + near));
}

/** P(0 < Z < x) of a standard normal Z: Kummer's series, all terms of one sign. */
function normalCenter(x) {
  let term = x;
  let total = x;
  for (let k = 3; Math.abs(term) > 1e-17 * Math.abs(total); k += 2) {
    term *= (x * x) / k;
    total += term;
  }
  return (bell(x) * total) / Math.exp(LOG_ROOT_2PI);
}

/** P(Z > x) over the density at x, x ≥ 2: Laplace's continued fraction from its end. */
function millsRatio(x) {
  let rest = x;
  for (let k = Math.ceil(20 + 500 / (x * x)); k > 0; k -= 1) rest = x + k / rest;
  return 1 / rest;
}

/** P(Z ≤ x) of a standard normal Z. */
function ndtr(x) {
  if (Number.isNaN(x)) return NaN;
  if (Math.abs(x) < 2) return 0.5 + normalCenter(x);
  if (Math.abs(x) > 40) return x > 0 ? 1 : 0;
  const tail = (bell(x) / Math.exp(LOG_ROOT_2PI)) * millsRatio(Math.abs(x));
  return x > 0 ? 1 - tail : tail;
}

/** Quantile of the lower tail, p < 0.1: Newton's steps on ln P, which is concave. */
function deepQuantile(p) {
  const size = -2 * Math.log(p);
  let x = -Math.sqrt(size - Math.log(2 * Math.PI * size) * (size > 4 ? 1 : 0));
  for (let k = 0; k < 50; k += 1) {
    const tail = ndtr(x);
    const ratio = (tail * Math.exp(LOG_ROOT_2PI)) / bell(x);
    const step = (Math.log(tail) - Math.log(p)) * ratio;
    x -= step;
    if (Math.abs(step) <= 1e-15 * Math.abs(x)) break;
  }
  return x;
}

/** Quantile of a standard normal: x with P(Z ≤ x) = p. */
function ndtri(p) {
  if (!(p >= 0 && p <= 1)) return NaN;
  if (p === 0 || p === 1) return p === 0 ? -Infinity : Infinity;
  if (p < 0.1) return deepQuantile(p);
  if (p > 0.9) return -deepQuantile(1 - p);
  const share = p - 0.5;
  let x = share * Math.exp(LOG_ROOT_2PI);
  for (let k = 0; k < 50; k += 1) {
    const step = ((normalCenter(x) - share) * Math.exp(LOG_ROOT_2PI)) / bell(x);
    x -= step;
    if (Math.abs(step) <= 1e-15 * Math.abs(x)) break;
  }
  return x;
}

/** ln Γ(x) less Stirling's formula (x - ½) ln x - x + ½ ln 2π, x > 0. */
function stirlingError(x) {
  let shift = 0;
  let y = x;
  for (; y < 16; y += 1) shift += (y + 0.5) * Math.log1p(1 / y) - 1;
  const z = 1 / (y * y);
  return shift + (1 / 12 - z * (1 / 360 - z * (1 / 1260 - z * (1 / 1680 - z / 1188)))) / y;
}

/** Stirling errors of ln k! for whole k < 64, and by the series beyond. */
const STIRLING = Float64Array.from({ length: 64 }, (_, k) => (k > 0 ? stirlingError(k) : 0));

/** Error of Stirling's formula for ln k!, k ≥ 0 whole. */
function factorialError(k) {
  return k < STIRLING.length ? STIRLING[k] : stirlingError(k);
}

/** x ln(x / m) + m - x without cancellation near x = m (Loader's bd0), x > 0. */
function deviance(x, m) {
  if (Math.abs(x - m) >= 0.1 * m) return x * Math.log(x / m) + m - x;
  const v = (x - m) / (x + m);
  let tail = 0;
  for (let j = 19; j > 1; j -= 2) tail = v * v * (1 / j + tail);
  return (x - m) * v + 2 * x * v * tail;
}

/** ln P(X = k) of X ~ Bin(n, ½), whole 0 ≤ k ≤ n (Loader 2000). */
function logHalfPmf(k, n) {
  if (k === 0 || k === n) return -n * Math.LN2;
  const errors = factorialError(n) - factorialError(k) - factorialError(n - k);
  const away = deviance(k, n / 2) + deviance(n - k, n / 2);
  return errors - away + 0.5 * Math.log(n / (k * (n - k))) - LOG_ROOT_2PI;
}

/** P(X ≤ k) / P(X = k) of X ~ Bin(n, ½), k ≤ n / 2, term by term. */
function halfTailRatio(k, n) {
  let term = 1;
  let total = 1;
  for (let j = k; j > 0 && term > 1e-17 * total; j -= 1) {
    term *= j / (n - j + 1);
    total += term;
  }
  return total;
}

/** A p-value: at most 1, and never 0. */
function boundedP(p) {
  return Math.min(Math.max(p, SMALLEST), 1);
}

/** Two-sided p-value of McNemar's test, mid-p or exact, by discordant items and |n10 - n01|. */
function mcnemar(discordant, lead, exact) {
  if (discordant === 0) return 1;
  const k = (discordant - lead) / 2;
  const pmf = Math.exp(logHalfPmf(k, discordant));
  if (exact) return boundedP(2 * pmf * halfTailRatio(k, discordant));
  if (lead === 0) return 1 - 0.5 * pmf;
  return boundedP(pmf * (2 * halfTailRatio(k, discordant) - 1));
}

/** I_x(a, b) B(a, b) / (x^a y^b), y = 1 - x: Didonato & Morris's fraction by Lentz's method. */
function betaFraction(a, b, x, y) {
  let fraction = (a / (a + 1)) * (a * y - b * x + 1);
  let c = fraction;
  let d = 0;
  for (let k = 1; k < 20000; k += 1) {
    const root = x / (a + 2 * k - 1);
    const over = k * (b - k) * root;
    const top = (a + k - 1) * (a + b + k - 1) * over * root;
    const low = k + over + ((a + k) / (a + 2 * k + 1)) * (a * y - b * x + 1 + k * (1 + y));
    d = 1 / (low + top * d);
    c = low + top / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 2e-16) break;
  }
  return 1 / fraction;
}

/** Density of Student's t. */
function studentDensity(t, df) {
  const a = df / 2;
  const gammas = a * Math.log1p(0.5 / a) - 0.5 + stirlingError(a + 0.5) - stirlingError(a);
  return Math.exp(gammas - LOG_ROOT_2PI - (a + 0.5) * Math.log1p((t * t) / df));
}

/** P(T > t) of Student's t, t ≥ 0; normal with infinite degrees of freedom, NaN with none. */
function studentTail(t, df) {
  if (Number.isNaN(t) || !(df > 0)) return NaN;
  if (df === Infinity || t === Infinity) return ndtr(-t);
  const a = df / 2;
  const [x, y] = [df / (df + t * t), (t * t) / (df + t * t)];
  const half = 0.5 * t * studentDensity(t, df);
  if (x * (a + 2.5) < a + 1) return half * betaFraction(a, 0.5, x, y);
  return 0.5 - half * betaFraction(0.5, a, y, x);
}

/** t > 0 with P(T > t) = p < ½: Newton's steps on ln P over asinh(t / √df). */
function upperStudent(p, df) {
  const z = (-ndtri(p) * (8 * df + 3)) / (8 * df + 1);
  let u = Math.asinh(Math.sqrt(Math.expm1(Math.min((z * z) / df, 300))));
  for (let k = 0; k < 60; k += 1) {
    const t = Math.sqrt(df) * Math.sinh(u);
    const tail = studentTail(t, df);
    const slope = studentDensity(t, df) * Math.sqrt(df + t * t);
    const step = (Math.log(tail / p) * tail) / slope;
    u += step;
    if (Math.abs(step) <= 1e-15 * u) break;
  }
  return Math.sqrt(df) * Math.sinh(u);
}

/** Quantile of Student's t at p in (0, 1); normal with infinite degrees of freedom. */
function studentQuantile(p, df) {
  if (df === Infinity) return ndtri(p);
  if (p === 0.5) return 0;
  return p < 0.5 ? -upperStudent(p, df) : upperStudent(1 - p, df);
}

/** Points and weights of s / σ, √(χ² / df), on a log scale, dense where `shift` is critical. */
function chiRule(df, shift, critical) {
  const h = df / 2;
  const scale = 0.5 * Math.log((2 * h) / Math.PI) - stirlingError(h);
  const [near, bend] = [Math.log(shift / critical), 1 / Math.max(shift, 1)];
  const step = Math.min(0.08, 0.5 / Math.sqrt(2 * df) / Math.hypot(bend, near));
  const points = [];
  for (const way of [-1, 1]) {
    for (let k = way < 0 ? 1 : 0; ; k += 1) {
      const v = way * k * step;
      const u = near + bend * Math.sinh(v);
      const density = Math.exp(h * (2 * u - Math.expm1(2 * u)) + scale);
      const weight = step * bend * Math.cosh(v) * density;
      points.push([Math.exp(u), weight]);
      if (weight < 1e-22 && way * u > 0) break;
    }
  }
  return points;
}

/** Power of the t test at a shift in standard errors, and its slope there. */
function powerAt(shift, critical, df, sides) {
  let power = 0;
  let slope = 0;
  for (const [s, weight] of chiRule(df, shift, critical)) {
    const right = shift - critical * s;
    power += weight * ndtr(right);
    slope += weight * bell(right);
    if (sides === 1) continue;
    const left = -shift - critical * s;
    power += weight * ndtr(left);
    slope -= weight * bell(left);
  }
  return [power, slope / Math.exp(LOG_ROOT_2PI)];
}

/** Shift at which the t test of n items reaches a power; 0 where any does. */
function shiftForPower(n, alpha, power, sides = 2) {
  if (!(power > alpha)) return 0;
  const critical = -studentQuantile(alpha / sides, n - 1);
  let low = 0;
  let high = 10 * critical + 40;
  let x = Math.max(critical + ndtri(power), 0.1);
  for (let k = 0; k < 200; k += 1) {
    const [reached, slope] = powerAt(x, critical, n - 1, sides);
    if (reached < power) low = x;
    else high = x;
    let next = x + (power - reached) / slope;
    if (!(next > low && next < high)) next = (low + high) / 2;
    const done = Math.abs(next - x) <= 2e-15 * x;
    x = next;
    if (done) break;
  }
  return x;
}

/** Tango's score statistic of a gap of `gap0`, standard normal if that is the gap. */
function tangoStatistic(n10, n01, n, gap0) {
  if (gap0 < 0) return -tangoStatistic(n01, n10, n, -gap0);
  const spread = gap0 * (1 - gap0);
  const linear = (2 * n - n10 + n01) * gap0 - (n10 + n01);
  const root = Math.sqrt(linear * linear + 8 * n * n01 * spread);
  const q = linear > 0 ? (2 * n01 * spread) / (linear + root) : (root - linear) / (4 * n);
  const gap = n10 - n01 - n * gap0;
  return gap === 0 ? 0 : gap / Math.sqrt(n * (2 * q + spread));
}

/** Lower Tango limit: the gap at which the score is +z, by secants inside a bracket. */
function tangoLimit(n10, n01, n, z) {
  const observed = (n10 - n01) / n;
  if (!(observed > -1)) return observed;
  const rough = (n10 - n01) / (n + 2);
  const spread = n10 + n01 + 2 - (n10 - n01) * rough;
  let x = rough - (z * Math.sqrt(Math.max(spread, 0))) / (n + 2);
  x = Math.min(Math.max(x, -1 + 1e-9), observed - 1e-15);
  let [low, high, before, scoreBefore] = [-1, observed, observed, -z];
  for (let k = 0; k < 100; k += 1) {
    const score = tangoStatistic(n10, n01, n, x) - z;
    if (score > 0) low = x;
    else high = x;
    let next = x - (score * (x - before)) / (score - scoreBefore);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const close = Math.abs(next - x) <= 1e-15 * Math.abs(x);
    if (close || Math.abs(score) <= 2e-15 * (1 + z)) return x;
    [before, scoreBefore, x] = [x, score, next];
  }
  return x;
}

/** Tango's interval of the gap of two accuracies on n ≥ 1 items, ± z of its score. */
function tangoLimits(n10, n01, n, z) {
  const [low, high] = [tangoLimit(n10, n01, n, z), -tangoLimit(n01, n10, n, z)];
  return [Math.max(low, -1), Math.min(high, 1)];
}
