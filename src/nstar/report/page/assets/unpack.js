// Packed arrays back to typed arrays; the twin of _packed.py.

const PACKED = {
  u1: [Uint8Array, 0],
  u2: [Uint16Array, 0],
  u4: [Uint32Array, 0],
  i2: [Int16Array, 0],
  f6: [Float64Array, 2],
  f8: [Float64Array, 0],
};

const STEPS = 65534;

/** A score that was told in steps between the worst and the best; NaN for none. */
function scoreOfStep([low, high], step) {
  return step > STEPS ? NaN : low + ((high - low) * step) / STEPS;
}

/** Whether a value of a deck is a packed array. */
function isPacked({ t, n, z }) {
  return typeof z === "string" && Number.isInteger(n)
    && (t === "json" || Object.hasOwn(PACKED, t));
}

/** Bytes that were deflated and written in base64. */
async function inflated(text) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let k = 0; k < bytes.length; k += 1) bytes[k] = signs.charCodeAt(k);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** Numbers from planes of their bytes; the `cut` low bytes of each were left out. */
function fromPlanes(planes, Numbers, size, cut) {
  const width = Numbers.BYTES_PER_ELEMENT;
  const bytes = new Uint8Array(size * width);
  for (let plane = cut; plane < width; plane += 1) {
    const start = (plane - cut) * size;
    for (let k = 0; k < size; k += 1) bytes[k * width + plane] = planes[start + k];
  }
  return new Numbers(bytes.buffer);
}

/** A packed array as a typed array, or whatever JSON was packed. */
async function unpack(packed) {
  const planes = await inflated(packed.z);
  if (packed.t === "json") return JSON.parse(new TextDecoder().decode(planes));
  const [Numbers, cut] = PACKED[packed.t];
  if (planes.length !== packed.n * (Numbers.BYTES_PER_ELEMENT - cut)) {
    throw new RangeError("a packed array is not as long as it says");
  }
  return fromPlanes(planes, Numbers, packed.n, cut);
}

/** A JSON value in which every packed array, at any depth, is a typed array. */
async function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(unpackAll));
  if (isPacked(value)) return unpack(value);
  const entries = Object.entries(value).map(async ([key, part]) => [key, await unpackAll(part)]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Say why a page stays as it was written. */
function tellLifeless(error) {
  const why = "DecompressionStream" in globalThis
    ? `The data of this page cannot be unpacked: ${error.message}.`
    : "This browser is too old to unpack the data of this page, which takes one of 2023 or later.";
  document.getElementById("without-script").textContent =
    `${why} All that follows is as it was run.`;
}

globalThis.nstar = { unpackAll };
