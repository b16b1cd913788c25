// The map: all embeddings on one canvas, the names of their clusters, and what is marked around the selection.

const pointSize = (run) => (run.n > 20000 ? 1.2 : run.n > 5000 ? 1.7 : run.n > 800 ? 2.3 : 3.5);
const PAPER_MAP = { width: 760, height: 500 }; // pixels, across a page
const map = { view: null, hidden: new Set(), boxes: [], pending: 0, middles: null };

// What of the map's own units the canvas shows: the middle, and pixels per unit.
function wholeView(state) {
  const { width, height } = mapSize();
  return viewAround(state, null, width, height, 0.06);
}

function viewAround(state, list, width, height, margin) {
  const { x, y } = state.run.maps[state.map];
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  const add = (v) => {
    left = Math.min(left, x[v]);
    right = Math.max(right, x[v]);
    low = Math.min(low, y[v]);
    high = Math.max(high, y[v]);
  };
  if (list) list.forEach(add);
  else for (let v = 0; v < state.run.n; v++) add(v);
  const room = 1 - 2 * margin;
  const unit = Math.min((room * width) / (right - left || 1e-6), (room * height) / (high - low || 1e-6));
  return { x: (left + right) / 2, y: (low + high) / 2, unit, whole: !list };
}

function mapSize() {
  if (theme.printing) return PAPER_MAP;
  const box = byId("map").parentElement;
  return { width: box.clientWidth || 600, height: box.clientHeight || 450 };
}

// From the map's units to pixels.
function project(place, v, { width, height }) {
  const { view } = map;
  return [width / 2 + (place.x[v] - view.x) * view.unit, height / 2 - (place.y[v] - view.y) * view.unit];
}

function drawMap(state) {
  cancelAnimationFrame(map.pending);
  map.pending = 0;
  const canvas = byId("map");
  const size = mapSize();
  if (!map.view || map.view.whole) map.view = wholeView(state);
  const scale = theme.printing ? 2 : window.devicePixelRatio || 1;
  canvas.width = Math.round(size.width * scale);
  canvas.height = Math.round(size.height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const c = colors();
  drawPoints(pen, state, size);
  drawSelection(pen, state, size, c);
  const boxes = [];
  nameSelection(pen, boxes, state, size, c);
  nameParts(pen, boxes, state, size, c);
  map.boxes = boxes;
}

function redrawMap(state) {
  map.pending ||= requestAnimationFrame(() => drawMap(state));
}

function drawPoints(pen, state, size) {
  const { run } = state;
  const place = run.maps[state.map];
  const { of, parts } = coloring(state);
  const grow = Math.min(3, Math.max(1, Math.sqrt(map.view.unit / wholeView(state).unit)));
  const r = pointSize(run) * grow * (size.width < 480 ? 0.8 : 1);
  const round = run.n * r < 40000;
  pen.globalAlpha = state.chosen || state.pair ? 0.35 : 0.85;
  parts.forEach((_, k) => {
    if (map.hidden.has(k)) return;
    pen.fillStyle = partColor(parts, k);
    pen.beginPath();
    for (let v = 0; v < run.n; v++) {
      if (of[v] !== k) continue;
      const [x, y] = project(place, v, size);
      if (x < -r || y < -r || x > size.width + r || y > size.height + r) continue;
      if (round) {
        pen.moveTo(x + r, y);
        pen.arc(x, y, r, 0, 2 * Math.PI);
      } else pen.rect(x - r, y - r, 2 * r, 2 * r);
    }
    pen.fill();
  });
  pen.globalAlpha = 1;
}

// Lines only from the chosen vertex to its neighbours and predicted links, and along the pair that is looked at.
function drawSelection(pen, state, size, c) {
  const { run, chosen, pair } = state;
  const place = run.maps[state.map];
  const at = (v) => project(place, v, size);
  const lines = (list, color, width, dash) => {
    pen.strokeStyle = color;
    pen.lineWidth = width;
    pen.setLineDash(dash);
    for (const v of list) {
      pen.beginPath();
      pen.moveTo(...at(chosen.vertex));
      pen.lineTo(...at(v));
      pen.stroke();
    }
    pen.setLineDash([]);
  };
  const dots = (list, color, r, fill) => {
    for (const v of list) {
      pen.beginPath();
      pen.arc(...at(v), r, 0, 2 * Math.PI);
      pen.strokeStyle = color;
      pen.fillStyle = fill;
      pen.lineWidth = 2;
      pen.fill();
      pen.stroke();
    }
  };
  if (chosen) {
    const known = knownNeighbors(run, chosen.vertex).map((link) => link.vertex);
    const predicted = predictedLinks(run, chosen.vertex).map((link) => link.vertex);
    pen.globalAlpha = 0.5;
    lines(known, c.soft, 1, []);
    pen.globalAlpha = 0.9;
    lines(predicted, c.accent, 1.5, [5, 4]);
    pen.globalAlpha = 1;
    dots(known, c.soft, 3.5, c.paper);
    dots(predicted, c.accent, 5, c.paper);
  }
  if (pair) {
    pen.strokeStyle = c.mark;
    pen.lineWidth = 3;
    pen.beginPath();
    pair.path.forEach((v, k) => (k ? pen.lineTo(...at(v)) : pen.moveTo(...at(v))));
    pen.stroke();
    dots(pair.path, c.mark, 4, c.paper);
    dots(pair.ends, c.mark, 6, c.mark);
  }
  if (chosen) dots([chosen.vertex], c.paper, 7, c.mark);
}

function nameSelection(pen, boxes, state, size, c) {
  const { run, chosen, pair } = state;
  const place = run.maps[state.map];
  const name = (v, must, bold) => {
    const [x, y] = project(place, v, size);
    if (x < 0 || y < 0 || x > size.width || y > size.height) return;
    writeLabel(pen, boxes, { text: shorten(run.names[v], 34), x, y: y - 11, size: bold ? 14 : 12, color: c.ink, halo: c.card, bold, must, ...size });
  };
  if (chosen) name(chosen.vertex, true, true);
  if (pair) pair.ends.filter((v) => v !== chosen?.vertex).forEach((v) => name(v, true, false));
  if (pair && pair.path.length < 8) pair.path.slice(1, -1).forEach((v) => name(v, false, false));
  if (chosen && !pair) predictedLinks(run, chosen.vertex).forEach((link) => name(link.vertex, false, false));
}

function nameParts(pen, boxes, state, size, c) {
  const { run } = state;
  const now = coloring(state);
  const key = `${run.label} ${state.map} ${state.color}`;
  if (map.middles?.key !== key) map.middles = { key, at: middles(run, run.maps[state.map], now) };
  now.parts.forEach((part, k) => {
    const middle = map.middles.at[k];
    if (part.name === null || !middle || map.hidden.has(k)) return;
    const x = size.width / 2 + (middle.x - map.view.x) * map.view.unit;
    const y = size.height / 2 - (middle.y - map.view.y) * map.view.unit;
    if (x < 0 || y < 0 || x > size.width || y > size.height) return;
    const narrow = size.width < 480; // a phone has room for one word of each
    writeLabel(pen, boxes, { text: shorten((narrow && part.words?.[0]) || part.title, narrow ? 20 : 44), x, y, size: 13,
      color: c.ink, halo: c.card, bold: true, ...size });
  });
}

// The vertex below a pixel, or null.
function vertexAt(state, px, py, reach = 9) {
  const { run } = state;
  const size = mapSize();
  const { of } = coloring(state);
  const place = run.maps[state.map];
  let [best, nearest] = [null, reach ** 2];
  for (let v = 0; v < run.n; v++) {
    if (map.hidden.has(of[v])) continue;
    const [x, y] = project(place, v, size);
    const d = (x - px) ** 2 + (y - py) ** 2;
    if (d < nearest) [best, nearest] = [v, d];
  }
  return best;
}

// The whole map, if the vertex is outside what is shown of it.
function bringIntoView(state) {
  const size = mapSize();
  const [x, y] = project(state.run.maps[state.map], state.chosen.vertex, size);
  if (x < 0 || y < 0 || x > size.width || y > size.height) map.view = wholeView(state);
}

function zoomToVertex(state) {
  if (!state.chosen) return;
  const { width, height } = mapSize();
  const around = state.pair ? state.pair.path : [state.chosen.vertex, ...predictedLinks(state.run, state.chosen.vertex).map((n) => n.vertex)];
  map.view = viewAround(state, around, width, height, 0.15);
  drawMap(state);
}

function zoomOut(state) {
  map.view = wholeView(state);
  drawMap(state);
}

function drawLegend(state) {
  const { run } = state;
  const { parts } = coloring(state);
  map.hidden.clear();
  const keys = parts.map((part, k) =>
    element("button", { type: "button", "aria-pressed": "true", title: part.name === null ? "Show or hide these" : `Show or hide these; most neighbours: ${part.name}`,
      onclick: (event) => {
        const shown = event.currentTarget.getAttribute("aria-pressed") === "true";
        event.currentTarget.setAttribute("aria-pressed", String(!shown));
        if (shown) map.hidden.add(k);
        else map.hidden.delete(k);
        drawMap(state);
      } },
      element("span", { class: "swatch", style: { background: partColor(parts, k) } }),
      `${part.title} (${count(part.size)})`));
  keys.push(
    element("span", { class: "key" }, element("span", { class: "ring" }), "known neighbour"),
    element("span", { class: "key" }, element("span", { class: "ring predicted" }), "predicted link"));
  byId("legend").replaceChildren(...keys);
  const named = run.clusters.some((cluster) => cluster.words.length);
  byId("map").setAttribute("aria-label", `Map of ${many(run.n, "embedding")}, coloured by ${many(parts.length, state.color === "class" ? "class" : "cluster", state.color === "class" ? "classes" : "clusters")}`);
  byId("map-remark").replaceChildren(
    (state.map === "tsne" ? "Near points have near embeddings; distances across the map mean nothing. " : "The two directions in which the means differ most. ") +
    (state.color === "class" ? "Colours are the known classes." : named
      ? "Clusters are named by the features that are most telling of their members; those without such by their vertex of most neighbours."
      : "Clusters are named by their vertex of most neighbours.") +
    (state.color !== "class" && run.small ? ` ${many(run.small.vertices, "vertex", "vertices")} in ${many(run.small.groups, "small group")} are grey.` : ""),
    element("span", { class: "on-screen" }, " Choose a vertex to see its links."));
}
