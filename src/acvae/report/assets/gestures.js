// Dragging, the wheel and pinching: while a gesture lasts the map is moved as an image, and drawn anew when it rests.
// So it is smooth with any number of points, and without a graphics card.

const FAR_ENOUGH = 4; // pixels that make a press a drag and not a click
const REST = 140; // milliseconds without the wheel that end a gesture

const gesture = { scale: 1, x: 0, y: 0, from: null, timer: 0 };

// What plotly draws, without its buttons.
const mapLayers = () => byId("map").querySelectorAll(".gl-container, .main-svg");

function moveMap() {
  const { scale, x, y } = gesture;
  const transform = scale === 1 && !x && !y ? "" : `translate(${x}px, ${y}px) scale(${scale})`;
  for (const layer of mapLayers()) {
    layer.style.transformOrigin = "0 0";
    layer.style.transform = transform;
  }
}

// What the map shows after the gesture so far.
function movedView() {
  const { from, scale, x, y } = gesture;
  const { width, height } = byId("map").getBoundingClientRect();
  const across = (pixel) => from.left + ((pixel - x) / scale / width) * (from.right - from.left);
  const up = (pixel) => from.high - ((pixel - y) / scale / height) * (from.high - from.low);
  return { left: across(0), right: across(width), low: up(height), high: up(0) };
}

function change(scale, x, y) {
  gesture.from ??= mapView();
  const [middleX, middleY] = [x - gesture.x, y - gesture.y]; // stays below the pointer
  gesture.x += middleX * (1 - scale);
  gesture.y += middleY * (1 - scale);
  gesture.scale *= scale;
  moveMap();
  moveEdges(movedView());
}

function shift(dx, dy) {
  gesture.from ??= mapView();
  gesture.x += dx;
  gesture.y += dy;
  moveMap();
  moveEdges(movedView());
}

function rest() {
  clearTimeout(gesture.timer);
  if (!gesture.from) return;
  const { left, right, low, high } = movedView();
  Object.assign(gesture, { scale: 1, x: 0, y: 0, from: null });
  Plotly.relayout(byId("map"), { "xaxis.range": [left, right], "yaxis.range": [low, high] }).then(() => {
    if (!gesture.from) moveMap();
  });
}

function restSoon() {
  clearTimeout(gesture.timer);
  gesture.timer = setTimeout(rest, REST);
}

function setUpGestures() {
  const map = byId("map");
  const fingers = new Map(); // where each pointer is, by its id
  let moving = false;
  const at = (event) => {
    const { left, top } = map.getBoundingClientRect();
    return [event.clientX - left, event.clientY - top];
  };
  const spread = ([a, b]) => Math.hypot(a[0] - b[0], a[1] - b[1]);

  map.addEventListener("wheel", (event) => {
    event.preventDefault();
    change(Math.exp(-Math.max(-100, Math.min(100, event.deltaY)) / 400), ...at(event));
    restSoon();
  }, { passive: false, capture: true });

  map.addEventListener("pointerdown", (event) => {
    if (event.button || event.target.closest(".modebar")) return;
    fingers.set(event.pointerId, at(event));
  }, true);
  window.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const now = at(event);
    if (!moving && fingers.size < 2 && Math.hypot(now[0] - before[0], now[1] - before[1]) < FAR_ENOUGH) return;
    if (!moving) {
      moving = true;
      Plotly.Fx.unhover(map);
      map.style.pointerEvents = "none"; // no hovering, and no click at the end
    }
    const old = [...fingers.values()];
    fingers.set(event.pointerId, now);
    if (old.length === 2) {
      const both = [...fingers.values()];
      change(spread(both) / Math.max(spread(old), 1), (both[0][0] + both[1][0]) / 2, (both[0][1] + both[1][1]) / 2);
    }
    shift((now[0] - before[0]) / old.length, (now[1] - before[1]) / old.length);
  }, true);
  const lift = (event) => {
    if (!fingers.delete(event.pointerId) || fingers.size || !moving) return;
    moving = false;
    rest();
    setTimeout(() => { map.style.pointerEvents = ""; }, 0); // after the click that this would have been
  };
  window.addEventListener("pointerup", lift, true);
  window.addEventListener("pointercancel", lift, true);
}
