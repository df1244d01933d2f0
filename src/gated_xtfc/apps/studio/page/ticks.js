// Labels for the horizontal axis: plain numbers while they are short, distances from a layer where they are not.
const SUPERSCRIPT = "⁰¹²³⁴⁵⁶⁷⁸⁹";
export const raised = (power) => [...String(power)].map((c) => (c === "-" ? "⁻" : SUPERSCRIPT[c])).join("");
const CHARACTER = 7.2; // pixels
const GAP = 14;
const DEEPEST = 8; // decades of a panel: zero crossings would take it to the bottom

export const plain = (x) => String(Number(x.toPrecision(4)));

/** Labels of a vertical axis: as many digits as tell neighbours apart, powers of ten where numbers are small or large. */
export function levels(u, splits) {
  if (splits.length < 2) return splits.map(plain);
  const step = Math.abs(splits[1] - splits[0]), size = Math.max(...splits.map(Math.abs)), zero = (text) => (Number(text) === 0 ? "0" : text.replace("-", "−"));
  if (size < 1e-3 || size >= 1e6) {
    const digits = Math.min(Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9) + (leading(step) ? 0 : 1)), 12);
    return splits.map((at) => (Math.abs(at) < step / 2 ? "0" : zero(at.toExponential(digits).replace("e+", "e"))));
  }
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (leading(step) ? 0 : 1));
  return splits.map((at) => zero(at.toFixed(Math.min(digits, 14))));
}

/** Whether one digit says it: 0.2 does, 0.25 does not. */
const leading = (step) => Math.abs(Number(step.toPrecision(1)) - step) < 1e-6 * step;

/** Labels of an axis in x: where digits run out, relative to the anchor nearest to the ticks. */
export function overX(splits, step, anchors) {
  let digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  // steps of 0.25 need a digit more than their size says, or 0.25 and 0.3 look alike
  if (Math.abs(step * 10 ** digits - Math.round(step * 10 ** digits)) > 1e-6) digits += 1;
  if (digits <= 5) return splits.map((x) => x.toFixed(digits));
  const middle = (splits[0] + splits[splits.length - 1]) / 2;
  const anchor = anchors.reduce((best, one) => (Math.abs(one - middle) < Math.abs(best - middle) ? one : best), anchors[0]);
  return splits.map((x) => from(anchor, x - anchor, step));
}

function from(anchor, distance, step) {
  if (Math.abs(distance) < step / 2) return plain(anchor);
  // as many digits as tell neighbours apart
  const digits = Math.max(2, Math.ceil(Math.log10(Math.abs(distance) / step) + 1e-9) + 1);
  const size = Number(Math.abs(distance).toPrecision(Math.min(digits, 15))).toExponential().replace("e+", "e");
  const sign = distance < 0 ? "−" : anchor === 0 ? "" : "+";
  return `${anchor === 0 ? "" : plain(anchor)}${sign}${size}`;
}

/** Ticks along the gated coordinate: ends, layers, decades of distance from each layer, then round numbers. */
export function gated({ x, xi }, anchors, low, high, pixels, size = (text) => CHARACTER * text.length) {
  const first = x[0], last = x[x.length - 1];
  const candidates = [...new Set([first, last, ...anchors])].map((at) => [at, plain(at)]);
  const stride = anchors.length > 2 ? 2 : 1;
  for (let power = -1; power >= -14; power -= stride) {
    for (const anchor of anchors) {
      for (const sign of [-1, 1]) {
        const at = anchor + sign * 10 ** power;
        if (at <= first || at >= last || anchors.some((other) => other !== anchor && Math.abs(other - at) < 2 * 10 ** power)) continue;
        const start = anchor === 0 ? "" : plain(anchor);
        candidates.push([at, power >= -2 ? plain(at) : `${start}${sign < 0 ? "−" : start ? "+" : ""}10${raised(power)}`]);
      }
    }
  }
  for (let k = 1; k < 10; k++) candidates.push([Number((first + (k / 10) * (last - first)).toPrecision(2)), null]);
  const kept = [];
  for (const [at, label] of candidates) {
    if (at < first || at > last) continue;
    const place = interpolate(x, xi, at), text = label ?? plain(at);
    if (place < low || place > high) continue;
    const half = size(text) / 2;
    const apart = (other) => Math.abs(other.place - place) * (pixels / (high - low)) > half + other.half + GAP;
    if (kept.every((other) => other.text !== text && apart(other))) kept.push({ place, text, half });
  }
  return kept.sort((a, b) => a.place - b.place);
}

/** y(at) on the line through ascending points. */
export function interpolate(x, y, at) {
  let low = 0, high = x.length - 1;
  if (at <= x[low]) return y[low];
  if (at >= x[high]) return y[high];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (x[middle] <= at) low = middle;
    else high = middle;
  }
  return y[low] + ((at - x[low]) / (x[high] - x[low])) * (y[high] - y[low]);
}

/** Whole decades around what is there, and room for the names of lines. */
export function whole(low, high) {
  if (!(low > 0) || !(high > 0)) return [1e-1, 1e1];
  const top = Math.ceil(Math.log10(high) + 0.15), bottom = Math.max(Math.floor(Math.log10(low)), top - DEEPEST);
  return [10 ** bottom, 10 ** Math.max(top, bottom + 1)];
}

/** Powers of ten between two of them, few enough to be read. */
export function decades(low, high) {
  const first = Math.round(Math.log10(low)), last = Math.round(Math.log10(high));
  const stride = Math.max(1, Math.ceil((last - first) / 5));
  const found = [];
  for (let k = Math.ceil(first / stride) * stride; k <= last; k += stride) found.push(10 ** k);
  return found;
}
