// The data as the page was given them, and small helpers to build its elements.

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

function unpack(packed) {
  const text = atob(packed.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return new KINDS[packed.kind](bytes.buffer);
}

// Replaces every packed array, in place; "nobody" is the id with all bits set.
function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (typeof value.kind === "string" && typeof value.data === "string" && KINDS[value.kind]) return unpack(value);
  for (const key of Object.keys(value)) value[key] = unpackAll(value[key]);
  return value;
}

function readData() {
  const data = JSON.parse(document.getElementById("data").textContent);
  for (const run of data.runs) {
    unpackAll(run);
    run.names = data.names[run.names];
    run.nobody = run.links.ids.BYTES_PER_ELEMENT === 2 ? 0xffff : 0xffffffff;
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

// Plotly reads some markup in its texts; a name is to be shown as it is.
const forPlotly = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;");

const shorten = (text, length) => (text.length > length ? text.slice(0, length - 1) + "…" : text);
// What a cluster is called: by its vertex of most neighbours, or as the rest.
function clusterName(run, k, length = Infinity) {
  const { name, size } = run.clusters[k];
  return `${name === null ? "small groups" : shorten(name, length) + " …"} (${count(size)})`;
}
const count = (number) => number.toLocaleString("en");
const many = (number, one, more = one + "s") => `${count(number)} ${number === 1 ? one : more}`;
const figure = (number) => (Math.abs(number) >= 1000 ? number.toFixed(0) : number.toPrecision(3));
