// The data as the page was given them, and small helpers to build its elements.

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array, s16: Int16Array };

function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const found = new KINDS[packed.kind](bytes.buffer);
  return packed.kind === "s16" ? Float32Array.from(found, (value) => value / 32767) : found;
}

// Replaces every packed array, in place; "nobody" is the id with all bits set.
function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.kind === "string" && typeof value.data === "string" && KINDS[value.kind]) return unpack(value);
  for (const key of Object.keys(value)) value[key] = unpackAll(value[key]);
  return value;
}

const nobodyOf = (ids) => (ids.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff);

function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const run of data.runs) {
    unpackAll(run);
    run.names = data.names[run.names];
    run.nobody = nobodyOf(run.links.ids);
  }
  return data.runs;
}

const byId = (id) => document.getElementById(id);

// An element with attributes and children; texts are texts, never markup.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (name === "style") Object.assign(made.style, value);
    else if (value !== false && value !== null) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

const shorten = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
// Shortened between two of its items, if it has any that early.
function shortenList(text, length) {
  if (text.length <= length) return text;
  const end = text.lastIndexOf(", ", length - 2);
  return end > length / 2 ? `${text.slice(0, end)} …` : shorten(text, length);
}
const count = (number) => number.toLocaleString("en");
const many = (number, one, more = one + "s") => `${count(number)} ${number === 1 ? one : more}`;
const figure = (number) => (Math.abs(number) >= 1000 ? number.toFixed(0) : number.toPrecision(3));
const listed = (texts) => (texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts.at(-1)}`);

// Probabilities of links are often small: as many figures as tell something.
function percent(p) {
  if (p >= 0.9995) return ">99.9%";
  if (p < 0.0001) return "<0.01%";
  return `${p >= 0.1 ? (100 * p).toFixed(p >= 0.995 ? 1 : 0) : (100 * p).toPrecision(2)}%`;
}
