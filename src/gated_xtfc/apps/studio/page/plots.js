// The pictures: the solution, and below it kernel width, residual and error. All share one horizontal axis and its zoom.
import { colour, forgetColours } from "./colours.js";
import { drawBand, drawGates, drawLevels, drawPoints } from "./marks.js";
import { airy } from "./surface.js";
import { decades, gated, interpolate, levels, overX, plain, raised, whole } from "./ticks.js";

const MARGIN = 0.015; // of the axis, on either side: a layer at the end should be seen
const FLOOR = 1e-30; // below, a logarithmic axis shows nothing
const NARROWEST = 1e-13;
const PANELS = 90; // milliseconds between two drawings of the panels

export class Plots {
  /** `drawn(id)` is called when the curve of an answer is on the canvas, `readout(words)` as the cursor moves, `zoomed()` when the view has. */
  constructor(places, drawn, readout, zoomed) {
    this.places = places;
    this.zoomed = zoomed;
    this.drawn = drawn;
    this.readout = readout;
    this.view = null;
    this.axis = "x";
    this.zoom = null;
    this.hidden = new Set();
    this.overlay = { points: null, band: null };
    this.charts = {};
    this.shape = "";
    this.filled = this.due = 0;
    const resize = new ResizeObserver(() => this.resize());
    for (const place of Object.values(places)) resize.observe(place);
  }

  show(id, header, arrays) {
    const level = (value) => new Float64Array(arrays["below:x"]?.length ?? 0).fill(value ?? NaN);
    this.view = { id, header, ...arrays, estimate: level(header.error), tol: level(header.tol) };
    const known = this.curves().map(({ key }) => key).join();
    const shape = `${this.axis}|${known}|${"below:error" in arrays}|${header.coordinate}`;
    if (shape !== this.shape) this.build(shape);
    this.fill();
  }

  setAxis(axis) {
    if (axis === this.axis) return;
    // the same piece of the domain in the other coordinate
    if (this.zoom && this.view) {
      const { x, xi } = this.view;
      const [from, to] = axis === "xi" ? [x, xi] : [xi, x];
      this.zoom = this.zoom.map((at) => interpolate(from, to, at));
    }
    this.axis = axis;
    if (this.view) this.show(this.view.id, this.view.header, this.view);
  }

  setOverlay(overlay) {
    Object.assign(this.overlay, overlay);
    this.redraw();
  }

  redraw() {
    if (this.view) this.fill();
  }

  repaint() {
    forgetColours();
    this.shape = "";
    if (this.view) this.show(this.view.id, this.view.header, this.view);
  }

  toggle(key) {
    if (!this.hidden.delete(key)) this.hidden.add(key);
    this.shape = "";
    if (this.view) this.show(this.view.id, this.view.header, this.view);
  }

  /** The curves of the main picture: fields, then what is known of them. */
  curves() {
    const { header } = this.view, several = header.fields.length > 1, primes = "'".repeat(header.derivative);
    const found = header.fields.map((name, k) => ({ key: `u:${name}`, label: `${name}${primes}`, paint: `c${k % 6}`, dash: [], width: 2.2 }));
    for (const name of header.fields) {
      if (`exact:${name}` in this.view) {
        found.push({ key: `exact:${name}`, label: several ? `exact ${name}` : "exact", paint: several ? "ink" : "exact", dash: [1.5, 5], width: several ? 1.6 : 2.6 });
      }
    }
    return found;
  }

  anchors() {
    const { header } = this.view;
    return [...new Set([...header.ends, ...header.gates.filter((gate) => gate.x.length === 1).map((gate) => gate.x[0])])];
  }

  full() {
    const at = this.axis === "x" ? this.view.header.ends : [0, 1];
    const margin = MARGIN * (at[1] - at[0]);
    return [at[0] - margin, at[1] + margin];
  }

  build(shape) {
    this.shape = shape;
    for (const chart of Object.values(this.charts)) chart.destroy();
    const curves = this.curves().filter(({ key }) => !this.hidden.has(key));
    this.charts = {
      main: this.chart(this.places.main, curves, { hooks: { drawAxes: [(u) => drawGates(u, this), (u) => drawBand(u, this)], draw: [(u) => drawPoints(u, this), () => this.drawn(this.view.id)] } }),
      width: this.chart(this.places.width, [{ key: "below:width", paint: "c2", dash: [], width: 1.8 }], { log: true }),
      residual: this.chart(this.places.residual, [{ key: "below:residual", paint: "c4", dash: [], width: 1.5 }], { log: true }),
      error: this.chart(this.places.error, [
        { key: "below:error", paint: "exact", dash: [], width: 1.5 }, { key: "estimate", paint: "c0", dash: [8, 5], width: 1.6 }, { key: "tol", paint: "soft", dash: [2, 4], width: 1.4 },
      ], { log: true, hooks: { draw: [(u) => drawLevels(u, this)] } }),
    };
  }

  chart(place, curves, { log = false, hooks = {} }) {
    const plots = this, ink = () => colour("soft"), font = "12px system-ui, sans-serif";
    const grid = { stroke: () => colour("grid"), width: 1 }, lines = { stroke: () => colour("line"), width: 1, size: 5 };
    const horizontal = {
      stroke: ink, font, grid, ticks: lines, size: 34, space: log ? 70 : 90,
      splits: this.axis === "xi" ? (u, index, low, high) => this.ticks(u, low, high).map(({ place: at }) => at) : undefined,
      values: this.axis === "xi" ? (u) => this.ticks(u, u.scales.x.min, u.scales.x.max).map(({ text }) => text) : (u, splits, index, space, step) => overX(splits, step, this.anchors()),
    };
    const vertical = { stroke: ink, font, grid, ticks: lines, size: 58, values: levels };
    if (log) Object.assign(vertical, { splits: (u, index, low, high) => decades(low, high), filter: (u, splits) => splits, values: (u, splits) => splits.map((at) => `10${raised(Math.round(Math.log10(at)))}`) });
    const options = {
      width: place.clientWidth || 300, height: place.clientHeight || 150, legend: { show: false }, padding: [10, 14, 0, 0],
      scales: { x: { time: false, range: () => plots.zoom ?? plots.full() }, y: log ? { distr: 3, range: (u, low, high) => whole(low, high) } : { range: (u, low, high) => plots.heights(low, high) } },
      axes: [horizontal, vertical],
      series: [{}, ...curves.map(({ key, paint, dash, width }) => ({ label: key, stroke: () => colour(paint), width, dash, points: { show: false }, spanGaps: true, pxAlign: 0 }))],
      cursor: { y: false, points: { size: 7 }, drag: { x: true, y: false, setScale: false }, bind: { dblclick: () => () => { this.setZoom(null); return null; } } },
      hooks: {
        setSelect: [(u) => this.selected(u)],
        setCursor: log ? [] : [(u) => this.readout(u.cursor.idx == null ? "" : this.words(u.cursor.idx))],
        ...hooks,
      },
    };
    const chart = new uPlot(options, [[0, 1], ...curves.map(() => [null, null])], place);
    chart.keys = curves.map(({ key }) => key);
    return chart;
  }

  /** The curve at once; the panels below follow a little later while a hand is moving, for drawing takes time too. */
  fill() {
    const { view, axis, charts } = this;
    charts.main.setData([view[axis], ...charts.main.keys.map((key) => view[key])], true);
    if (axis === "xi") charts.main.redraw(false, true); // the ends are the same, what lies between them is not
    if (this.due) return;
    const wait = Math.max(0, this.filled + PANELS - performance.now());
    this.due = setTimeout(() => {
      this.due = 0;
      this.filled = performance.now();
      this.fillPanels();
    }, wait);
  }

  fillPanels() {
    const { view, axis } = this;
    const across = view[`below:${axis}`];
    if (!across || !this.places.width.offsetParent) return; // another kind of picture, or another tab is open
    for (const [name, chart] of Object.entries(this.charts)) {
      if (name === "main") continue;
      chart.setData([across, ...chart.keys.map((key) => drawable(view[key], across.length))], true);
      if (axis === "xi") chart.redraw(false, true);
    }
  }

  resize() {
    for (const [name, chart] of Object.entries(this.charts)) {
      const { clientWidth: width, clientHeight: height } = this.places[name];
      if (width && height && (chart.width !== width || chart.height !== height)) chart.setSize({ width, height });
    }
    this.redraw();
  }

  setZoom(zoom) {
    if (!this.view) return;
    if (zoom) {
      const [low, high] = this.full();
      const span = Math.max(Math.min(zoom[1] - zoom[0], high - low), NARROWEST * (high - low));
      const start = Math.min(Math.max((zoom[0] + zoom[1] - span) / 2, low), high - span);
      zoom = span >= 0.999 * (high - low) ? null : [start, start + span];
    }
    this.zoom = zoom;
    this.zoomed();
    const [min, max] = zoom ?? this.full();
    for (const chart of Object.values(this.charts)) chart.setScale("x", { min, max });
  }

  /** In by a factor below one, out by one above; about the layer nearest to the middle, where there is one in view. */
  zoomBy(factor) {
    if (!this.view) return;
    const [low, high] = this.zoom ?? this.full();
    const middle = (low + high) / 2;
    const places = this.view.header.gates.flatMap((gate) => (this.axis === "x" ? gate.x : gate.xi)).filter((at) => at >= low && at <= high);
    const about = places.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle))[0] ?? middle;
    this.setZoom([about - (about - low) * factor, about + (high - about) * factor]);
  }

  pan(share) {
    if (!this.view) return;
    const [low, high] = this.zoom ?? this.full();
    this.setZoom([low + share * (high - low), high + share * (high - low)]);
  }

  zoomTo(gate) {
    const at = gate[this.axis], [low, high] = [at[0], at[at.length - 1]];
    const half = this.axis === "xi" ? 0.15 : 15 * gate.thickness;
    // at an end of the domain there is nothing to see beyond it
    const [first, last] = this.axis === "xi" ? [0, 1] : this.view.header.ends;
    this.setZoom([Math.max(low - half, first - 0.05 * half), Math.min(high + half, last + 0.05 * half)]);
  }

  selected(u) {
    const { left, width } = u.select;
    if (width > 4) this.setZoom([u.posToVal(left, "x"), u.posToVal(left + width, "x")]);
    if (width) u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  ticks(u, low, high) {
    return gated(this.view, this.anchors(), low, high, u.bbox.width / devicePixelRatio || 600);
  }

  /** The vertical range: the curves, the data and the band, with some air. */
  heights(low, high) {
    const { points, band } = this.overlay, { fixed } = this.view.header;
    if (fixed && !this.zoom) [low, high] = fixed; // of all times: a film should not jump
    if (points && !this.hidden.has("data")) for (const y of points.y) [low, high] = [Math.min(low ?? y, y), Math.max(high ?? y, y)];
    if (low == null || !Number.isFinite(low)) [low, high] = [0, 1];
    if (band && !this.hidden.has("band") && !this.zoom) [low, high] = [Math.min(low, ...band.low), Math.max(high, ...band.high)];
    return airy(low, high, this.view.header); // a constant is drawn as one
  }

  words(index) {
    const { view } = this, { header } = view, x = view.x[index];
    const near = this.anchors().find((at) => at !== x && Math.abs(x - at) < 1e-3 * (header.ends[1] - header.ends[0]));
    const place = near === undefined ? String(Number(x.toPrecision(6))) : `${near ? plain(near) : ""} ${x < near ? "−" : near ? "+" : ""} ${Math.abs(x - near).toPrecision(3)}`;
    const values = header.fields.map((name) => `${name}${"'".repeat(header.derivative)} = ${Number(view[`u:${name}`][index].toPrecision(6))}`);
    return [`${header.coordinate} = ${place.trim()}`, ...values].join("   ");
  }
}

/** For a logarithmic axis: what is zero, as the error is at the ends, has no place on it. */
const drawable = (values, length) => (values ? Array.from(values, (value) => (value > FLOOR ? value : null)) : new Array(length).fill(null));
