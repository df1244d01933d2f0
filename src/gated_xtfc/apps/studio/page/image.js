// A field over two coordinates as an image: colours, level lines, a bar beside it. The axes may be stretched in any way.
import { colour } from "./colours.js";
import { shown } from "./sliders.js";

const STOPS = [[45, 20, 84], [54, 66, 132], [42, 110, 142], [32, 148, 137], [70, 184, 108], [157, 214, 62], [244, 229, 64]];
const LEVELS = 12; // of the lines
const STRENGTH = 0.55; // of the lines
const CLOSE = [2, 6]; // pixels between lines: where they crowd they would hide the colours, and fade
const FINEST = 560; // pixels across that are computed
const TABLE = Uint8Array.from({ length: 3 * 256 }, (_, k) => {
  const at = (Math.floor(k / 3) / 255) * (STOPS.length - 1), low = Math.min(Math.floor(at), STOPS.length - 2);
  return STOPS[low][k % 3] + (at - low) * (STOPS[low + 1][k % 3] - STOPS[low][k % 3]);
});

/** Where values lie among ascending places: the number of the one before, and the share of the way to the next. */
export function located(places, values) {
  const before = new Int32Array(values.length), share = new Float32Array(values.length);
  let at = 0;
  values.forEach((value, k) => {
    while (at < places.length - 2 && places[at + 1] <= value) at++;
    while (at > 0 && places[at] > value) at--;
    before[k] = at;
    share[k] = Math.min(Math.max((value - places[at]) / (places[at + 1] - places[at] || 1), 0), 1);
  });
  return { before, share };
}

/** `field.values[i * field.rows.length + j]` at columns[i], rows[j], bilinear. */
export function valueAt({ columns, rows, values }, x, y) {
  const a = located(columns, [x]), b = located(rows, [y]), m = rows.length;
  return mixed(values, a.before[0] * m + b.before[0], m, a.share[0], b.share[0]);
}

function mixed(values, at, stride, s, t) {
  const low = values[at] * (1 - t) + values[at + 1] * t;
  return s === 0 ? low : low * (1 - s) + (values[at + stride] * (1 - t) + values[at + stride + 1] * t) * s;
}

/** How much of a level line there is at a pixel: one pixel wide, by the distance from the level over the slope. */
function lineAt(shares, k, width) {
  const level = Math.min(Math.max(Math.round(shares[k] * LEVELS), 1), LEVELS - 1);
  const away = Math.abs(shares[k] * LEVELS - level), slope = LEVELS * Math.hypot(rise(shares, k, 1, width), rise(shares, k, width, shares.length));
  if (!(away < slope)) return 0;
  const crowded = Math.min(Math.max((1 / slope - CLOSE[0]) / (CLOSE[1] - CLOSE[0]), 0), 1);
  return STRENGTH * crowded * Math.min(1.1 - away / slope, 1);
}

/** From the pixel before to the one behind, halved; at an edge to the one there is. */
function rise(shares, k, step, period) {
  const at = k % period, before = at >= step ? shares[k - step] : NaN, behind = at + step < period ? shares[k + step] : NaN;
  if (Number.isNaN(before)) return Number.isNaN(behind) ? 0 : behind - shares[k];
  return Number.isNaN(behind) ? shares[k] - before : (behind - before) / 2;
}

/** The field inside the axes of `u`, whose scales are those of columns and rows. */
export function paintField(u, field, [low, high]) {
  const { ctx, bbox } = u, ratio = Math.max(1, bbox.width / FINEST);
  const width = Math.max(2, Math.round(bbox.width / ratio)), height = Math.max(2, Math.round(bbox.height / ratio));
  const { x, y } = u.scales, m = field.rows.length;
  const across = located(field.columns, Array.from({ length: width }, (_, k) => x.min + ((k + 0.5) / width) * (x.max - x.min)));
  const up = located(field.rows, Array.from({ length: height }, (_, k) => y.max - ((k + 0.5) / height) * (y.max - y.min)));
  const inside = (value, places) => value >= places[0] && value <= places[places.length - 1];
  const image = new ImageData(width, height), { data } = image, shares = new Float32Array(width * height).fill(NaN);
  const scale = high > low ? 1 / (high - low) : 0;
  for (let j = 0; j < height; j++) {
    if (!inside(y.max - ((j + 0.5) / height) * (y.max - y.min), field.rows)) continue;
    for (let i = 0; i < width; i++) {
      if (!inside(x.min + ((i + 0.5) / width) * (x.max - x.min), field.columns)) continue;
      const value = mixed(field.values, across.before[i] * m + up.before[j], m, across.share[i], up.share[j]);
      shares[j * width + i] = scale ? Math.min(Math.max((value - low) * scale, 0), 1) : 0.5;
    }
  }
  for (let k = 0; k < shares.length; k++) {
    if (Number.isNaN(shares[k])) continue;
    const line = scale ? lineAt(shares, k, width) : 0, from = 3 * Math.round(255 * shares[k]);
    for (let c = 0; c < 3; c++) data[4 * k + c] = TABLE[from + c] * (1 - line) + 255 * line;
    data[4 * k + 3] = 255;
  }
  const canvas = new OffscreenCanvas(width, height);
  canvas.getContext("2d").putImageData(image, 0, 0);
  ctx.save();
  ctx.imageSmoothingEnabled = true;
  ctx.drawImage(canvas, bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.restore();
}

/** What the colours stand for, at the right of the axes. */
export function paintBar(u, [low, high]) {
  const { ctx, bbox } = u, ratio = devicePixelRatio, left = bbox.left + bbox.width + 14 * ratio, width = 12 * ratio;
  ctx.save();
  for (let k = 0; k < 64; k++) {
    const from = 3 * Math.round((255 * (63 - k)) / 63);
    ctx.fillStyle = `rgb(${TABLE[from]}, ${TABLE[from + 1]}, ${TABLE[from + 2]})`;
    ctx.fillRect(left, bbox.top + (k * bbox.height) / 64, width, bbox.height / 64 + 1);
  }
  ctx.fillStyle = colour("soft");
  ctx.font = `${11.5 * ratio}px system-ui, sans-serif`;
  ctx.textAlign = "left";
  const marks = high > low ? [[0, high], [0.5, (low + high) / 2], [1, low]] : [[0.5, low]];
  for (const [share, value] of marks) {
    ctx.textBaseline = share === 0 ? "top" : share === 1 ? "bottom" : "middle";
    const digits = high > low ? Math.max(2, Math.ceil(Math.log10(Math.max(Math.abs(low), Math.abs(high)) / (high - low)) + 1e-9) + 2) : 6;
    ctx.fillText(shown(Number(value.toPrecision(Math.min(digits, 12)))), left + width + 5 * ratio, bbox.top + share * bbox.height);
  }
  ctx.restore();
}
