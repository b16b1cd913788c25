// The page as a whole: which run, which map, which vertex.

const runs = readData();
const state = { run: runs[0], map: Object.keys(runs[0].maps)[0], chosen: null };
const MAP_NAMES = { tsne: "t-SNE", pca: "PCA" };

function choose(vertex) {
  state.chosen = { vertex, path: null };
  byId("search").value = state.run.names[vertex];
  drawDetails(state, choose, showPath);
  byId("chosen").focus({ preventScroll: true });
  say(`${state.run.names[vertex]} is marked on the map.`);
  return markOnMap(state).then(() => bringIntoView(state));
}

function showPath(path) {
  state.chosen.path = path;
  return markOnMap(state);
}

function setUpChoices() {
  const select = byId("run");
  select.replaceChildren(...runs.map((run, k) => element("option", { value: String(k) }, run.label === run.model ? `${run.label} on ${run.data}` : `${run.label} (${run.model} on ${run.data})`)));
  byId("run-choice").hidden = runs.length < 2;
  select.addEventListener("change", () => {
    const name = state.chosen && state.run.names[state.chosen.vertex];
    state.run = runs[Number(select.value)];
    if (!state.run.maps[state.map]) state.map = Object.keys(state.run.maps)[0];
    const again = state.chosen ? state.run.names.indexOf(name) : -1; // the same vertex, where there is one
    state.chosen = again >= 0 ? { vertex: again, path: null } : null;
    if (!state.chosen) byId("search").value = "";
    say("");
    drawDetails(state, choose, showPath);
    redraw();
  });
  const maps = Object.keys(state.run.maps);
  const field = byId("map-choice");
  field.hidden = maps.length < 2;
  field.append(...maps.map((name) => {
    const input = element("input", { type: "radio", name: "map", value: name, checked: name === state.map });
    input.addEventListener("change", () => { state.map = name; if (byId("map").data) drawMap(state); });
    return element("label", {}, input, ` ${MAP_NAMES[name]}`);
  }));
}

// Pictures further down wait until they are about to be seen.
const charts = { dendrogram: () => drawDendrogram(state), lengths: () => drawLengths(state), "curve-elbo": () => drawCurves(runs) };
const waiting = new Set();
const watcher = new IntersectionObserver((seen) => {
  for (const { isIntersecting, target } of seen) {
    if (isIntersecting && waiting.delete(target.id)) charts[target.id]();
  }
}, { rootMargin: "300px" });

function drawWhenSeen() {
  for (const id of Object.keys(charts)) {
    waiting.add(id);
    watcher.unobserve(byId(id));
    watcher.observe(byId(id));
  }
}

// On paper everything is seen.
function drawAll() {
  for (const id of waiting) charts[id]();
  waiting.clear();
}

function redraw() {
  if (!byId("map").data) return; // the first drawing is still to come, and will be right
  drawMap(state);
  drawWhenSeen();
}

function start() {
  setUpChoices();
  setUpSearch(state, choose);
  drawDetails(state, choose, showPath);
  byId("zoom-in").addEventListener("click", () => zoomToVertex(state));
  byId("zoom-out").addEventListener("click", zoomOut);
  drawPreview(state);
  const ready = document.readyState === "loading" ? (then) => document.addEventListener("DOMContentLoaded", then) : (then) => then();
  afterPaint(() => {
    performance.mark("first-picture");
    ready(startPictures);
  });
}

function startPictures() {
  loadPlotly();
  drawMap(state).then(() => {
    performance.mark("map-ready");
    followMap(state);
    setUpGestures();
    byId("map").on("plotly_click", (event) => {
      const vertex = event.points[0]?.customdata;
      if (Number.isInteger(vertex)) choose(vertex);
    });
    darkTheme.addEventListener("change", redraw);
    drawWhenSeen();
    window.addEventListener("beforeprint", drawAll);
  });
}

window.acvaeReport = { runs, state, choose, treePath, pathCorrelations, predictedLinks, knownNeighbors };
start();
