// Data: dropped as a CSV or made from the solution; and what they say about parameters.
import { number } from "./state.js";
import { colour } from "./colours.js";
import { shown } from "./sliders.js";
import { duration } from "./verdict.js";

const get = (id) => document.getElementById(id);

export class Data {
  /** `changed(points)` is told what data there are now. */
  constructor(asking, plots, state, changed) {
    Object.assign(this, { asking, plots, state, changed, points: null, waiting: {}, charts: [] });
    get("noisy").onsubmit = (event) => {
      event.preventDefault();
      const [count, noise, seed, spread] = ["count", "noise", "seed", "spread"].map((name) => number(get(`data-${name}`).value));
      this.waiting.data = this.asking.ask("data", { count, noise, seed, spread, field: get("data-field").value });
    };
    get("csv").onchange = () => this.read(get("csv").files[0]);
    get("drop-data").onclick = () => this.forget();
    get("run-infer").onclick = () => this.infer();
    get("stop-infer").onclick = () => this.asking.stop("infer");
    for (const [name, on] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
      get("drop").addEventListener(name, (event) => {
        event.preventDefault();
        get("drop").classList.toggle("over", on);
        if (name === "drop") this.read(event.dataTransfer.files[0]);
      });
    }
  }

  /** Which field is measured, where there are several. */
  fields(names) {
    const select = get("data-field"), before = select.value;
    get("field-choice").hidden = names.length < 2;
    if ([...select.options].map(({ value }) => value).join() === names.join()) return;
    select.replaceChildren(...names.map((name) => new Option(name, name)));
    const chosen = this.wanted ?? before;
    this.wanted = null;
    if (names.includes(chosen)) select.value = chosen;
  }

  /** The parameters to choose from, with the ends of their sliders as bounds. */
  choices() {
    const { parameters } = this.state();
    const before = new Set([...document.querySelectorAll("#unknown-choice input:checked")].map(({ value }) => value));
    const names = Object.keys(parameters);
    get("unknown-choice").replaceChildren(...names.flatMap((name, index) => {
      const label = document.createElement("label"), tick = document.createElement("input");
      tick.type = "checkbox";
      tick.value = name;
      tick.checked = before.size ? before.has(name) : index === 0;
      label.append(tick, ` ${name}`);
      const ends = ["low", "high"].map((key) => {
        const end = document.createElement("input");
        end.className = "code short";
        end.dataset.bound = `${name} ${key}`;
        end.setAttribute("aria-label", `${key === "low" ? "lower" : "upper"} bound of ${name}`);
        end.value = shown(parameters[name][key]);
        return end;
      });
      const words = document.createElement("span");
      words.textContent = "between";
      return [label, words, ...ends];
    }));
    if (!names.length) get("unknown-choice").textContent = "There is no parameter to find.";
  }

  async read(file) {
    if (!file) return;
    get("csv").value = "";
    try {
      const points = parsed(await file.text());
      this.show(points, `${points.x.length} measurements from ${file.name}`);
    } catch (error) {
      get("data-error").textContent = error.message;
    }
  }

  show(points, words) {
    this.points = points;
    get("data-error").textContent = "";
    get("data-words").textContent = words;
    get("drop-data").hidden = false;
    this.clear();
    this.plots.setOverlay({ points, band: null });
    this.changed(this.points && { x: [...this.points.x], y: [...this.points.y], field: get("data-field").value });
  }

  clear() {
    this.busy(false);
    this.waiting.infer = null;
    for (const chart of this.charts) chart.destroy();
    this.charts = [];
    get("posterior").replaceChildren();
    get("infer-error").textContent = "";
  }

  forget() {
    this.points = null;
    this.clear();
    get("data-words").textContent = get("data-error").textContent = "";
    get("drop-data").hidden = true;
    this.plots.setOverlay({ points: null, band: null });
    this.changed(this.points && { x: [...this.points.x], y: [...this.points.y], field: get("data-field").value });
  }

  /** The data of a link, or none. */
  adopt(points) {
    if (!points) return this.forget();
    this.wanted = points.field;
    this.show(points, `${points.x.length} measurements, from the link`);
  }

  infer() {
    if (!this.points) {
      get("infer-error").textContent = "There are no data yet: drop a CSV, or make some.";
      return;
    }
    this.clear();
    const unknown = {};
    for (const tick of document.querySelectorAll("#unknown-choice input:checked")) {
      unknown[tick.value] = ["low", "high"].map((key) => number(document.querySelector(`[data-bound="${CSS.escape(tick.value)} ${key}"]`).value));
    }
    const noise = get("known-noise").value.trim();
    this.waiting.infer = this.asking.ask("infer", { x: [...this.points.x], y: [...this.points.y], field: get("data-field").value, unknown, noise: noise ? number(noise) : null });
    this.busy(this.waiting.infer !== null);
  }

  busy(on) {
    get("run-infer").disabled = on;
    get("stop-infer").hidden = get("infer-bar").hidden = !on;
    clearInterval(this.timer);
    if (!on) {
      get("infer-words").textContent = "";
      return;
    }
    const begun = performance.now();
    this.detail = "looking for the parameters";
    this.timer = setInterval(() => { get("infer-words").textContent = `${this.detail}, ${((performance.now() - begun) / 1000).toFixed(1)} s`; }, 100);
  }

  receive(header, arrays) {
    if (header.id !== this.waiting[header.kind]) return;
    if (header.progress) {
      this.detail = header.progress.words;
      if (header.progress.share === undefined) get("infer-bar").removeAttribute("value");
      else get("infer-bar").value = header.progress.share;
      return;
    }
    if (header.kind === "data") {
      if (header.wrong || header.stopped) get("data-error").textContent = header.wrong?.sentence ?? header.stopped;
      else {
        get("known-noise").value = header.noise > 0 ? shown(header.noise) : "";
        this.show({ x: arrays.x, y: arrays.y }, `${arrays.x.length} values of ${header.field}, with noise of ${header.noise}`);
      }
      return;
    }
    this.busy(false);
    if (header.wrong || header.stopped) {
      get("infer-error").textContent = header.wrong?.sentence ?? header.stopped;
      return;
    }
    this.plots.setOverlay({ band: arrays });
    this.changed(this.points && { x: [...this.points.x], y: [...this.points.y], field: get("data-field").value });
    this.posterior(header, arrays);
  }

  posterior(header, arrays) {
    const words = document.createElement("p");
    words.textContent = `${header.status}: ${header.message} (${header.solves} solves, ${duration(header.seconds)}).`;
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const text of ["", "mean", "standard deviation", "95 % between"]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.textContent = text;
      head.append(cell);
    }
    const body = table.createTBody(), places = [];
    for (const [name, { mean, std, interval }] of Object.entries(header.found)) {
      const row = body.insertRow(), first = document.createElement("th");
      first.scope = "row";
      first.textContent = name;
      row.append(first);
      row.dataset.found = name;
      for (const text of [digits(mean, std), std.toPrecision(2), interval.map((end) => digits(end, std)).join(" and ")]) row.insertCell().textContent = text;
      const place = document.createElement("div");
      place.className = "plot small";
      place.setAttribute("role", "img");
      place.setAttribute("aria-label", `density of ${name}, mean ${digits(mean, std)}, standard deviation ${std.toPrecision(2)}`);
      const figure = document.createElement("figure"), caption = document.createElement("figcaption");
      caption.textContent = `posterior of ${name}`;
      figure.append(caption, place);
      places.push([name, place, figure]);
    }
    const figures = document.createElement("div");
    figures.className = "panels densities";
    figures.append(...places.map(([, , figure]) => figure));
    get("posterior").replaceChildren(words, table, figures);
    for (const [name, place] of places) this.charts.push(density(place, arrays[`at:${name}`], arrays[`density:${name}`]));
  }
}

function density(place, at, values) {
  const axis = { stroke: () => colour("soft"), grid: { stroke: () => colour("grid"), width: 1 }, ticks: { stroke: () => colour("line") }, font: "11.5px system-ui, sans-serif", space: 62 };
  return new uPlot({
    width: place.clientWidth, height: place.clientHeight, legend: { show: false }, cursor: { show: false }, padding: [8, 12, 0, 8],
    scales: { x: { time: false } }, axes: [{ ...axis, values: (u, splits) => splits.map(shown) }, { show: false }],
    series: [{}, { stroke: () => colour("c2"), fill: () => colour("band"), width: 2, points: { show: false }, pxAlign: 0 }],
  }, [at, values], place);
}

/** As many digits as the standard deviation leaves. */
function digits(value, std) {
  const count = Math.min(15, Math.max(2, Math.ceil(Math.log10(Math.abs(value) / std || 10)) + 2));
  const number = Number(value.toPrecision(count));
  return Math.abs(number) < 1e-3 && number !== 0 ? number.toExponential() : String(number);
}

/** Two columns of numbers; a first line that is none is a heading. Commas, semicolons, tabs or blanks lie between. */
export function parsed(text) {
  const rows = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line && !line.startsWith("#"));
  const points = { x: [], y: [] };
  rows.forEach((line, index) => {
    const cells = line.split(/[,;\t]+|\s+/).filter(Boolean).slice(0, 2).map(Number);
    if (cells.length === 2 && cells.every(Number.isFinite)) {
      points.x.push(cells[0]);
      points.y.push(cells[1]);
    } else if (index > 0) throw new Error(`line ${index + 1} of the file has no two numbers: "${line.slice(0, 40)}"`);
  });
  if (!points.x.length) throw new Error("the file has no two columns of numbers");
  return points;
}
