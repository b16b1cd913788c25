// Colours for pictures, taken from the style sheet so that they follow the light or dark theme.

const PALETTE = ["#4269d0", "#e0a100", "#3ca951", "#ff725c", "#a463f2", "#4fb3a0", "#9c6b4e", "#ff8ab7", "#7fa8e8"];
const GREY = "#98a2ae";
const clusterColor = (run, k) => (run.clusters[k].name === null ? GREY : PALETTE[k % PALETTE.length]);
const darkTheme = window.matchMedia("(prefers-color-scheme: dark)");

function colors() {
  const style = getComputedStyle(document.documentElement);
  const of = (name) => style.getPropertyValue(name).trim();
  return { paper: of("--paper"), card: of("--card"), ink: of("--ink"), soft: of("--soft"), line: of("--line"),
    edge: of("--edge"), mark: of("--mark"), accent: of("--accent") };
}

function baseLayout(changes) {
  const c = colors();
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", showlegend: false,
    font: { color: c.ink, family: "system-ui, Segoe UI, Noto Sans, DejaVu Sans, sans-serif", size: 13 },
    hoverlabel: { bgcolor: c.paper, bordercolor: c.line, font: { color: c.ink } },
    margin: { l: 55, r: 15, t: 10, b: 45 },
    ...changes,
  };
}

function axis(title, changes = {}) {
  const c = colors();
  return { title: { text: title, font: { size: 12, color: c.soft } }, gridcolor: c.line, linecolor: c.line,
    zerolinecolor: c.line, tickfont: { size: 12, color: c.soft }, automargin: true, ...changes };
}

const STILL = { displayModeBar: false, responsive: true };

const hasWebGL = (() => {
  try {
    return Boolean(document.createElement("canvas").getContext("webgl"));
  } catch {
    return false;
  }
})();
