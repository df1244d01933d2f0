// What is painted beside the curves: gates, data with their band, and the names of levels. `plots` has the view.
import { colour } from "./colours.js";
import { interpolate } from "./ticks.js";

export function drawGates(u, { view, axis }) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("gate");
  ctx.lineWidth = devicePixelRatio;
  for (const gate of view.header.gates) {
    const wide = gate.x.length > 1;
    for (const at of gate[axis]) {
      const left = Math.round(u.valToPos(at, "x", true));
      if (left < bbox.left - 1 || left > bbox.left + bbox.width + 1) continue;
      ctx.setLineDash(wide ? [2, 5] : [5, 5]);
      ctx.globalAlpha = wide ? 0.45 : 0.7;
      ctx.beginPath();
      ctx.moveTo(left, bbox.top);
      ctx.lineTo(left, bbox.top + bbox.height);
      ctx.stroke();
      const size = 5 * devicePixelRatio, foot = bbox.top + bbox.height;
      ctx.globalAlpha = 1;
      ctx.beginPath();
      ctx.moveTo(left, foot - 1.6 * size);
      ctx.lineTo(left - size, foot);
      ctx.lineTo(left + size, foot);
      if (!wide) ctx.fill();
    }
  }
  ctx.restore();
}

/** Paints inside the axes; `at(x, y)` is where a point lies on the canvas, whichever axis is shown. */
function inside(u, { view, axis }, paint) {
  const { ctx, bbox } = u;
  const across = (x) => (axis === "x" ? x : interpolate(view.x, view.xi, x));
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  paint(ctx, (x, y) => [u.valToPos(across(x), "x", true), u.valToPos(y, "y", true)]);
  ctx.restore();
}

export function drawBand(u, plots) {
  const { band } = plots.overlay;
  if (!band || plots.hidden.has("band") || plots.view.header.derivative) return;
  inside(u, plots, (ctx, at) => {
    ctx.fillStyle = colour("band");
    ctx.beginPath();
    band.x.forEach((x, k) => ctx.lineTo(...at(x, band.high[k])));
    for (let k = band.x.length - 1; k >= 0; k--) ctx.lineTo(...at(band.x[k], band.low[k]));
    ctx.fill();
    ctx.strokeStyle = colour("c2");
    ctx.lineWidth = 1.6 * devicePixelRatio;
    ctx.beginPath();
    band.x.forEach((x, k) => ctx.lineTo(...at(x, band.mean[k])));
    ctx.stroke();
  });
}

export function drawPoints(u, plots) {
  const { points } = plots.overlay;
  if (!points || plots.hidden.has("data") || plots.view.header.derivative) return;
  inside(u, plots, (ctx, at) => {
    ctx.fillStyle = colour("data");
    ctx.strokeStyle = colour("card");
    ctx.lineWidth = devicePixelRatio;
    points.x.forEach((x, k) => {
      ctx.beginPath();
      ctx.arc(...at(x, points.y[k]), 3.4 * devicePixelRatio, 0, 2 * Math.PI);
      ctx.fill();
      ctx.stroke();
    });
  });
}

/** What the level lines of the error panel are: at opposite ends, for they may lie close together. */
export function drawLevels(u, { view }) {
  const { ctx, bbox } = u;
  ctx.save();
  ctx.textBaseline = "alphabetic";
  ctx.font = `${11.5 * devicePixelRatio}px system-ui, sans-serif`;
  const [estimate, tolerance] = [view.estimate[0], view.tol[0]].map((value) => u.valToPos(value, "y", true));
  const near = Math.abs(estimate - tolerance) < 18 * devicePixelRatio && estimate > tolerance;
  for (const [height, words, paint, side, below] of [[estimate, "estimate", "c0", "left", near], [tolerance, "tolerance", "soft", "right", false]]) {
    if (!(height > bbox.top && height < bbox.top + bbox.height)) continue;
    const inset = (side === "left" ? 5 : -5) * devicePixelRatio;
    ctx.textAlign = side;
    ctx.fillStyle = colour(paint);
    ctx.fillText(words, bbox.left + (side === "left" ? 0 : bbox.width) + inset, height + (below ? 13 : -4) * devicePixelRatio);
  }
  ctx.restore();
}
