// Dragging, the wheel and pinching, the name below the pointer, and the click that chooses.

const FAR_ENOUGH = 4; // pixels that make a press a drag and not a click

function zoomBy(scale, x, y) {
  const { width, height } = mapSize();
  const { view } = map;
  const unit = view.unit * scale;
  // What is below the pointer stays there.
  map.view = {
    unit,
    x: view.x + (x - width / 2) * (1 / view.unit - 1 / unit),
    y: view.y - (y - height / 2) * (1 / view.unit - 1 / unit),
  };
}

function shiftBy(dx, dy) {
  const { view } = map;
  map.view = { unit: view.unit, x: view.x - dx / view.unit, y: view.y + dy / view.unit };
}

function showTip(state, x, y) {
  const tip = byId("tip");
  const v = x === null ? null : vertexAt(state, x, y);
  tip.hidden = v === null;
  byId("map").style.cursor = v === null ? "grab" : "pointer";
  if (v === null) return;
  tip.textContent = state.run.names[v];
  const { width } = mapSize();
  const half = tip.offsetWidth / 2;
  tip.style.left = `${Math.max(half, Math.min(width - half, x))}px`;
  tip.style.top = `${y}px`;
}

function setUpGestures(state, choose) {
  const canvas = byId("map");
  const fingers = new Map(); // where each pointer is, by its id
  let moved = false;
  const at = (event) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const spread = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoomBy(Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) / 400), ...at(event));
    redrawMap(state);
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    if (!fingers.size) moved = false;
    fingers.set(event.pointerId, at(event));
  });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    const now = at(event);
    if (!before) {
      if (event.pointerType !== "touch") showTip(state, ...now);
      return;
    }
    if (!moved && fingers.size < 2 && Math.hypot(now[0] - before[0], now[1] - before[1]) < FAR_ENOUGH) return;
    moved = true;
    showTip(state, null);
    const old = [...fingers.values()];
    fingers.set(event.pointerId, now);
    if (old.length === 2) {
      const both = [...fingers.values()];
      zoomBy(spread(both) / Math.max(spread(old), 1), (both[0][0] + both[1][0]) / 2, (both[0][1] + both[1][1]) / 2);
    }
    shiftBy((now[0] - before[0]) / old.length, (now[1] - before[1]) / old.length);
    redrawMap(state);
  });
  canvas.addEventListener("pointerup", (event) => {
    if (!fingers.delete(event.pointerId) || fingers.size || moved) return;
    const v = vertexAt(state, ...at(event), event.pointerType === "touch" ? 18 : 9);
    if (v !== null) choose(v);
  });
  canvas.addEventListener("pointercancel", (event) => fingers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => showTip(state, null));
}
