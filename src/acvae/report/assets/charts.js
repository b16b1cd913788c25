// The pictures further down: dendrogram, correlation by path length, reliability, training curves.

function drawDendrogram({ run }) {
  const { merges, leaves, left_out: leftOut, landmarks, linkage } = run.dendrogram;
  const ward = linkage === "ward";
  if (!merges.length) return;
  const box = byId("dendrogram");
  const narrow = chartWidth(box) < 480;
  const tallest = Math.max(...merges.map((merge) => merge.height));
  const { root, at } = chart(box, {
    height: 60 + (theme.printing ? 18 : 23) * leaves.length, x: [0, 1.03 * tallest], y: [-0.6, leaves.length - 0.4], xLabel: ward ? "what a merge adds to the spread" : "largest expected distance within",
    yNames: leaves.map((leaf) => `${shorten(leafName(run, leaf), narrow ? 17 : 27)} (${count(leafSize(run, leaf))})`),
    description: `Dendrogram of ${leaves.length} groups of vertices`,
  });
  const color = (k) => (k < 0 ? "var(--soft)" : clusterColor(run, k));
  for (const { height, cluster, low, high } of merges) {
    const line = polyline([[low[0], low[1]], [height, low[1]], [height, high[1]], [high[0], high[1]]].map(([x, y]) => [at.x(x), at.y(y)]),
      { stroke: color(cluster), "stroke-width": 2, "stroke-linejoin": "round" });
    line.append(tooltip(`merged at distance ${figure(height)}`));
    root.append(line);
  }
  leaves.forEach((leaf, k) => root.append(shape("circle", { cx: at.x(0), cy: at.y(k), r: 2.5 + Math.log10(leaf.size), fill: color(leaf.cluster) },
    tooltip(`${leafName(run, leaf)}, ${many(leafSize(run, leaf), "vertex", "vertices")}`))));
  byId("dendrogram-remark").textContent =
    `The highest merges of ${ward ? "Ward’s linkage of the embeddings’ directions" : "complete linkage"}; long stems are clusters that stand apart. Each end is a group, called as on the map, or by its vertex of most neighbours where it is a part of a cluster, with its size; colours as on the map.` +
    (leftOut ? ` Groups too small to show, ${many(leftOut, "vertex", "vertices")} in all, are left out.` : "") +
    (landmarks ? ` Made of ${count(landmarks)} vertices drawn at random; the others joined the nearest cluster.` : "");
}

// A leaf that is a whole cluster has its name.
function leafName({ clusters }, leaf) {
  const own = clusters[leaf.cluster];
  return leaf.whole && own.words.length ? own.words.join(", ") : leaf.name;
}

// A whole cluster has its size on the map, though the hierarchy may be of some of its vertices.
const leafSize = ({ clusters }, leaf) => (leaf.whole ? clusters[leaf.cluster].size : leaf.size);

function drawLengths({ run }) {
  const found = run.lengths;
  if (!found) return;
  const low = Math.min(0, ...found.quantiles.map((row) => row[0]));
  const high = Math.max(...found.quantiles.map((row) => row[4]));
  const { root, at } = chart(byId("lengths"), {
    height: theme.printing ? 230 : 320, x: [0.4, found.length.at(-1) + 0.6], y: padded([low, high], 0.03), xLabel: "steps on the forest", yLabel: "correlation",
    description: "Correlation of pairs by the length of the path between them",
  });
  const half = Math.min(14, (at.x(2) - at.x(1)) * 0.32);
  found.quantiles.forEach((row, k) => {
    const x = at.x(found.length[k]);
    const [bottom, q1, median, q3, top] = row.map(at.y);
    const line = (x1, y1, x2, y2, wide) => shape("line", { x1, y1, x2, y2, stroke: PALETTE[0], "stroke-width": wide });
    root.append(shape("g", {}, tooltip(`${many(found.length[k], "step")}: median ${row[2].toFixed(3)}, half of ${many(found.pairs[k], "pair")} in ${row[1].toFixed(3)} to ${row[3].toFixed(3)}`),
      line(x, bottom, x, top, 1.2), shape("rect", { x: x - half, y: q3, width: 2 * half, height: Math.max(q1 - q3, 1), fill: "var(--card)", stroke: PALETTE[0], "stroke-width": 1.5 }),
      line(x - half, median, x + half, median, 2.5)));
  });
  byId("lengths-remark").textContent = "How fast correlation fades along the forest; boxes that are thin lines say that all edges are alike. " +
    "Box: middle half of the pairs; whiskers: 5% to 95%. " +
    (found.all ? "Over all pairs." : `Over all pairs with one of ${count(found.sources)} vertices drawn at random.`) +
    (found.longer ? ` Longer paths, of ${many(found.longer, "more pair")}, are left out.` : "");
}

function drawCalibration({ run }) {
  const found = run.calibration;
  if (!found) return;
  const floor = Math.min(...found.mean_predicted, ...found.fraction.filter((v) => v > 0)) / 2;
  const { root, at } = chart(byId("calibration"), {
    height: theme.printing ? 230 : 320, x: [floor, 1.2], y: [floor, 1.2], log: true, xLabel: "predicted probability", yLabel: "share of links",
    description: "Share of held-out links by predicted probability",
  });
  const y = (v) => at.y(Math.max(v, floor));
  root.append(polyline([[at.x(floor), at.y(floor)], [at.x(1), at.y(1)]], { stroke: "var(--soft)", "stroke-dasharray": "5 4" }));
  found.mean_predicted.forEach((p, k) => root.append(shape("g", {},
    tooltip(`predicted ${percent(p)}: ${percent(found.fraction[k])} of ${count(Math.round(found.count[k]))} pairs`),
    shape("line", { x1: at.x(p), x2: at.x(p), y1: y(found.lower[k]), y2: y(found.upper[k]), stroke: PALETTE[0], "stroke-width": 1.5 }),
    shape("circle", { cx: at.x(p), cy: y(found.fraction[k]), r: 4, fill: found.fraction[k] ? PALETTE[0] : "var(--paper)", stroke: PALETTE[0] }))));
  byId("calibration-remark").textContent =
    "Pairs in bins by the probability they were given, and the share of each bin that are held-out links, with its 95% interval. On the dashed line they hold what they promise; above it links are more frequent than promised, below it rarer." +
    (found.error === null ? "" : ` On average they are off by ${percent(found.error)} (expected calibration error).`) +
    (found.log_loss === null ? "" : ` Log-loss per held-out link: ${found.log_loss.toFixed(2)}.`);
}

const CURVES = [
  { title: "ELBO", keys: [["elbo", ""]], sentence: "What training maximises; it has settled where the line is level. Compare only runs with the same γ." },
  { title: "KL divergence", keys: [["kl", ""]], sentence: "How far embeddings are from the prior; near zero they have collapsed." },
  { title: "NCRR", keys: [["test_ncrr", "test"], ["train_ncrr", "train"]], sentence: "Link prediction while training, dashed on train links; a test line that falls while train rises is overfitting." },
  { title: "Settled weights", keys: [["settled", ""]], sentence: "Share of the prior's weights that are 0 or 1; at 100% the forest is chosen.", percent: true },
];

function drawCurves(runs) {
  const shown = CURVES.filter(({ keys }) => runs.some((run) => keys.some(([key]) => run.curves[key])));
  byId("training-section").hidden = !shown.length;
  const color = (k) => PALETTE[k % PALETTE.length];
  const drawn = runs.map((run, k) => ({ run, k })).filter(({ run }) => Object.keys(run.curves).length);
  byId("curves-legend").replaceChildren(...(runs.length < 2 ? [] : drawn.map(({ run, k }) =>
    element("span", { class: "key" }, element("span", { class: "swatch", style: { background: color(k) } }), run.label))));
  byId("curves").replaceChildren(...shown.map(({ title, sentence }) =>
    element("figure", {}, element("div", { class: "heading" }, title), element("div", { class: "chart small" }), element("p", { class: "remark" }, sentence))));
  shown.forEach(({ title, keys, percent: share }, figureNumber) => {
    const lines = runs.flatMap((run, k) => keys.filter(([key]) => run.curves[key]).map(([key, part]) => ({ ...run.curves[key], k, part, label: run.label })));
    const { root, at } = chart(byId("curves").children[figureNumber].querySelector(".chart"), {
      height: 200, x: padded(lines.flatMap((line) => line.epoch), 0.02), y: share ? [-0.03, 1.05] : padded(lines.flatMap((line) => line.value)),
      xLabel: "epoch", wholeX: true, description: `Training curve: ${title}`, tickTextY: share ? (v) => `${Math.round(100 * v)}%` : tickText,
    });
    for (const { epoch, value, k, part, label } of lines) {
      const line = polyline(epoch.map((e, t) => [at.x(e), at.y(value[t])]), { stroke: color(k), "stroke-width": 2, "stroke-linejoin": "round",
        ...(part === "train" ? { "stroke-dasharray": "5 4" } : {}) });
      line.append(tooltip(`${label}${part ? `, ${part}` : ""}: ${figure(value.at(-1))} after epoch ${epoch.at(-1)}`));
      root.append(line);
    }
  });
}
