// What the address of a page keeps: names chosen, and settings that differ from those as run.

/** A name as it stands in a link: itself if unlike all others, else its place. */
function linkedName(names, k) {
  const name = shownName(names[k]);
  const alone = names.filter((n) => shownName(n) === name).length === 1;
  return alone && !name.startsWith("~") ? name : `~${k + 1}`;
}

/** The place of the name that a link means; undefined if there is none. */
function placeOfLink(names, text) {
  if (text === null) return undefined;
  const place = /^~(\d+)$/.exec(text);
  const k = place ? Number(place[1]) - 1
    : names.findIndex((n) => shownName(n) === shownName(text));
  return k >= 0 && k < names.length ? k : undefined;
}

/** Whether two sets of settings are the same. */
function sameSettings(a, b) {
  return Object.keys(b).every((key) => a[key] === b[key]);
}

/** Words of the address. */
function linkWords() {
  return new URLSearchParams(window.location.hash.slice(1));
}

/** Add the settings that differ from those as run. */
function addSettings(words, settings, original) {
  for (const key of Object.keys(original)) {
    if (settings[key] !== original[key]) words.set(key, settings[key] ?? "");
  }
  return words;
}

/** The address tells what is shown, so that it can be sent on. */
function writeLink(words) {
  try {
    window.history.replaceState(null, "", `#${words}`);
  } catch {
    // a frame without an address of its own has none to change
  }
}
