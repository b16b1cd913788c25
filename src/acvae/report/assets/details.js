// The chosen vertex: its predicted links, its known neighbours, and the path to any of them.

const NEIGHBORS_AT_FIRST = 12;

function drawDetails(state, choose, showPath) {
  const { run, chosen } = state;
  const box = byId("details");
  if (!chosen) {
    box.replaceChildren(element("p", { class: "remark" },
      "Type a name above, or click a point of the map, to see its neighbours, the links that the model predicts" +
      (run.forest ? " and the tree path to each." : ".")),
      element("div", { class: "examples" }, ...run.clusters.filter((cluster) => cluster.name !== null).slice(0, 4).map((cluster) =>
        element("button", { type: "button", class: "plain", onclick: () => choose(run.names.indexOf(cluster.name)) },
          cluster.name))));
    return;
  }
  const v = chosen.vertex;
  const links = predictedLinks(run, v);
  const known = knownNeighbors(run, v);
  const hidden = run.test ? run.test.start[v + 1] - run.test.start[v] : 0;
  box.replaceChildren(
    element("h3", { id: "chosen", tabindex: "-1" }, run.names[v]),
    element("p", { class: "facts" },
      `${many(known.length, "known neighbour")}` + (hidden ? `, ${many(hidden, "link")} held out from training` : "") +
      (run.clusters[run.cluster[v]].name === null ? "" : `; in the cluster of ${run.clusters[run.cluster[v]].name}`)),
    element("h3", {}, links.length === 1 ? "The best predicted link" : `The ${links.length} best predicted links`),
    columnNames("distance"),
    linkList(state, links, "predicted", choose, showPath),
    element("h3", {}, known.length ? "Known neighbours, nearest first" : "No known neighbours"),
    ...(known.length ? [neighborList(state, known, choose, showPath)] : []));
}

const columnNames = (right) =>
  element("div", { class: "column-names", "aria-hidden": "true" }, element("span"), element("span", {}, right));

function neighborList(state, known, choose, showPath) {
  const box = element("div", {}, linkList(state, known.slice(0, NEIGHBORS_AT_FIRST), "known", choose, showPath));
  if (known.length > NEIGHBORS_AT_FIRST) {
    box.append(element("button", { type: "button", class: "plain", style: { marginTop: ".5rem" },
      onclick: () => {
        const all = linkList(state, known, "known", choose, showPath);
        box.replaceChildren(all);
        all.children[NEIGHBORS_AT_FIRST].firstChild.focus();
      } }, `All ${count(known.length)}`));
  }
  return box;
}

function linkList(state, links, kind, choose, showPath) {
  return element("ol", { class: "links" }, ...links.map((link, k) => {
    const item = element("li");
    const panel = `path-${kind}-${k}`;
    item.append(element("button", { type: "button", "aria-expanded": "false", "aria-controls": panel,
      "aria-label": `${state.run.names[link.vertex]}, distance ${figure(link.distance)}${link.test ? ", a held-out link" : ""}; show path`,
      onclick: (event) => togglePath(state, event.currentTarget, link.vertex, panel, choose, showPath) },
      ...(kind === "predicted" ? [element("span", { class: "rank" }, String(k + 1))] : []),
      element("span", { class: "name" }, state.run.names[link.vertex]),
      ...(link.test ? [element("span", { class: "tag", title: "a true link that was held out from training" }, "held out ✓")] : []),
      element("span", { class: "distance" }, figure(link.distance))));
    return item;
  }));
}

// Opens the path below its link, and closes any other.
function togglePath(state, button, target, panel, choose, showPath) {
  const opened = button.getAttribute("aria-expanded") === "true";
  for (const other of byId("details").querySelectorAll('[aria-expanded="true"]')) {
    other.setAttribute("aria-expanded", "false");
    other.nextElementSibling?.remove();
  }
  if (opened) {
    showPath(null);
    return;
  }
  const { run, chosen } = state;
  const path = run.forest ? treePath(run, chosen.vertex, target) : null;
  button.setAttribute("aria-expanded", "true");
  button.after(element("div", { class: "path", id: panel },
    ...(path ? pathSteps(run, path, choose) : [noPath(run, target, choose)])));
  showPath(path);
}

function noPath(run, target, choose) {
  return element("p", {}, run.forest
    ? "No path: the two are in different trees of the forest, so that their correlation is zero. "
    : `The model ${run.model} has no forest, so that there is no path. `,
    element("button", { type: "button", class: "plain", onclick: () => choose(target) }, `Go to ${run.names[target]}`));
}

function pathSteps(run, path, choose) {
  const steps = pathCorrelations(run, path);
  const items = path.map((v, s) => {
    const stop = element("div", { class: "stop" },
      element("span", { class: "dot", style: { background: clusterColor(run, run.cluster[v]) } }),
      s === 0 ? element("span", {}, run.names[v])
        : element("button", { type: "button", title: "Go to this vertex", onclick: () => choose(v) }, run.names[v]));
    if (s === 0) return element("li", {}, stop);
    const { step } = steps[s - 1];
    return element("li", {},
      element("div", { class: "step" },
        element("span", { class: "bar", style: { width: `${1 + 5 * Math.max(step, 0) ** 4}px` } }),
        element("span", {}, "ρ = ", element("strong", {}, step.toFixed(3)))),
      stop);
  });
  const whole = steps.at(-1).soFar;
  return [
    element("ol", { "aria-label": "Path along the forest" }, ...items),
    element("p", { class: "remark" }, path.length === 2
      ? "The two are joined by one edge of the forest."
      : `The whole path of ${path.length - 1} steps: ρ = ${whole.toFixed(3)}, the product over its steps ` +
        `(in each of ${run.d} dimensions, then the mean).`),
  ];
}
