// The first picture: the map as a plain drawing, there at once while plotly is still being read.

function drawPreview(state) {
  const { run } = state;
  const { x, y } = run.maps[state.map];
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let v = 0; v < run.n; v++) {
    left = Math.min(left, x[v]);
    right = Math.max(right, x[v]);
    low = Math.min(low, y[v]);
    high = Math.max(high, y[v]);
  }
  const { pen, width, height, place } = freshPen(byId("preview"));
  if (!width) return;
  const unit = 0.88 * Math.min(width / (right - left || 1), height / (high - low || 1)); // plotly leaves as much room
  const [middle, center, across, up] = [(left + right) / 2, (low + high) / 2, width / unit / 2, height / unit / 2];
  const view = { left: middle - across, right: middle + across, low: center - up, high: center + up };
  drawEdges(state, view);
  const at = place(view);
  const radius = pointSize(run) / 2;
  run.clusters.forEach((_, k) => {
    pen.fillStyle = clusterColor(run, k);
    for (let v = 0; v < run.n; v++) {
      if (run.cluster[v] !== k) continue;
      pen.beginPath();
      pen.arc(at.x(x[v]), at.y(y[v]), radius, 0, 2 * Math.PI);
      pen.fill();
    }
  });
}

// Lets the browser paint, then goes on.
function afterPaint(then) {
  requestAnimationFrame(() => setTimeout(then, 0));
}

function loadPlotly() {
  const script = document.createElement("script");
  script.textContent = byId("plotly").textContent;
  document.head.append(script);
}
