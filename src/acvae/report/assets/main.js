// The page as a whole: which run, which map, which vertex.

const runs = readData();
const state = { run: runs[0], map: Object.keys(runs[0].maps)[0], color: "cluster", chosen: null, pair: null };
const MAP_NAMES = { tsne: "t-SNE", pca: "PCA" };
const COLOR_NAMES = { cluster: "clusters", class: "classes" };

// A vertex by its id, or null for none.
function choose(vertex) {
  select(vertex);
  if (vertex !== null) {
    byId("search").value = state.run.names[vertex];
    say("");
    byId("chosen").focus({ preventScroll: true });
  } else byId("search").value = "";
  const hash = vertex === null ? "" : `#v=${encodeURIComponent(state.run.names[vertex])}`;
  if (location.hash !== hash) history.pushState(null, "", hash || location.pathname + location.search);
}

function select(vertex) {
  state.chosen = vertex === null ? null : { vertex };
  state.pair = null;
  byId("zoom-in").disabled = vertex === null;
  drawLinks(state, choose, showPair);
  if (vertex !== null) bringIntoView(state);
  drawMap(state);
}

function showPair(pair) {
  state.pair = pair;
  drawMap(state);
}

// The address may name a vertex: page.html#v=NAME.
function followAddress() {
  const asked = /^#v=(.*)$/s.exec(location.hash);
  if (!asked) {
    if (state.chosen) choose(null);
    return;
  }
  let name = asked[1];
  try {
    name = decodeURIComponent(name);
  } catch { /* shown as it is */ }
  const vertex = state.run.names.indexOf(name);
  if (vertex >= 0) {
    if (state.chosen?.vertex !== vertex) choose(vertex);
    return;
  }
  select(null);
  byId("search").value = name;
  say(`There is no vertex “${shorten(name, 60)}” in this run.`);
}

function radios(field, values, now, change) {
  field.querySelectorAll("label").forEach((label) => label.remove());
  field.hidden = Object.keys(values).length < 2;
  field.append(...Object.entries(values).map(([value, title]) => {
    const input = element("input", { type: "radio", name: field.id, value, checked: value === now });
    input.addEventListener("change", () => change(value));
    return element("label", {}, input, ` ${title}`);
  }));
}

function setUpRuns() {
  const choice = byId("run");
  choice.replaceChildren(...runs.map((run, k) => element("option", { value: String(k) },
    run.label === run.model ? `${run.label} on ${run.data}` : `${run.label} (${run.model} on ${run.data})`)));
  byId("run-choice").hidden = runs.length < 2;
  choice.addEventListener("change", () => {
    const name = state.chosen && state.run.names[state.chosen.vertex];
    state.run = runs[Number(choice.value)];
    const again = name === null ? -1 : state.run.names.indexOf(name); // the same vertex, where there is one
    if (!state.run.maps[state.map]) state.map = Object.keys(state.run.maps)[0];
    if (!state.run.classes) state.color = "cluster";
    map.view = wholeView(state);
    showRun();
    choose(again >= 0 ? again : null);
    drawCharts();
  });
}

// What belongs to the run: verdict, choices, legend.
function showRun() {
  const { run } = state;
  const { text, tone, warning } = run.verdict;
  byId("verdict").textContent = text;
  byId("verdict").className = `verdict ${tone}`;
  byId("warning").textContent = warning || "";
  byId("warning").hidden = !warning;
  map.hidden.clear();
  const pick = (all, there) => Object.fromEntries(Object.entries(all).filter(([key]) => there(key)));
  radios(byId("map-choice"), pick(MAP_NAMES, (key) => run.maps[key]), state.map, (value) => {
    state.map = value;
    map.view = wholeView(state);
    drawLegend(state);
    drawMap(state);
  });
  radios(byId("color-choice"), pick(COLOR_NAMES, (key) => key === "cluster" || run.classes), state.color, (value) => {
    state.color = value;
    drawLegend(state);
    drawMap(state);
  });
  drawLegend(state);
}

function drawCharts() {
  const { run } = state; // what there is nothing to show of is not there, before widths are measured
  byId("clusters-section").hidden = !run.dendrogram.merges.length;
  byId("lengths-section").hidden = !run.lengths;
  byId("calibration-section").hidden = !run.calibration;
  drawDendrogram(state);
  drawLengths(state);
  drawCalibration(state);
  drawCurves(runs);
  performance.mark("charts-ready");
}

function start() {
  setUpRuns();
  showRun();
  setUpSearch(state, choose, () => select(null));
  setUpGestures(state, choose);
  byId("zoom-in").addEventListener("click", () => zoomToVertex(state));
  byId("zoom-out").addEventListener("click", () => zoomOut(state));
  map.view = wholeView(state);
  select(null);
  requestAnimationFrame(() => setTimeout(() => {
    performance.mark("first-picture");
    drawCharts();
    followAddress();
    performance.mark("page-ready");
  }, 0));
  let width = window.innerWidth;
  new ResizeObserver(() => redrawMap(state)).observe(byId("map").parentElement);
  window.addEventListener("resize", () => {
    if (window.innerWidth === width || theme.printing) return; // a phone's bars come and go
    width = window.innerWidth;
    drawCharts();
  });
  window.addEventListener("hashchange", followAddress);
  window.addEventListener("popstate", followAddress);
  darkTheme.addEventListener("change", () => drawMap(state));
  const print = (printing) => () => {
    theme.printing = printing;
    drawMap(state);
    drawCharts();
  };
  window.addEventListener("beforeprint", print(true));
  window.addEventListener("afterprint", print(false));
}

window.acvaeReport = { runs, state, map, choose, treePath, pathCorrelations, predictedLinks, knownNeighbors, project, mapSize };
start();
