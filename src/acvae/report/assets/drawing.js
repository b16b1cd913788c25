// Charts as SVG: they scale with the page, follow its colours, and print as they are.

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

const tooltip = (text) => shape("title", {}, text);

// Round numbers that divide a range into about as many parts as wanted.
function ticks(low, high, wanted = 5) {
  const rough = (high - low) / wanted || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.99);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(Number((k * step).toPrecision(12)));
  return found;
}

function powersOfTen(low, high) {
  const found = [];
  for (let e = Math.floor(Math.log10(low)); e <= Math.ceil(Math.log10(high)); e++) if (10 ** e >= low * 0.999 && 10 ** e <= high * 1.001) found.push(10 ** e);
  return found;
}

const tickText = (value) => (value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-5) ? value.toExponential(0) : String(value));

// On paper charts are as wide as the page, those of training half of it.
function chartWidth(box) {
  if (theme.printing) return box.classList.contains("small") ? 340 : 700;
  return Math.max(260, box.clientWidth || 480);
}

// An empty chart with axes; `at.x` and `at.y` place data on it. The y axis may carry names instead of numbers.
function chart(box, { height, x, y, xLabel = "", yLabel = "", description, log = false, wholeX = false, yNames = null, tickTextY = tickText }) {
  const width = chartWidth(box);
  const texts = yNames || [];
  const widest = yNames ? Math.min(0.5 * width, 12 + 7 * Math.max(...texts.map((t) => t.length))) : yLabel ? 68 : 52;
  const frame = { left: widest, right: width - 12, top: 8, bottom: height - (xLabel ? 38 : 22) };
  const unit = log ? Math.log10 : (v) => v;
  const scale = (range, from, to) => (v) => from + ((unit(v) - unit(range[0])) / (unit(range[1]) - unit(range[0]) || 1)) * (to - from);
  const at = { x: scale(x, frame.left, frame.right), y: scale(y, frame.bottom, frame.top) };
  const root = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": description });
  const write = (text, px, py, anchor, css = "tick") => root.append(shape("text", { x: px, y: py, "text-anchor": anchor, class: css }, text));
  for (const v of log ? powersOfTen(...x) : ticks(...x, width < 400 ? 4 : 6).filter((v) => !wholeX || Number.isInteger(v))) {
    root.append(shape("line", { x1: at.x(v), x2: at.x(v), y1: frame.top, y2: frame.bottom, class: "grid" }));
    write(tickText(v), at.x(v), frame.bottom + 15, "middle");
  }
  if (yNames) yNames.forEach((text, k) => write(text, frame.left - 8, at.y(k) + 4, "end", "tick strong"));
  else {
    for (const v of log ? powersOfTen(...y) : ticks(...y, 4)) {
      root.append(shape("line", { x1: frame.left, x2: frame.right, y1: at.y(v), y2: at.y(v), class: "grid" }));
      write(tickTextY(v), frame.left - 6, at.y(v) + 4, "end");
    }
  }
  if (xLabel) write(xLabel, (frame.left + frame.right) / 2, height - 6, "middle");
  if (yLabel) root.append(shape("text", { x: 12, y: (frame.top + frame.bottom) / 2, "text-anchor": "middle", class: "tick",
    transform: `rotate(-90 12 ${(frame.top + frame.bottom) / 2})` }, yLabel));
  box.replaceChildren(root);
  return { root, at, frame, width };
}

const polyline = (points, attributes) => shape("polyline", { points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), fill: "none", ...attributes });

// A range with a little room on both sides.
function padded(values, share = 0.06) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const room = (high - low || Math.abs(high) || 1) * share;
  return [low - room, high + room];
}
