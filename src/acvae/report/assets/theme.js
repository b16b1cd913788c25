// Colours for the map, taken from the style sheet so that they follow the light or dark theme; on paper always light.

const PALETTE = ["#4269d0", "#e0a100", "#3ca951", "#ff725c", "#a463f2", "#4fb3a0", "#9c6b4e", "#ff8ab7", "#7fa8e8",
  "#8a9a1f", "#c4453a", "#7a4fd0", "#0f8fb3", "#b08968", "#d6409f", "#1f8a5c"];
const GREY = "#98a2ae";
const PAPER = { paper: "#ffffff", ink: "#1d2530", soft: "#586474", mark: "#d4351c", accent: "#2f5cc7", card: "#f6f7f9" };
const darkTheme = window.matchMedia("(prefers-color-scheme: dark)");
const theme = { printing: false };

function colors() {
  if (theme.printing) return PAPER;
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { paper: of("--paper"), card: of("--card"), ink: of("--ink"), soft: of("--soft"), mark: of("--mark"), accent: of("--accent") };
}

// What colours the points: clusters, or known classes. Each part has a name, null for the rest, and a size.
function coloring(state) {
  const { run } = state;
  if (state.color === "class" && run.classes) {
    return { of: run.classes.of, parts: run.classes.classes.map((part) => ({ ...part, title: part.name ?? "others" })) };
  }
  return { of: run.cluster, parts: run.clusters.map((part) => ({ ...part, title: clusterTitle(part) })) };
}

// What a cluster is called: by what its members have in common, else by its vertex of most neighbours.
function clusterTitle({ name, words }) {
  if (name === null) return "small groups";
  return words.length ? words.map((word) => shorten(word, 22)).join(", ") : `around ${shorten(name, 26)}`;
}

const partColor = (parts, k) => (parts[k].name === null ? GREY : PALETTE[k % PALETTE.length]);
const clusterColor = (run, k) => partColor(run.clusters, k);
