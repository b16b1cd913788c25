// Why a link: what the model said, the neighbours and the features the two share, and the path between them.

const MOST_NAMED = 4;
const WORTH_SAYING = 0.1; // a correlation below explains nothing

function commonNeighbors(run, v, w) {
  const mine = new Set(knownNeighbors(run, v).map((link) => link.vertex));
  return knownNeighbors(run, w).map((link) => link.vertex).filter((u) => mine.has(u));
}

function sharedFeatures(run, v, w) {
  if (!run.features) return [];
  const { k, ids, names } = run.features;
  const own = (u) => Array.from(ids.subarray(u * k, (u + 1) * k)).filter((id) => id < names.length);
  const mine = new Set(own(v));
  return own(w).filter((id) => mine.has(id)).map((id) => names[id]);
}

// Sentences, the most telling first.
function reasonsFor(run, v, w, place) {
  const said = [...(run.links.words[`${v} ${place}`] || [])];
  const common = commonNeighbors(run, v, w);
  if (common.length) {
    const named = common.slice(0, MOST_NAMED).map((u) => run.names[u]);
    const more = common.length - named.length;
    said.push(`${many(common.length, "common neighbour")}: ${more ? `${named.join(", ")} and ${count(more)} more` : listed(named)}`);
  }
  const shared = sharedFeatures(run, v, w);
  const known = said.some((sentence) => sentence.startsWith("both have ")); // the model's own list is exact
  if (shared.length && !known) said.push(`both have ${listed(shared.slice(0, MOST_NAMED))}`);
  const path = run.forest ? treePath(run, v, w) : null;
  const along = path ? pathCorrelations(run, path).at(-1).soFar : 0;
  if (path && path.length === 2) said.push("one edge of the forest joins them");
  else if (Math.abs(along) >= WORTH_SAYING) said.push(`correlation ${along.toFixed(2)} over ${many(path.length - 1, "step")} of the forest`);
  if (!said.length) said.push(run.links.probability ? "no neighbour and no telling feature in common; what speaks for it lies farther off in the graph" : "no neighbour and no telling feature in common, but near as embeddings");
  return said;
}
