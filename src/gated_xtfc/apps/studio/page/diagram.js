// A branch as it grows: a quantity over the parameter, and for whoever clicks the solution there.
import { colour } from "./colours.js";
import { shown } from "./sliders.js";
import { levels } from "./ticks.js";

const get = (id) => document.getElementById(id);
const REACH = 40; // pixels within which a click means a point
const FONT = "12px system-ui, sans-serif";

export class Diagram {
  /** `frame(id, header, arrays)` draws a solution. */
  constructor(frame) {
    Object.assign(this, { frame, points: [], chart: null, chosen: null, about: null, live: true });
    new ResizeObserver(() => this.resize()).observe(get("diagram-plot"));
  }

  /** A new branch begins: `about` says what its axes are. */
  begin(id, about) {
    Object.assign(this, { id, about, points: [], chosen: null, live: true });
  }

  /** One more point, with its solution. */
  add(point) {
    const { x, fields, ...rest } = point;
    this.points.push({ ...rest, x: Float64Array.from(x), fields: Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, Float64Array.from(values)])) });
    this.draw();
    this.choose(this.points.length - 1);
  }

  /** The branch as it was found. */
  show(id, header, arrays, number) {
    const count = header.points.length, size = arrays.x.length / count;
    const cut = (values, k) => values.subarray(k * size, (k + 1) * size);
    this.id = id;
    this.live = false;
    this.about = { along: header.along, show: header.show[0], range: header.range, fields: header.fields, coordinate: header.coordinate, header };
    this.points = header.points.map((point, k) => ({ ...point, x: cut(arrays.x, k), fields: Object.fromEntries(header.fields.map((name) => [name, cut(arrays[`u:${name}`], k)])) }));
    this.draw();
    const special = header.points.findIndex(({ kind }) => kind);
    this.choose(Math.min(number ?? (special >= 0 ? special : 0), count - 1));
  }

  hide() {
    this.points = [];
    this.chosen = null;
  }

  draw() {
    get("diagram-caption").textContent = `${this.about.show} over ${this.about.along}${this.live ? ", growing" : ": click on a point to see its solution"}`;
    this.chart ??= this.make();
    this.chart.setData([[0, 1], [null, null]], true);
  }

  range(values, low = Math.min(...values), high = Math.max(...values)) {
    const air = (high - low || Math.abs(high) || 1) * 0.07;
    return [low - air, high + air];
  }

  make() {
    const place = get("diagram-plot"), axis = { stroke: () => colour("soft"), font: FONT, grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1, size: 5 } };
    const chart = new uPlot({
      width: place.clientWidth || 300, height: place.clientHeight || 300, legend: { show: false }, padding: [10, 16, 0, 0],
      scales: { x: { time: false, range: () => this.range([0], ...this.about.range) }, y: { range: () => (this.points.length ? this.range(this.points.map(({ quantities }) => quantities[0])) : [0, 1]) } },
      axes: [{ ...axis, size: 34, values: levels }, { ...axis, size: 62, values: levels }], series: [{}, { stroke: "transparent", points: { show: false } }],
      cursor: { points: { show: false }, drag: { x: false, y: false } }, hooks: { draw: [(u) => this.paint(u)] },
    }, [[0, 1], [null, null]], place);
    chart.over.addEventListener("click", () => this.pick());
    return chart;
  }

  at(u, { parameter, quantities }) {
    return [u.valToPos(parameter, "x", true), u.valToPos(quantities[0], "y", true)];
  }

  paint(u) {
    const { ctx, bbox } = u, ratio = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (let k = 1; k < this.points.length; k++) {
      const [before, point] = [this.points[k - 1], this.points[k]];
      if (before.curve !== point.curve) continue;
      ctx.strokeStyle = colour(`c${point.curve % 6}`);
      ctx.lineWidth = 2.2 * ratio;
      ctx.setLineDash(point.stable === false ? [5 * ratio, 4 * ratio] : []);
      ctx.beginPath();
      ctx.moveTo(...this.at(u, before));
      ctx.lineTo(...this.at(u, point));
      ctx.stroke();
    }
    ctx.setLineDash([]);
    this.points.forEach((point, k) => {
      const [x, y] = this.at(u, point), chosen = k === this.chosen;
      ctx.beginPath();
      ctx.arc(x, y, (chosen ? 6 : point.kind ? 5 : 2.4) * ratio, 0, 2 * Math.PI);
      ctx.fillStyle = chosen ? colour("exact") : point.kind ? colour("card") : colour(`c${point.curve % 6}`);
      ctx.strokeStyle = chosen ? colour("card") : colour(point.kind === "branch point" ? "c4" : "data");
      ctx.lineWidth = 2 * ratio;
      ctx.fill();
      if (chosen || point.kind) ctx.stroke();
    });
    ctx.restore();
  }

  pick() {
    const { left, top } = this.chart.cursor;
    let best = null, least = REACH;
    this.points.forEach((point, k) => {
      const away = Math.hypot(this.chart.valToPos(point.parameter, "x") - left, this.chart.valToPos(point.quantities[0], "y") - top);
      if (away < least) [best, least] = [k, away];
    });
    if (best !== null) this.choose(best);
  }

  /** One step along the branch, for keys. */
  step(by) {
    if (this.points.length) this.choose((this.chosen + by + this.points.length) % this.points.length);
  }

  choose(number) {
    this.chosen = number;
    const point = this.points[number], { fields, header } = this.about;
    const arrays = { x: point.x, xi: Float64Array.from(point.x, (_, k) => k / (point.x.length - 1)) };
    for (const name of fields) arrays[`u:${name}`] = point.fields[name];
    const stable = point.stable === null ? "" : point.stable ? ", stable" : ", not stable";
    get("point-words").textContent = `${this.about.along} = ${shown(point.parameter)}, ${this.about.show} = ${shown(point.quantities[0])}${stable}${point.kind ? `, ${point.kind}` : ""}`;
    const ends = [point.x[0], point.x[point.x.length - 1]];
    this.frame(this.id, { fields, derivative: 0, coordinate: this.about.coordinate, gates: [], error: point.error, tol: header?.tol ?? null, scale: 1, ends }, arrays);
    this.chart?.redraw();
  }

  repaint() {
    this.chart?.destroy();
    this.chart = null;
    if (this.points.length) this.draw();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = get("diagram-plot");
    if (this.chart && width && height && (this.chart.width !== width || this.chart.height !== height)) this.chart.setSize({ width, height });
  }
}
