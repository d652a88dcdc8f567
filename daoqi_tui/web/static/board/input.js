// Fingers, the mouse and its wheel on the board: a drag pans without end, two fingers or Ctrl and the wheel change the
// size, and what is neither is a tap.

const DRAG = 7;
const WHEEL_LINE = 40;

// `act` has tap(point, kind), hover(point or null).
export function handlePointers(view, act) {
  const { canvas } = view;
  const fingers = new Map();
  let begun = null;

  const inside = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const spread = () => {
    const [[ax, ay], [bx, by]] = fingers.values();
    return { width: Math.hypot(ax - bx, ay - by), x: (ax + bx) / 2, y: (ay + by) / 2 };
  };

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, inside(event));
    // A second finger is no tap any more.
    begun = { place: inside(event), dragged: fingers.size > 1, pinch: fingers.size === 2 ? spread() : null };
  });

  canvas.addEventListener("pointermove", (event) => {
    const place = inside(event);
    if (!fingers.has(event.pointerId)) {
      if (event.pointerType === "mouse") act.hover(view.pointAt(...place));
      return;
    }
    const before = fingers.get(event.pointerId);
    fingers.set(event.pointerId, place);
    if (fingers.size === 2 && begun.pinch) {
      const now = spread();
      view.zoomBy(now.width / Math.max(1, begun.pinch.width));
      view.panPixels(now.x - begun.pinch.x, now.y - begun.pinch.y);
      begun.pinch = now;
      return;
    }
    if (!begun.dragged) {
      if (Math.hypot(place[0] - begun.place[0], place[1] - begun.place[1]) < DRAG) return;
      begun.dragged = true;
      act.hover(null);
      view.panPixels(place[0] - begun.place[0], place[1] - begun.place[1]);
      return;
    }
    view.panPixels(place[0] - before[0], place[1] - before[1]);
  });

  const lift = (event, taps) => {
    if (!fingers.delete(event.pointerId)) return;
    if (fingers.size === 1) begun.pinch = null;
    if (fingers.size) return;
    if (begun.dragged) view.settle();
    else if (taps) act.tap(view.pointAt(...begun.place), event.pointerType);
  };
  canvas.addEventListener("pointerup", (event) => lift(event, true));
  canvas.addEventListener("pointercancel", (event) => lift(event, false));
  canvas.addEventListener("pointerleave", () => act.hover(null));

  let settling = 0;
  canvas.addEventListener(
    "wheel",
    (event) => {
      event.preventDefault();
      if (event.ctrlKey) {
        view.zoomBy(Math.exp(-event.deltaY / 300));
        return;
      }
      const unit = event.deltaMode ? WHEEL_LINE : 1;
      const [across, along] = event.shiftKey && !event.deltaX ? [event.deltaY, 0] : [event.deltaX, event.deltaY];
      view.panPixels(-across * unit * 0.5, -along * unit * 0.5);
      clearTimeout(settling);
      settling = setTimeout(() => view.settle(), 150);
    },
    { passive: false },
  );
}
