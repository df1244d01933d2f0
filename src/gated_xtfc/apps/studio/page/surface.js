// A rectangle: the field as an image, over x and y or with the layers of both axes opened, and cuts through a point.
import { colour } from "./colours.js";
import { paintBar, paintField, valueAt } from "./image.js";
import { gated, interpolate, levels, overX, plain } from "./ticks.js";

const FONT = "12px system-ui, sans-serif";
const LINE = 15; // pixels: the height of a label

export class Surface {
  /** `drawn(id)` when the image is on the canvas, `readout(words)` as the cursor moves, `zoomed()` when the view has changed. */
  constructor(places, drawn, readout, zoomed) {
    Object.assign(this, { places, drawn, readout, zoomed, axis: "x", zoom: null, view: null, chart: null, cuts: [], point: null, shape: "" });
    const resize = new ResizeObserver(() => this.resize());
    for (const place of Object.values(places)) resize.observe(place);
  }

  show(id, header, arrays) {
    this.view = { id, header, arrays };
    const [[left, right], [bottom, top]] = header.ends;
    const inside = this.point && this.point[0] >= left && this.point[0] <= right && this.point[1] >= bottom && this.point[1] <= top;
    if (!inside) this.point = [left + 0.5 * (right - left), bottom + 0.5 * (top - bottom)];
    const shape = `${this.axis}|${header.coordinates}`;
    if (shape !== this.shape) this.build(shape);
    this.redraw();
  }

  hide() {
    this.view = null;
  }

  /** Places of an axis in the coordinate that is shown. */
  along(number) {
    return this.view.arrays[`${this.axis === "x" ? "place" : "gated"}:${number}`];
  }

  field() {
    return { columns: this.along(0), rows: this.along(1), values: this.view.arrays.u };
  }

  range(number) {
    if (this.zoom) return this.zoom[number];
    return this.axis === "x" ? this.view.header.ends[number] : [0, 1];
  }

  /** From the coordinate that is shown to the place, and back. */
  place(number, at) {
    return this.axis === "x" ? at : interpolate(this.along(number), this.view.arrays[`place:${number}`], at);
  }

  shown(number, place) {
    return this.axis === "x" ? place : interpolate(this.view.arrays[`place:${number}`], this.along(number), place);
  }

  ticks(number, low, high, pixels) {
    const places = { x: this.view.arrays[`place:${number}`], xi: this.along(number) };
    return gated(places, this.anchors(number), low, high, pixels, number ? () => LINE : undefined);
  }

  anchors(number) {
    const { ends, gates } = this.view.header;
    return [...new Set([...ends[number], ...gates.filter(({ axis }) => axis === number).map(({ x }) => x[0])])];
  }

  build(shape) {
    this.shape = shape;
    this.chart?.destroy();
    const ink = () => colour("soft"), lines = { stroke: () => colour("line"), width: 1, size: 5 };
    const axis = (number) => {
      const pixels = (u) => (number ? u.bbox.height : u.bbox.width) / devicePixelRatio || 400, scale = number ? "y" : "x";
      const own = this.axis === "xi"
        ? { splits: (u, _, low, high) => this.ticks(number, low, high, pixels(u)).map(({ place }) => place), values: (u) => this.ticks(number, u.scales[scale].min, u.scales[scale].max, pixels(u)).map(({ text }) => text) }
        : { values: (u, splits, _, space, step) => overX(splits, step, this.anchors(number)) };
      return { scale, stroke: ink, font: FONT, grid: { show: false }, ticks: lines, size: number ? 74 : 34, space: number ? 40 : 90, ...own };
    };
    this.chart = new uPlot({
      width: this.places.main.clientWidth || 300, height: this.places.main.clientHeight || 300, legend: { show: false }, padding: [10, 84, 0, 0],
      scales: { x: { time: false, range: () => this.range(0) }, y: { range: () => this.range(1) } },
      axes: [axis(0), axis(1)], series: [{}, { stroke: "transparent", points: { show: false } }],
      cursor: { points: { show: false }, drag: { x: true, y: true, setScale: false }, bind: { dblclick: () => () => { this.setZoom(null); return null; } } },
      hooks: { draw: [(u) => this.paint(u)], setSelect: [(u) => this.selected(u)], setCursor: [(u) => this.moved(u)] },
    }, [[0, 1], [null, null]], this.places.main);
    this.chart.over.addEventListener("click", () => this.pick());
  }

  paint(u) {
    if (!this.view) return;
    const { header, id } = this.view;
    paintField(u, this.field(), header.range);
    paintBar(u, header.range);
    this.marks(u);
    this.drawn(id);
  }

  /** Gates at the edges, and the lines of the cuts. */
  marks(u) {
    const { ctx, bbox } = u, size = 5 * devicePixelRatio;
    ctx.save();
    ctx.fillStyle = colour("gate");
    ctx.strokeStyle = "#fff";
    ctx.lineWidth = devicePixelRatio;
    for (const { axis, x } of this.view.header.gates) {
      const [low, high] = this.range(axis), along = this.shown(axis, x[0]);
      if (along < low || along > high) continue; // one at an end is drawn whole: cut in half it would look like a scratch
      const at = u.valToPos(along, axis ? "y" : "x", true), foot = axis ? bbox.left : bbox.top + bbox.height;
      ctx.beginPath();
      if (axis) for (const [dx, dy] of [[1.7, 0], [0, -1], [0, 1]]) ctx.lineTo(foot + dx * size, at + dy * size);
      else for (const [dx, dy] of [[0, -1.7], [-1, 0], [1, 0]]) ctx.lineTo(at + dx * size, foot + dy * size);
      ctx.closePath();
      ctx.fill();
      ctx.stroke();
    }
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.globalAlpha = 0.8;
    const [x, y] = this.point.map((at, number) => u.valToPos(this.shown(number, at), number ? "y" : "x", true));
    for (const [from, to] of [[[bbox.left, y], [bbox.left + bbox.width, y]], [[x, bbox.top], [x, bbox.top + bbox.height]]]) {
      ctx.beginPath();
      ctx.moveTo(...from);
      ctx.lineTo(...to);
      ctx.stroke();
    }
    ctx.restore();
  }

  moved(u) {
    const { left, top } = u.cursor;
    if (!(left >= 0) || !this.view) return this.readout("");
    const [x, y] = [u.posToVal(left, "x"), u.posToVal(top, "y")], { coordinates, choices, derivative } = this.view.header;
    const words = [x, y].map((at, number) => `${coordinates[number]} = ${Number(this.place(number, at).toPrecision(6))}`);
    this.readout([...words, `${choices[derivative]} = ${Number(valueAt(this.field(), x, y).toPrecision(5))}`].join("   "));
  }

  /** The cuts go through the place that was clicked. */
  pick() {
    const { left, top } = this.chart.cursor;
    if (!(left >= 0)) return;
    this.point = [this.place(0, this.chart.posToVal(left, "x")), this.place(1, this.chart.posToVal(top, "y"))];
    this.redraw();
  }

  selected(u) {
    const { left, top, width, height } = u.select;
    if (width > 6 && height > 6) this.setZoom([[u.posToVal(left, "x"), u.posToVal(left + width, "x")], [u.posToVal(top + height, "y"), u.posToVal(top, "y")]]);
    if (width || height) u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  }

  setZoom(zoom) {
    this.zoom = zoom;
    this.zoomed();
    this.redraw();
  }

  setAxis(axis) {
    if (axis === this.axis) return;
    this.axis = axis;
    this.zoom = null;
    if (this.view) this.show(this.view.id, this.view.header, this.view.arrays);
  }

  zoomBy(factor) {
    if (!this.view) return;
    this.setZoom([0, 1].map((number) => {
      const [low, high] = this.range(number), [first, last] = this.axis === "x" ? this.view.header.ends[number] : [0, 1];
      const middle = this.zoom ? (low + high) / 2 : Math.min(Math.max(this.shown(number, this.point[number]), low), high), half = (factor * (high - low)) / 2;
      return [Math.max(middle - half, first), Math.min(middle + half, last)];
    }));
  }

  pan(share) {
    if (!this.zoom) return;
    const [[low, high], rows] = this.zoom, move = share * (high - low);
    this.setZoom([[low + move, high + move], rows]);
  }

  zoomTo({ axis, x, thickness }) {
    const half = this.axis === "x" ? 15 * thickness : 0.12, at = this.shown(axis, x[0]);
    const [first, last] = this.axis === "x" ? this.view.header.ends[axis] : [0, 1];
    const zoom = [0, 1].map((number) => (this.axis === "x" ? this.view.header.ends[number] : [0, 1]));
    zoom[axis] = [Math.max(at - half, first), Math.min(at + half, last)];
    this.setZoom(zoom);
  }

  redraw() {
    if (!this.view || !this.chart) return;
    this.chart.setData([[0, 1], [null, null]], true);
    this.chart.redraw(false, true); // the ends may be the same, the gates between them are not
    this.fillCuts();
  }

  repaint() {
    this.shape = "";
    for (const cut of this.cuts) cut?.destroy();
    this.cuts = [];
    if (this.view) this.show(this.view.id, this.view.header, this.view.arrays);
  }

  /** The field along each axis through the point. */
  fillCuts() {
    const { header } = this.view, { coordinates, choices, derivative } = header, field = this.field();
    const through = this.point.map((at, number) => this.shown(number, at));
    [0, 1].forEach((number) => {
      const place = this.places[`cut${number}`];
      place.parentElement.querySelector("figcaption").textContent = `${choices[derivative]} along ${coordinates[number]}, at ${coordinates[1 - number]} = ${plain(this.point[1 - number])}`;
      if (!place.offsetParent) return; // another tab is open
      const own = this.along(number);
      const values = Float64Array.from(own, (at) => (number ? valueAt(field, through[0], at) : valueAt(field, at, through[1])));
      this.cuts[number] ??= this.cut(place, number);
      this.cuts[number].setData([own, values], true);
    });
  }

  cut(place, number) {
    const axis = { stroke: () => colour("soft"), font: FONT, grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1, size: 5 } };
    return new uPlot({
      width: place.clientWidth || 300, height: place.clientHeight || 170, legend: { show: false }, cursor: { show: false }, padding: [8, 14, 0, 0],
      scales: { x: { time: false, range: () => this.range(number) }, y: { range: (u, low, high) => airy(low, high, this.view.header) } },
      axes: [{ ...axis, size: 34, space: 70, values: (u, splits) => splits.map((at) => plain(this.place(number, at))) }, { ...axis, size: 62, values: levels }],
      series: [{}, { stroke: () => colour("c0"), width: 2, points: { show: false }, pxAlign: 0 }],
    }, [[0, 1], [null, null]], place);
  }

  resize() {
    if (!this.view) return;
    const fit = (chart, place) => {
      const { clientWidth: width, clientHeight: height } = place;
      if (chart && width && height && (chart.width !== width || chart.height !== height)) chart.setSize({ width, height });
    };
    fit(this.chart, this.places.main);
    this.cuts.forEach((cut, number) => fit(cut, this.places[`cut${number}`]));
    this.fillCuts();
  }
}

/** With some air; what is smaller than the error of the solution is no feature. */
export function airy(low, high, { scale, error }) {
  if (low == null || !Number.isFinite(low)) return [0, 1];
  const noise = 4 * Math.max(error ?? 0, 1e-13) * scale, middle = (low + high) / 2;
  if (high - low <= noise) {
    const half = Math.abs(middle) <= noise ? 1 : Math.max(Math.abs(middle) * 0.1, 25 * noise); // zero is zero
    return [middle - half, middle + half];
  }
  const air = (high - low) * 0.06;
  return [low - air, high + air];
}
