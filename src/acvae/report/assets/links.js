// The list of predicted links: of the whole graph, or of the chosen vertex with its known neighbours; each with its why.

const BEST_AT_FIRST = 10;
const NEIGHBORS_AT_FIRST = 12;
const LONGEST_REASON = 140; // letters of a reason that is not opened
const LONGEST_PATH = 16; // vertices of a path that is listed step by step

function drawLinks(state, choose, showPair) {
  const box = byId("details");
  const { run, chosen } = state;
  if (!chosen) {
    const best = run.links.best.map(([v, place]) => linkAt(run, v, place));
    const likely = run.links.probability && run.calibration?.likely;
    box.replaceChildren(
      element("h3", {}, best.length ? "The most likely new links of all" : "There is no link left to predict"),
      ...(run.links.asked ? [element("p", { class: "remark" }, `Among those of the ${count(run.links.asked.count)} vertices with the most neighbours. The links of all take longer: acvae links RUN --out FILE.`)] : []),
      ...(likely ? [element("p", { class: "remark", id: "likely" }, `Of the pairs given 50% or more, ${percent(likely.share)} are held-out links (${count(likely.pairs)} pairs that were not trained on).`)] : []),
      ...(best.length ? [columnNames(whatIsTold(run)), longList(state, best, "best", BEST_AT_FIRST, `All ${best.length}`, choose, showPair)] : []));
    return;
  }
  const v = chosen.vertex;
  const links = predictedLinks(run, v);
  const known = knownNeighbors(run, v);
  const hidden = run.test ? run.test.start[v + 1] - run.test.start[v] : 0;
  const cluster = run.clusters[run.cluster[v]];
  box.replaceChildren(
    element("h3", { id: "chosen", tabindex: "-1" }, run.names[v]),
    element("p", { class: "facts" },
      many(degree(run, v), "known neighbour") + (hidden ? `, ${many(hidden, "link")} held out from training` : "") +
      (cluster.name === null ? "" : `; cluster: ${clusterTitle(cluster)}`)),
    element("button", { type: "button", class: "plain", id: "all-links", onclick: () => choose(null) }, "Back to the links of all"),
    element("h3", {}, !asked(run, v) ? "Links not predicted on this page" : links.length === 0 ? "No link left to predict" : links.length === 1 ? "The best predicted link" : `The ${links.length} best predicted links`),
    ...(links.length ? [columnNames(whatIsTold(run)), linkList(state, links, "predicted", choose, showPair)] : []),
    ...(asked(run, v) ? [] : [element("p", { class: "remark" }, `It has those of the ${count(run.links.asked.count)} vertices with the most neighbours. For this one: acvae links RUN NAME.`)]),
    element("h3", {}, known.length ? "Known neighbours, nearest first" : "No known neighbours"),
    ...(known.length ? [columnNames("expected distance"), longList(state, known, "known", NEIGHBORS_AT_FIRST, known.length < degree(run, v) ? `The nearest ${count(known.length)}` : `All ${count(known.length)}`, choose, showPair)] : []));
}

const asked = (run, v) => !run.links.asked || run.links.asked.of[v] === 1;
const whatIsTold = (run) => (run.links.probability ? "probability" : "expected distance");
const columnNames = (title) => element("div", { class: "column-names", "aria-hidden": "true" }, element("span"), element("span", {}, title));

// The first of a list, and a button for the rest.
function longList(state, links, kind, atFirst, title, choose, showPair) {
  const box = element("div", {}, linkList(state, links.slice(0, atFirst), kind, choose, showPair));
  if (links.length > atFirst) {
    box.append(element("button", { type: "button", class: "plain more",
      onclick: () => {
        const all = linkList(state, links, kind, choose, showPair);
        box.replaceChildren(all);
        all.children[atFirst].firstChild.focus();
      } }, title));
  }
  return box;
}

function linkList(state, links, kind, choose, showPair) {
  const { run } = state;
  return element("ol", { class: "links" }, ...links.map((link, k) => {
    const from = link.from ?? state.chosen.vertex;
    const name = kind === "best" ? `${run.names[from]} – ${run.names[link.vertex]}` : run.names[link.vertex];
    const likely = link.probability === undefined || link.probability === null;
    const value = likely ? figure(link.distance) : percent(link.probability);
    const panel = `why-${kind}-${k}`;
    const item = element("li");
    item.append(element("button", { type: "button", "aria-expanded": "false", "aria-controls": panel,
      "aria-label": `${name}, ${likely ? "distance" : "probability"} ${value}${link.test ? ", a held-out link" : ""}; show why`,
      onclick: (event) => toggleWhy(state, event.currentTarget, { ...link, from, kind }, panel, choose, showPair) },
      ...(kind === "known" ? [] : [element("span", { class: "rank" }, String(k + 1))]),
      element("span", { class: "name" }, name),
      element("span", { class: "value" }, value),
      ...(kind === "known" ? [] : [element("span", { class: "why" },
        ...(link.test ? [element("span", { class: "tag", title: "a true link that was held out from training" }, "held out ✓")] : []),
        element("span", { class: "reason" }, shortenList(reasonsFor(run, from, link.vertex, link.place)[0], LONGEST_REASON)))])));
    return item;
  }));
}

// Opens the reasons below a link, and closes any other.
function toggleWhy(state, button, link, panel, choose, showPair) {
  const opened = button.getAttribute("aria-expanded") === "true";
  for (const other of byId("details").querySelectorAll('[aria-expanded="true"]')) {
    other.setAttribute("aria-expanded", "false");
    other.nextElementSibling?.remove();
  }
  if (opened) {
    showPair(null);
    return;
  }
  const { run } = state;
  const { from, vertex } = link;
  const path = run.forest ? treePath(run, from, vertex) : null;
  const ends = link.kind === "best" ? [from, vertex] : [vertex];
  button.setAttribute("aria-expanded", "true");
  button.after(element("div", { class: "panel", id: panel },
    ...(link.kind === "known" ? [] : [element("ul", { class: "reasons" }, ...reasonsFor(run, from, vertex, link.place).map((text) => element("li", {}, text)))]),
    ...(link.probability ? [element("p", { class: "remark" }, `Expected distance ${figure(link.distance)}.`)] : []),
    ...(path ? pathSteps(run, path, choose) : []),
    element("p", { class: "go" }, ...ends.map((end) =>
      element("button", { type: "button", class: "plain", onclick: () => choose(end) }, `Links of ${shorten(run.names[end], 40)}`)))));
  showPair({ ends: [from, vertex], path: path || [from, vertex] });
}

function pathSteps(run, path, choose) {
  const steps = pathCorrelations(run, path);
  if (path.length > LONGEST_PATH) {
    return [element("p", { class: "remark" }, `The forest joins them in ${count(path.length - 1)} steps, with ρ = ${steps.at(-1).soFar.toFixed(3)}.`)];
  }
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
    element("ol", { class: "path", "aria-label": "Path along the forest" }, ...items),
    element("p", { class: "remark" }, path.length === 2
      ? "The two are joined by one edge of the forest."
      : `The whole path of ${path.length - 1} steps: ρ = ${whole.toFixed(3)}, the product over its steps ` +
        `(in each of ${run.d} dimensions, then the mean).`),
  ];
}
