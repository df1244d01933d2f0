// Fronts in time: a slider of t, play, and the picture over space and time with the paths of the gates.
import { colour } from "./colours.js";
import { paintBar, paintField } from "./image.js";
import { decades, levels, raised, whole } from "./ticks.js";

const get = (id) => document.getElementById(id);
const LASTS = 5000; // milliseconds of a film
const FONT = "12px system-ui, sans-serif";

export class Film {
  /** `frame(header, arrays)` draws one time; `moved(share)` is told where in time the page is. */
  constructor(frame, moved) {
    Object.assign(this, { frame, moved, view: null, now: 0, share: 0, playing: null, map: null, accuracy: null, field: 0 });
    get("time").addEventListener("input", () => { this.stop(); this.go(Number(get("time").value)); });
    get("play").onclick = () => (this.playing === null ? this.play() : this.stop());
    const resize = new ResizeObserver(() => this.resize());
    for (const name of ["space-time", "estimate-plot"]) resize.observe(get(name));
  }

  show(id, header, arrays, share) {
    this.view = { id, header, arrays };
    this.count = arrays.times.length;
    this.places = arrays["frames:x"].length / this.count;
    this.even = Float64Array.from({ length: this.places }, (_, k) => k / (this.places - 1));
    this.field = Math.min(this.field, header.fields.length - 1);
    get("time").max = this.count - 1;
    get("time-name").textContent = header.time;
    get("space-time").parentElement.querySelector("figcaption").textContent = `${header.fields[this.field]} over ${header.coordinate} and ${header.time}, and the paths of the gates`;
    this.map ??= this.makeMap();
    this.go(Math.round((share ?? this.share) * (this.count - 1)), true);
    this.fillAccuracy();
  }

  hide() {
    this.stop();
    this.view = null;
  }

  /** The frame of this number. */
  go(number, fresh = false) {
    const { header, arrays, id } = this.view;
    this.now = Math.min(Math.max(number, 0), this.count - 1);
    this.share = this.now / (this.count - 1);
    const cut = (values) => values.subarray(this.now * this.places, (this.now + 1) * this.places);
    const shown = { x: cut(arrays["frames:x"]), xi: this.even };
    for (const name of header.fields) shown[`u:${name}`] = cut(arrays[`frames:${name}`]);
    const lows = header.fields.map((name) => header.ranges[name][0]), highs = header.fields.map((name) => header.ranges[name][1]);
    this.frame(id, { ...header, gates: header.marks[this.now], fixed: [Math.min(...lows), Math.max(...highs)] }, shown);
    const t = Number(arrays.times[this.now].toPrecision(4));
    get("time").value = this.now;
    get("time").setAttribute("aria-valuetext", `${header.time} = ${t}`);
    get("time-value").textContent = `${header.time} = ${t}`;
    if (get("space-time").offsetParent) this.map.setData([[0, 1], [null, null]], true);
    if (!fresh) this.moved(this.share);
  }

  play() {
    if (!this.view) return;
    if (this.now === this.count - 1) this.go(0);
    let begun = performance.now() - this.share * LASTS;
    const step = (now) => {
      if (this.playing === null || !this.view) return;
      const number = Math.floor(((now - begun) / LASTS) * this.count);
      if (number !== this.now) this.go(number);
      if (this.now >= this.count - 1) this.stop();
      else this.playing = requestAnimationFrame(step);
    };
    get("play").textContent = "Pause";
    this.playing = requestAnimationFrame(step);
  }

  stop() {
    if (this.playing !== null) cancelAnimationFrame(this.playing);
    this.playing = null;
    get("play").textContent = "Play";
  }

  image() {
    const { header, arrays } = this.view, rows = arrays.times, columns = arrays.even, own = arrays[`image:${header.fields[this.field]}`];
    if (this.turned?.own !== own) {
      const values = new Float32Array(own.length);
      for (let j = 0; j < rows.length; j++) for (let i = 0; i < columns.length; i++) values[i * rows.length + j] = own[j * columns.length + i];
      this.turned = { own, values };
    }
    return { columns, rows, values: this.turned.values };
  }

  makeMap() {
    const place = get("space-time"), axis = { stroke: () => colour("soft"), font: FONT, grid: { show: false }, ticks: { stroke: () => colour("line"), width: 1, size: 5 } };
    const map = new uPlot({
      width: place.clientWidth || 300, height: place.clientHeight || 220, legend: { show: false }, padding: [8, 76, 0, 0],
      scales: { x: { time: false, range: () => this.view.header.ends }, y: { range: () => { const { times } = this.view.arrays; return [times[0], times[times.length - 1]]; } } },
      axes: [{ ...axis, size: 32, values: levels }, { ...axis, size: 56, values: levels }], series: [{}, { stroke: "transparent", points: { show: false } }],
      cursor: { points: { show: false }, drag: { x: false, y: false } },
      hooks: { draw: [(u) => this.paint(u)] },
    }, [[0, 1], [null, null]], place);
    const pick = (event) => {
      if (!(event.buttons & 1) && event.type !== "click") return;
      const { times } = this.view.arrays, t = map.posToVal(map.cursor.top, "y");
      this.stop();
      this.go(Math.round(((t - times[0]) / (times[times.length - 1] - times[0])) * (this.count - 1)));
    };
    for (const name of ["click", "mousemove"]) map.over.addEventListener(name, pick);
    return map;
  }

  paint(u) {
    if (!this.view) return;
    const { header, arrays } = this.view, range = header.ranges[header.fields[this.field]];
    paintField(u, this.image(), range);
    paintBar(u, range);
    const { ctx, bbox } = u;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    for (const [paint, width] of [["#fff", 3.2], [colour("data"), 1.6]]) {
      ctx.strokeStyle = paint;
      ctx.lineWidth = width * devicePixelRatio;
      for (const path of header.paths) {
        ctx.beginPath();
        path.x.forEach((x, k) => ctx.lineTo(u.valToPos(x, "x", true), u.valToPos(path.t[k], "y", true)));
        ctx.stroke();
      }
    }
    const now = u.valToPos(arrays.times[this.now], "y", true);
    ctx.strokeStyle = "#fff";
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([5 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(bbox.left, now);
    ctx.lineTo(bbox.left + bbox.width, now);
    ctx.stroke();
    ctx.restore();
  }

  /** The estimated error as time goes on, and the tolerance. */
  fillAccuracy() {
    const place = get("estimate-plot"), { header, arrays } = this.view;
    if (!place.offsetParent) return;
    const axis = { stroke: () => colour("soft"), font: FONT, grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("line"), width: 1, size: 5 } };
    this.accuracy ??= new uPlot({
      width: place.clientWidth || 300, height: place.clientHeight || 170, legend: { show: false }, cursor: { show: false }, padding: [8, 14, 0, 0],
      scales: { x: { time: false }, y: { distr: 3, range: (u, low, high) => whole(low, high) } },
      axes: [{ ...axis, size: 34, values: levels }, { ...axis, size: 58, splits: (u, _, low, high) => decades(low, high), filter: (u, splits) => splits, values: (u, splits) => splits.map((at) => `10${raised(Math.round(Math.log10(at)))}`) }],
      series: [{}, { stroke: () => colour("c0"), width: 1.8, points: { show: false } }, { stroke: () => colour("soft"), dash: [2, 4], width: 1.4, points: { show: false } }],
    }, [[0, 1], [null, null], [null, null]], place);
    const ends = arrays.steps.subarray(1);
    this.accuracy.setData([ends, Array.from(arrays.estimates, (value) => Math.max(value, 1e-17)), new Float64Array(ends.length).fill(header.tol)], true);
  }

  repaint() {
    this.map?.destroy();
    this.accuracy?.destroy();
    this.map = this.accuracy = null;
    if (this.view) this.show(this.view.id, this.view.header, this.view.arrays);
  }

  resize() {
    if (!this.view) return;
    for (const [chart, place] of [[this.map, get("space-time")], [this.accuracy, get("estimate-plot")]]) {
      const { clientWidth: width, clientHeight: height } = place;
      if (chart && width && height && (chart.width !== width || chart.height !== height)) chart.setSize({ width, height });
    }
    this.fillAccuracy();
  }
}
