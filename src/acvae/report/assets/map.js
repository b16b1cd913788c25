// The map: all embeddings, and what is marked among them; the forest lies on a canvas below.

const MARKS = 4; // the last traces: known neighbours, predicted links, path, the vertex itself
const traceKind = hasWebGL ? "scattergl" : "scatter";

const pointSize = (run) => (run.n > 20000 ? 3 : run.n > 5000 ? 4 : run.n > 800 ? 5 : 7) - (window.innerWidth < 480 ? 1 : 0);

function clusterTraces(run, place) {
  const size = pointSize(run);
  const made = run.clusters.map((_, k) => ({
    type: traceKind, mode: "markers", x: [], y: [], text: [], customdata: [],
    hovertemplate: "%{text}<extra></extra>",
    marker: { size, color: clusterColor(run, k), line: { width: 0 } },
  }));
  for (let v = 0; v < run.n; v++) {
    const trace = made[run.cluster[v]];
    trace.x.push(place.x[v]);
    trace.y.push(place.y[v]);
    trace.text.push(forPlotly(run.names[v]));
    trace.customdata.push(v);
  }
  return made;
}

// The traces for marks, filled from the selection: { vertex, path } or nothing.
function markTraces(run, place, chosen, c) {
  const known = chosen ? knownNeighbors(run, chosen.vertex).map((n) => n.vertex) : [];
  const predicted = chosen ? predictedLinks(run, chosen.vertex).map((n) => n.vertex) : [];
  const at = (list) => ({
    x: list.map((v) => place.x[v]), y: list.map((v) => place.y[v]),
    text: list.map((v) => forPlotly(run.names[v])), customdata: list,
    type: traceKind, hovertemplate: "%{text}<extra></extra>",
  });
  const path = (chosen && chosen.path) || [];
  return [
    { ...at(known), mode: "markers", marker: { size: window.innerWidth < 480 ? 6 : 9, symbol: "circle-open", color: c.ink, line: { width: 1.2 }, opacity: 0.7 } },
    { ...at(predicted), mode: "markers", marker: { size: 12, symbol: "diamond-open", color: c.accent, line: { width: 2.5 } } },
    { ...at(path), mode: "lines+markers", line: { width: 4, color: c.mark }, marker: { size: 8, color: c.mark } },
    { ...at(chosen ? [chosen.vertex] : []), mode: "markers",
      marker: { size: 17, color: c.mark, line: { width: 3, color: c.paper } } },
  ];
}

function label(run, place, v, c, strong, below = true) {
  return {
    x: place.x[v], y: place.y[v], text: forPlotly(shorten(run.names[v], 32)), showarrow: true, arrowhead: 0, arrowwidth: 1,
    arrowcolor: c.soft, ax: 0, ay: strong ? -28 : below ? 24 : -24, bgcolor: c.paper, bordercolor: strong ? c.mark : c.line, borderpad: 3,
    font: { size: strong ? 14 : 12, color: c.ink }, opacity: 0.95,
  };
}

function mapLabels(run, place, chosen, c) {
  if (!chosen) return [];
  const others = chosen.path ? chosen.path.slice(1) : [];
  const shown = others.length > 6 ? others.slice(-1) : others;
  return [...shown.map((v, k) => label(run, place, v, c, false, (shown.length - k) % 2 === 1)), label(run, place, chosen.vertex, c, true)];
}

// The window that shows all of the points, in the map's own shape.
function windowAround(list, place, margin) {
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const v of list) {
    left = Math.min(left, place.x[v]);
    right = Math.max(right, place.x[v]);
    low = Math.min(low, place.y[v]);
    high = Math.max(high, place.y[v]);
  }
  const pad = Math.max(right - left, high - low, 1e-6) * margin;
  return { "xaxis.range": [left - pad, right + pad], "yaxis.range": [low - pad, high + pad] };
}

function drawMap(state) {
  const { run } = state;
  const place = run.maps[state.map];
  const c = colors();
  const box = byId("map");
  const points = clusterTraces(run, place);
  const bare = { visible: true, showgrid: false, zeroline: false, showticklabels: false, ticks: "", showline: false };
  const layout = baseLayout({
    margin: { l: 0, r: 0, t: 0, b: 0 }, modebar: { bgcolor: "rgba(0,0,0,0)", color: c.soft, activecolor: c.accent },
    dragmode: false, hovermode: "closest", uirevision: `${run.label} ${state.map}`,
    xaxis: { ...bare }, yaxis: { ...bare, scaleanchor: "x" },
    annotations: mapLabels(run, place, state.chosen, c),
  });
  const config = { responsive: true, scrollZoom: false, displaylogo: false, doubleClick: "reset", // gestures.js moves it
    modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d"]] }; // none that leaves the page
  const traces = [...points, ...markTraces(run, place, state.chosen, c)];
  return Plotly.react(box, traces, layout, config).then(() => {
    byId("preview")?.remove();
    box.setAttribute("aria-label", `Map of ${many(run.n, "embedding")}, coloured by ${many(run.clusters.length, "cluster")}` +
      (run.forest ? `, joined by ${many(run.forest.edges, "forest edge")}` : ""));
    drawLegend(state);
    dimPoints(state);
  });
}

// Only what is marked changes; everything else stays as it is, and the view too.
function markOnMap(state) {
  const c = colors();
  const place = state.run.maps[state.map];
  const box = byId("map");
  byId("zoom-in").disabled = !state.chosen;
  if (!box.data) return Promise.resolve();
  const marks = markTraces(state.run, place, state.chosen, c);
  const first = box.data.length - MARKS;
  const change = {};
  for (const key of ["x", "y", "text", "customdata"]) change[key] = marks.map((trace) => trace[key]);
  return Plotly.update(box, change, { annotations: mapLabels(state.run, place, state.chosen, c) },
    marks.map((_, k) => first + k)).then(() => dimPoints(state));
}

function dimPoints(state) {
  const box = byId("map");
  const dim = Boolean(state.chosen);
  if (state.dimmed === dim && state.dimmedFor === box.data[0]) return null;
  state.dimmed = dim;
  state.dimmedFor = box.data[0];
  return Plotly.restyle(box, { opacity: dim ? 0.4 : 1 }, state.run.clusters.map((_, k) => k));
}

// The whole map, if the vertex is outside what is shown of it.
function bringIntoView({ run, map, chosen }) {
  if (!byId("map").data) return null;
  const { left, right, low, high } = mapView();
  const [x, y] = [run.maps[map].x[chosen.vertex], run.maps[map].y[chosen.vertex]];
  return x < left || x > right || y < low || y > high ? zoomOut() : null;
}

function zoomToVertex(state) {
  const { run, chosen } = state;
  if (!chosen || !byId("map").data) return;
  const around = chosen.path || [chosen.vertex, ...predictedLinks(run, chosen.vertex).map((n) => n.vertex)];
  Plotly.relayout(byId("map"), windowAround(around, run.maps[state.map], 0.3));
}

const zoomOut = () => byId("map").data && Plotly.relayout(byId("map"), { "xaxis.autorange": true, "yaxis.autorange": true });

function drawLegend(state) {
  const { run } = state;
  const keys = run.clusters.map((cluster, k) =>
    element("button", { type: "button", "aria-pressed": "true", title: "Show or hide this cluster",
      onclick: (event) => {
        const shown = event.currentTarget.getAttribute("aria-pressed") === "true";
        event.currentTarget.setAttribute("aria-pressed", String(!shown));
        Plotly.restyle(byId("map"), { visible: !shown }, [k]);
      } },
      element("span", { class: "swatch", style: { background: clusterColor(run, k) } }),
      clusterName(run, k, 28)));
  if (run.forest) {
    const first = WIDTHS.length - run.forest.ranges.length;
    run.forest.ranges.forEach(([low, high], k) =>
      keys.push(element("span", { class: "key" },
        element("span", { class: "stroke", style: { height: `${Math.max(1, 1.3 * WIDTHS[first + k])}px` } }),
        low.toFixed(3) === high.toFixed(3) ? `ρ ${low.toFixed(3)}` : `ρ ${low.toFixed(3)} to ${high.toFixed(3)}`)));
  }
  keys.push(
    element("span", { class: "key" }, element("span", { class: "ring", style: { color: "var(--ink)" } }), "known neighbour"),
    element("span", { class: "key" }, element("span", { class: "ring diamond", style: { color: "var(--accent)" } }), "predicted link"));
  byId("legend").replaceChildren(...keys);
  byId("map-remark").textContent =
    "Clusters are called by their vertex of most neighbours." +
    (run.small ? ` ${many(run.small.vertices, "vertex", "vertices")} in ${many(run.small.groups, "small group")} are grey.` : "") +
    (run.forest
      ? ` Lines are the learnt forest, ${many(run.forest.edges, "edge")} in ${many(run.forest.trees, "tree")}, wider with the mean correlation ρ.`
      : ` The model ${run.model} has no forest: there are no lines on the map and no paths.`) +
    (hasWebGL ? "" : " This browser has no WebGL, so that zooming is slow.");
}
