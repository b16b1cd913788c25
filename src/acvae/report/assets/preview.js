// The first picture: the map as a plain drawing, there at once while plotly is still being read.

function drawPreview(state) {
  const { run } = state;
  const place = run.maps[state.map];
  const box = byId("map");
  const { width, height } = box.getBoundingClientRect();
  const scale = window.devicePixelRatio || 1;
  const canvas = element("canvas", { class: "preview", width: Math.round(width * scale), height: Math.round(height * scale) });
  const pen = canvas.getContext("2d");
  if (!pen || !width) return;
  let [left, right, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
  for (let v = 0; v < run.n; v++) {
    left = Math.min(left, place.x[v]);
    right = Math.max(right, place.x[v]);
    low = Math.min(low, place.y[v]);
    high = Math.max(high, place.y[v]);
  }
  const unit = 0.88 * Math.min(width / (right - left || 1), height / (high - low || 1)); // plotly leaves as much room
  const x = (v) => width / 2 + (place.x[v] - (left + right) / 2) * unit;
  const y = (v) => height / 2 - (place.y[v] - (low + high) / 2) * unit;
  pen.scale(scale, scale);
  if (run.forest) {
    const { parent, width: wide, ranges } = run.forest;
    pen.strokeStyle = colors().edge;
    pen.globalAlpha = edgeOpacity(run);
    ranges.forEach((_, k) => {
      pen.lineWidth = WIDTHS[WIDTHS.length - ranges.length + k];
      for (let v = 0; v < run.n; v++) {
        if (wide[v] !== k) continue;
        pen.beginPath();
        pen.moveTo(x(v), y(v));
        pen.lineTo(x(parent[v]), y(parent[v]));
        pen.stroke();
      }
    });
    pen.globalAlpha = 1;
  }
  const radius = pointSize(run) / 2;
  run.clusters.forEach((_, k) => {
    pen.fillStyle = clusterColor(run, k);
    for (let v = 0; v < run.n; v++) {
      if (run.cluster[v] !== k) continue;
      pen.beginPath();
      pen.arc(x(v), y(v), radius, 0, 2 * Math.PI);
      pen.fill();
    }
  });
  box.replaceChildren(canvas);
}

// Lets the browser paint, then reads plotly.
function afterPaint(then) {
  requestAnimationFrame(() => setTimeout(then, 0));
}

function loadPlotly() {
  const script = document.createElement("script");
  script.textContent = byId("plotly").textContent;
  document.head.append(script);
}
