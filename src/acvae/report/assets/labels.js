// Names on the map, none on another.

const taken = (boxes, box) => boxes.some((other) =>
  box.left < other.right && box.right > other.left && box.top < other.bottom && box.bottom > other.top);

const ASIDE = 8; // pixels beside a name, so that two on a line do not read as one
const NEARBY = [0, -18, 18, -36, 36]; // pixels up or down, where the place itself is taken

// Writes a text at a place, or near by, if there is room, and remembers where; `must` writes it in any case.
function writeLabel(pen, boxes, { text, x, y, size, color, halo, bold, must, width, height }) {
  pen.font = `${bold ? "600 " : ""}${size}px system-ui, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif`;
  const wide = pen.measureText(text).width;
  const left = Math.max(4, Math.min(width - wide - 4, x - wide / 2));
  const lines = NEARBY.map((shift) => Math.max(size + 2, Math.min(height - 5, y + shift)));
  const around = (line) => ({ left: left - ASIDE, right: left + wide + ASIDE, top: line - size, bottom: line + 4 });
  const base = lines.find((line) => !taken(boxes, around(line))) ?? (must ? lines[0] : null);
  if (base === null) return false;
  const box = around(base);
  boxes.push(box);
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = halo;
  pen.strokeText(text, left, base);
  pen.fillStyle = color;
  pen.fillText(text, left, base);
  return true;
}

// Where a part is named: at its member nearest to the middle of the part, by medians.
function middles(run, place, { of, parts }) {
  const members = parts.map(() => []);
  for (let v = 0; v < run.n; v++) members[of[v]].push(v);
  const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
  return members.map((list) => {
    if (!list.length) return null;
    const [x, y] = [median(list.map((v) => place.x[v])), median(list.map((v) => place.y[v]))];
    let best = list[0];
    for (const v of list) {
      if (Math.hypot(place.x[v] - x, place.y[v] - y) < Math.hypot(place.x[best] - x, place.y[best] - y)) best = v;
    }
    return { x: place.x[best], y: place.y[best] };
  });
}
