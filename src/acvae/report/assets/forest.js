// Walks on what is known of the vertices: the forest with its paths, links and neighbours.

// Vertices from a to b along the forest, or null if they are in different trees.
function treePath(run, a, b) {
  const parent = run.forest.parent;
  const up = [];
  const stepsUp = new Map();
  for (let v = a; v !== run.nobody; v = parent[v]) {
    stepsUp.set(v, up.length);
    up.push(v);
  }
  const down = [];
  let meet = b;
  while (meet !== run.nobody && !stepsUp.has(meet)) {
    down.push(meet);
    meet = parent[meet];
  }
  if (meet === run.nobody) return null;
  return up.slice(0, stepsUp.get(meet) + 1).concat(down.reverse());
}

// For each step of a path the mean correlation of its two ends, and of the path's start with its end so far:
// products in each dimension, then the mean over dimensions.
function pathCorrelations(run, path) {
  const { parent, correlation } = run.forest;
  const product = new Float64Array(run.d).fill(1);
  const steps = [];
  for (let s = 1; s < path.length; s++) {
    const child = parent[path[s]] === path[s - 1] ? path[s] : path[s - 1];
    let step = 0;
    let soFar = 0;
    for (let k = 0; k < run.d; k++) {
      const value = correlation[child * run.d + k];
      product[k] *= value;
      step += value / run.d;
      soFar += product[k] / run.d;
    }
    steps.push({ step, soFar });
  }
  return steps;
}

function linkAt(run, v, place) {
  const { k, ids, distance, probability } = run.links;
  const t = v * k + place;
  return { from: v, place, vertex: ids[t], distance: distance[t], probability: probability && probability[t],
    test: isHeldOut(run, v, ids[t]) };
}

function predictedLinks(run, v) {
  const found = [];
  for (let place = 0; place < run.links.k; place++) {
    const link = linkAt(run, v, place);
    if (link.vertex !== run.nobody) found.push(link);
  }
  return found;
}

function knownNeighbors(run, v) {
  const { start, ids, distance } = run.known;
  const found = [];
  for (let t = start[v]; t < start[v + 1]; t++) found.push({ vertex: ids[t], distance: distance[t] });
  return found;
}

const degree = (run, v) => run.known.degree[v];

function isHeldOut(run, v, w) {
  if (!run.test) return false;
  for (let t = run.test.start[v]; t < run.test.start[v + 1]; t++) if (run.test.ids[t] === w) return true;
  return false;
}
