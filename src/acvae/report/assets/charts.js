// The other pictures: dendrogram, correlation by path length, training curves.

function emptyChart(box, text) {
  if (box.data) Plotly.purge(box);
  box.classList.add("empty");
  box.textContent = text;
}

function draw(box, traces, layout, description) {
  if (box.classList.contains("empty")) {
    box.classList.remove("empty");
    box.textContent = "";
  }
  box.setAttribute("role", "img");
  box.setAttribute("aria-label", description);
  return Plotly.react(box, traces, layout, STILL);
}

function drawDendrogram({ run }) {
  const box = byId("dendrogram");
  const { merges, leaves, left_out: leftOut, landmarks } = run.dendrogram;
  if (!merges.length) {
    emptyChart(box, "There is one cluster only.");
    byId("dendrogram-remark").textContent = "";
    return;
  }
  const c = colors();
  const tallest = Math.max(...merges.map((merge) => merge.height));
  const narrow = box.clientWidth < 480;
  const color = (k) => (k < 0 ? c.soft : clusterColor(run, k));
  const traces = merges.map(({ height, cluster, low, high }) => ({
    type: "scatter", mode: "lines", x: [low[0], height, height, high[0]], y: [low[1], low[1], high[1], high[1]],
    hovertemplate: `merged at distance ${figure(height)}<extra></extra>`, line: { width: 2, color: color(cluster) },
  }));
  traces.push({
    type: "scatter", mode: "markers", x: leaves.map(() => 0), y: leaves.map((_, k) => k), cliponaxis: false,
    text: leaves.map((leaf) => forPlotly(`${leaf.name}, ${many(leaf.size, "vertex", "vertices")}`)),
    hovertemplate: "%{text}<extra></extra>",
    marker: { color: leaves.map((leaf) => color(leaf.cluster)), opacity: 1, size: leaves.map((leaf) => 4 + 2.5 * Math.log10(leaf.size)) },
  });
  const text = leaves.map((leaf) => forPlotly(`${shorten(leaf.name, narrow ? 18 : 28)} (${count(leaf.size)})`) + "  ");
  const layout = baseLayout({
    margin: { l: 10, r: 15, t: 5, b: 40 }, hovermode: "closest", dragmode: false,
    xaxis: axis("largest expected distance within", { fixedrange: true, range: [-0.02 * tallest, 1.04 * tallest] }),
    yaxis: axis("", { tickvals: leaves.map((_, k) => k), ticktext: text, showgrid: false, zeroline: false, fixedrange: true,
      range: [-0.6, leaves.length - 0.4], tickfont: { size: narrow ? 11 : 12, color: c.ink } }),
  });
  draw(box, traces, layout, `Dendrogram of ${leaves.length} groups of vertices`);
  byId("dendrogram-remark").textContent =
    "The highest merges of complete linkage. Each end is a group, called by its vertex of most neighbours, with its size; colours as on the map." +
    (leftOut ? ` Groups too small to show, ${many(leftOut, "vertex", "vertices")} in all, are left out.` : "") +
    (landmarks ? ` Made of ${count(landmarks)} vertices drawn at random; the others joined the nearest cluster.` : "");
}

function drawLengths({ run }) {
  const box = byId("lengths");
  const found = run.lengths;
  if (!found) {
    emptyChart(box, `The model ${run.model} has no forest, so that there are no paths.`);
    byId("lengths-remark").textContent = "";
    return;
  }
  const c = colors();
  const q = (k) => found.quantiles.map((row) => row[k]);
  const boxes = {
    type: "box", x: found.length, lowerfence: q(0), q1: q(1), median: q(2), q3: q(3), upperfence: q(4),
    line: { color: PALETTE[0], width: 1.5 }, hoverinfo: "skip", whiskerwidth: 0.5,
  };
  const hover = {
    type: "scatter", mode: "markers", x: found.length, y: q(2), marker: { size: 14, opacity: 0 },
    text: found.pairs.map((pairs, k) => `${many(found.length[k], "step")}: median ${q(2)[k].toFixed(3)}, ` +
      `half of ${many(pairs, "pair")} in ${q(1)[k].toFixed(3)} to ${q(3)[k].toFixed(3)}`),
    hovertemplate: "%{text}<extra></extra>",
  };
  const layout = baseLayout({
    hovermode: "closest", dragmode: false,
    xaxis: axis("steps on the forest", { dtick: 1, fixedrange: true, showgrid: false, range: [0.4, found.length.at(-1) + 0.6] }),
    yaxis: axis("correlation", { fixedrange: true, rangemode: "tozero" }),
  });
  draw(box, [boxes, hover], layout, "Correlation of pairs by the length of the path between them");
  byId("lengths-remark").textContent = "Box: middle half of the pairs; whiskers: 5% to 95%. " +
    (found.all ? "Over all pairs." : `Over all pairs with one of ${count(found.sources)} vertices drawn at random.`) +
    (found.longer ? ` Longer paths, of ${many(found.longer, "more pair")}, are left out.` : "");
}

function drawCurves(runs) {
  const c = colors();
  const color = (k) => PALETTE[k % PALETTE.length];
  byId("curves-legend").replaceChildren(...runs.map((run, k) =>
    element("span", { class: "key" }, element("span", { class: "swatch", style: { background: color(k) } }), run.label)));
  const line = (k, curve, name, dash) => ({
    type: "scatter", mode: curve.epoch.length < 40 ? "lines+markers" : "lines", x: curve.epoch, y: curve.value, name: forPlotly(name),
    line: { color: color(k), width: 2, dash }, marker: { size: 4 }, hovertemplate: "epoch %{x}: %{y:.4g}<extra>%{fullData.name}</extra>",
  });
  const charts = {
    elbo: { parts: [["elbo", "", "solid"]] },
    kl: { parts: [["kl", "", "solid"]], missing: "No run has this figure." },
    ncrr: { parts: [["test_ncrr", " test", "solid"], ["train_ncrr", " train", "dot"]],
      missing: "Not measured while training; acvae fit … --evaluate-every N does." },
    settled: { parts: [["settled", "", "solid"]], missing: "Only models with an adaptive prior have weights that settle.",
      range: { range: [-0.03, 1.05], tickformat: ".0%" } },
  };
  for (const [name, { parts, missing, range }] of Object.entries(charts)) {
    const traces = runs.flatMap((run, k) => parts.filter(([key]) => run.curves[key])
      .map(([key, suffix, dash]) => line(k, run.curves[key], run.label + suffix, dash)));
    const box = byId(`curve-${name}`);
    if (!traces.length) {
      emptyChart(box, missing || "There are no figures of the training.");
      continue;
    }
    draw(box, traces, baseLayout({
      margin: { l: 50, r: 10, t: 8, b: 40 }, hovermode: "closest", dragmode: false,
      xaxis: axis("epoch", { fixedrange: true, gridcolor: c.line }), yaxis: axis("", { fixedrange: true, ...range }),
    }), `Training curve: ${name}`);
  }
}
