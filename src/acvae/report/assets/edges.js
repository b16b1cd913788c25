// The forest below the points, on a canvas of its own: while the map is dragged or zoomed it is moved as an image,
// and drawn anew when it rests. WebGL draws points well, but tens of thousands of lines too slowly everywhere.

const WIDTHS = [0.4, 0.8, 1.4, 2.4];
const EDGES_AT_A_TIME = 3000;

// Many lines lie on one another: the more there are, the fainter each.
const edgeOpacity = (run) => Math.min(0.6, Math.max(0.1, 0.6 * Math.sqrt(250 / run.forest.edges)));

// A view is what the map shows: { left, right, low, high } in the map's own units.
const edgeLayer = { view: null, drawing: 0 };

// A canvas that fills its box, cleared, with a pen that counts in CSS pixels.
function freshPen(canvas) {
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  const place = (view) => ({
    x: (value) => ((value - view.left) / (view.right - view.left)) * width,
    y: (value) => ((view.high - value) / (view.high - view.low)) * height,
  });
  return { pen, width, height, place };
}

function drawEdges(state, view) {
  const canvas = byId("edges");
  const token = ++edgeLayer.drawing; // a later drawing puts an end to this one
  const { pen, width, height, place } = freshPen(canvas);
  canvas.style.transform = "";
  edgeLayer.view = view;
  if (!state.run.forest) return;
  const { parent, width: wide, ranges } = state.run.forest;
  const { x, y } = state.run.maps[state.map];
  const at = place(view);
  pen.strokeStyle = colors().edge;
  pen.globalAlpha = edgeOpacity(state.run) * (state.chosen ? 0.5 : 1);
  let v = 0;
  (function some() {
    if (token !== edgeLayer.drawing) return;
    const stop = Math.min(v + EDGES_AT_A_TIME, state.run.n);
    for (; v < stop; v++) {
      const up = parent[v];
      if (up === state.run.nobody) continue;
      const [x0, y0, x1, y1] = [at.x(x[v]), at.y(y[v]), at.x(x[up]), at.y(y[up])];
      if (Math.max(x0, x1) < 0 || Math.min(x0, x1) > width || Math.max(y0, y1) < 0 || Math.min(y0, y1) > height) continue;
      pen.lineWidth = WIDTHS[WIDTHS.length - ranges.length + wide[v]];
      pen.beginPath();
      pen.moveTo(x0, y0);
      pen.lineTo(x1, y1);
      pen.stroke();
    }
    if (v < state.run.n) requestAnimationFrame(some);
  })();
}

// While the view moves: the image of the last drawing, put where it belongs.
function moveEdges(view) {
  const from = edgeLayer.view;
  const canvas = byId("edges");
  if (!from) return;
  edgeLayer.drawing++;
  const { width, height } = canvas.parentElement.getBoundingClientRect();
  const sx = (from.right - from.left) / (view.right - view.left);
  const sy = (from.high - from.low) / (view.high - view.low);
  const dx = ((from.left - view.left) / (view.right - view.left)) * width;
  const dy = ((view.high - from.high) / (view.high - view.low)) * height;
  canvas.style.transform = `translate(${dx}px, ${dy}px) scale(${sx}, ${sy})`;
}

function mapView() {
  const { xaxis, yaxis } = byId("map")._fullLayout;
  return { left: xaxis.range[0], right: xaxis.range[1], low: yaxis.range[0], high: yaxis.range[1] };
}

// Follows the map from its first drawing on.
function followMap(state) {
  const map = byId("map");
  map.on("plotly_afterplot", () => drawEdges(state, mapView()));
  drawEdges(state, mapView());
}
