// Wires the page together: what is typed or dragged goes out, what comes back is drawn.
import { Comparison } from "./compare.js";
import { Connection } from "./connection.js";
import { Data } from "./data.js";
import { Gallery } from "./gallery.js";
import { showLegend } from "./legend.js";
import { listen } from "./keys.js";
import { Plots } from "./plots.js";
import { Sliders } from "./sliders.js";
import { fromFamily, fromFragment, range, statement, toFragment } from "./state.js";
import { TakeAway } from "./takeaway.js";
import { Verdict } from "./verdict.js";
import { tabs } from "./tabs.js";

const get = (id) => document.getElementById(id);
const FIELDS = ["equation", "left", "coordinate", "right", "conditions", "tol", "exact", "unknown", "guess", "continuation"];
const TYPING = 220; // milliseconds of rest after which what is typed is solved
// what a visitor sees first, before even the gallery is there
const FIRST = {
  name: "convection_diffusion", equations: ["u' - nu*u'' = 0"], domain: { x: [0, 1] }, conditions: ["u(0) = 0", "u(1) = 1"], unknown: [],
  parameters: { nu: 1e-2 }, ranges: { nu: [1e-8, 1] }, exact: "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))",
};

const page = { state: null, families: [], remembered: {}, sent: 0, answered: 0, shown: 0, begun: new Map(), last: null };

const verdict = new Verdict(() => stop(), (gate) => plots.zoomTo(gate));
const plots = new Plots(
  { main: get("main-plot"), width: get("width-plot"), residual: get("residual-plot"), error: get("error-plot") },
  drawn,
  (words) => { get("readout").textContent = words; },
);
const sliders = new Sliders(get("parameters"), moved, () => remember());
const connection = new Connection(receive, connected);
const asking = { ask: (kind, more) => connection.send(kind, { statement: statement(page.state), tol: page.state.tol, ...more }), stop: (what) => connection.send("stop", { what }) };
const comparison = new Comparison(asking);
const data = new Data(asking, plots, () => page.state, () => page.last, legend);
const takeAway = new TakeAway(asking, () => page.state, () => page.last, link);
const gallery = new Gallery((family) => adopt(fromFamily(family)));

// ---- out

function solve(event = null) {
  if (!page.state) return;
  const id = connection.send("solve", { statement: statement(page.state), tol: page.state.tol, derivative: page.state.derivative });
  if (id === null) return;
  page.sent = id;
  waiting();
  if (event) page.begun.set(id, event.timeStamp);
  verdict.waiting(id, () => page.answered < page.sent);
  remember();
}

function stop() {
  connection.send("stop", { what: "solve" });
}

/** Sliders of names that stand in no text any more go at once, whether the rest can be read or not. */
function dropStale() {
  const { state } = page, texts = FIELDS.filter((name) => name !== "continuation").map((name) => state[name]).join("\n");
  const words = new Set(texts.match(/[A-Za-z_]\w*/g) ?? []);
  const gone = Object.keys(state.parameters).filter((name) => !words.has(name));
  for (const name of gone) {
    page.remembered[name] = state.parameters[name];
    delete state.parameters[name];
  }
  if (gone.length) showParameters();
}

let typing = 0;
function typed() {
  clearTimeout(typing);
  typing = setTimeout(() => { dropStale(); solve(); }, TYPING);
}

function moved(name, value, event) {
  // a slider is followed at once, a value that is being typed after a rest
  if (event) solve(event);
  else typed();
}

// ---- in

function receive(header, arrays) {
  if (header.kind === "gallery") {
    page.families = header.families;
    gallery.show(page.families);
    look();
    return;
  }
  if (header.kind === "compare") return comparison.receive(header);
  if (header.kind === "data" || header.kind === "infer") return data.receive(header, arrays);
  if (header.kind === "texts" || header.kind === "figure") return takeAway.receive(header, arrays);
  if (header.kind !== "solve") return;
  if (header.progress) return verdict.progress(header.progress);
  page.answered = Math.max(page.answered, header.id);
  for (const id of page.begun.keys()) if (id < header.id) page.begun.delete(id); // these were overtaken
  if (header.id < page.shown) return;
  page.shown = header.id;
  verdict.answered(page.answered >= page.sent);
  if (header.wrong || header.stopped) waiting();
  if (header.wrong) return complain(header.wrong);
  if (header.stopped) return verdict.stopped(header.stopped);
  complain(null);
  page.last = { header, arrays, state: page.state };
  if (header.id === page.sent) follow(header);
  plots.show(header.id, header, arrays);
  verdict.show(header);
  legend();
  describe(header);
}

/** Whether the picture is that of the statement: for readers that do not see it, and for whoever waits for it. */
function waiting() {
  get("main-plot").setAttribute("aria-busy", String(page.answered < page.sent));
}

/** When the curve is on the canvas: the time since the slider moved, for whoever measures. */
function drawn(id) {
  waiting();
  const begun = page.begun.get(id);
  if (begun === undefined) return;
  page.begun.delete(id);
  if (performance.getEntriesByName("slider to curve").length > 5000) performance.clearMeasures("slider to curve");
  performance.measure("slider to curve", { start: begun, end: performance.now() });
}

/** Parameters as the server found them in the texts: new names appear, those that occur no more go. */
function follow(header) {
  const { parameters } = page.state, fresh = [];
  const names = Object.keys(header.parameters);
  for (const name of Object.keys(parameters)) {
    if (!names.includes(name)) {
      page.remembered[name] = parameters[name];
      delete parameters[name];
    }
  }
  let again = false;
  for (const name of names) {
    if (name in parameters) continue;
    fresh.push(name);
    const [low, high] = range(header.parameters[name]);
    parameters[name] = page.remembered[name] ?? { value: header.parameters[name], low, high };
    again ||= parameters[name].value !== header.parameters[name];
  }
  if (fresh.length || sliders.rows.size !== names.length) showParameters(fresh);
  choose(get("derivative"), Array.from({ length: 1 + Math.min(...Object.values(header.orders)) }, (_, k) => [String(k), `${header.fields.length > 1 ? "fields" : header.fields[0]}${"'".repeat(k)}`]), String(header.derivative));
  get("axis-name").textContent = header.coordinate;
  data.fields(header.fields);
  if (again) solve();
}

/** One sentence at the field it belongs to; null where all is well. */
function complain(error) {
  for (const place of document.querySelectorAll("#statement .error, #general-error")) place.textContent = "";
  for (const field of document.querySelectorAll("#statement [aria-invalid]")) field.removeAttribute("aria-invalid");
  get("main-plot").classList.toggle("stale", Boolean(error));
  if (!error) return;
  const place = get(`${error.field}-error`) ?? get("general-error");
  place.textContent = error.sentence;
  for (const field of document.querySelectorAll(`[data-field="${CSS.escape(error.field)}"]`)) field.setAttribute("aria-invalid", "true");
  if (["exact", "unknown", "guess", "continuation"].includes(error.field)) get("more").open = true;
  verdict.refused();
}

// ---- the page and its state

/** This state from now on. */
function adopt(state, focus = true) {
  page.state = state;
  page.remembered = {};
  plots.zoom = null;
  for (const name of FIELDS) if (name !== "continuation") get(name).value = state[name];
  document.querySelector(`input[name="axis"][value="${state.axis === "xi" ? "xi" : "x"}"]`).checked = true;
  plots.axis = state.axis === "xi" ? "xi" : "x";
  get("more").open = Boolean(state.unknown || state.guess);
  showParameters();
  look();
  grow();
  complain(null);
  data.forget();
  comparison.clear();
  solve();
  remember();
  if (focus) sliders.first()?.focus({ preventScroll: true });
}

function showParameters(fresh = []) {
  const names = Object.keys(page.state.parameters);
  sliders.show(page.state.parameters, fresh);
  get("no-parameters").hidden = names.length > 0;
  choose(get("continuation"), [["", "as the solver sees fit"], ...names.map((name) => [name, name])], page.state.continuation);
  data.choices();
}

function choose(select, options, value) {
  const wanted = JSON.stringify(options);
  if (select.dataset.options !== wanted) {
    select.dataset.options = wanted;
    select.replaceChildren(...options.map(([key, words]) => new Option(words, key)));
  }
  select.value = value;
}

function look() {
  const family = page.families.find(({ name }) => name === page.state.family);
  const place = get("look");
  place.textContent = "";
  if (family) {
    const name = document.createElement("b");
    name.textContent = `${family.name.replaceAll("_", " ")}: `;
    place.append(name, family.look);
  } else if (!page.state.family) place.textContent = "Your own equation.";
  get("exact-note").textContent = family && !family.exact && !page.state.exact ? "This family knows its exact solution, which is no formula: it is drawn." : "";
}

for (const name of FIELDS) {
  get(name).addEventListener("input", () => {
    page.state[name] = get(name).value;
    if (!["tol", "guess", "continuation"].includes(name) && page.state.family) {
      // no longer the gallery's: its exact solution would be that of another problem
      const family = page.families.find((one) => one.name === page.state.family) ?? FIRST;
      if (name !== "exact" && page.state.exact === fromFamily(family).exact) get("exact").value = page.state.exact = "";
      page.state.family = null;
      look();
    }
    grow();
    typed();
  });
}
get("statement").addEventListener("submit", (event) => event.preventDefault());
get("equation").addEventListener("keydown", (event) => { if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) solve(); });

function grow() {
  for (const area of document.querySelectorAll("textarea")) area.rows = Math.min(10, Math.max(Number(area.id === "conditions") + 1, wrapped(area)));
}

const wrapped = (area) => area.value.split("\n").reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / 34)), 0);

for (const button of document.querySelectorAll('input[name="axis"]')) button.addEventListener("change", () => setAxis(button.value));

function setAxis(axis) {
  page.state.axis = axis;
  document.querySelector(`input[name="axis"][value="${axis}"]`).checked = true;
  plots.setAxis(axis);
  remember();
}

get("derivative").addEventListener("change", () => {
  page.state.derivative = Number(get("derivative").value);
  solve();
});

get("zoom-in").onclick = () => plots.zoomBy(0.4);
get("zoom-out").onclick = () => plots.zoomBy(2.5);
get("pan-left").onclick = () => plots.pan(-0.3);
get("pan-right").onclick = () => plots.pan(0.3);
get("zoom-reset").onclick = () => plots.setZoom(null);

function legend() {
  showLegend(get("legend"), plots, legend);
}

let describing = 0;
function describe(header) {
  clearTimeout(describing);
  describing = setTimeout(() => {
    const values = page.last.arrays[`u:${header.fields[0]}`];
    let low = Infinity, high = -Infinity;
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const gates = header.gates.length ? `; ${header.gates.map(({ words }) => words).join("; ")}` : "";
    get("main-plot").setAttribute("aria-label", `${header.fields.join(", ")} over ${header.coordinate} from ${header.ends[0]} to ${header.ends[1]}, ${header.fields[0]} between ${low.toPrecision(3)} and ${high.toPrecision(3)}${gates}`);
  }, 400);
}

// ---- the address keeps the state: a reload loses nothing

function link() {
  return `${location.origin}${location.pathname}#${toFragment(page.state)}`;
}

let keeping = 0;
function remember() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    history.replaceState(null, "", link());
    takeAway.changed();
  }, 400);
}

addEventListener("hashchange", () => {
  const linked = fromFragment(location.hash);
  if (linked) adopt(linked, false);
});

// ---- the rest

function connected(state, words) {
  const place = get("connection");
  place.hidden = state === "open";
  place.textContent = words;
  document.body.dataset.connection = state;
  if (state === "open") {
    page.answered = page.sent;
    solve();
    if (!page.families.length) connection.send("gallery");
  } else verdict.answered(true);
}

for (const [button, dialog] of [["open-gallery", "gallery"], ["open-help", "help"]]) get(button).onclick = () => get(dialog).showModal();
get("theme").value = window.chosenTheme();
get("theme").onchange = () => { window.setTheme(get("theme").value); plots.repaint(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plots.repaint());
tabs(get("tablist"), (name) => { plots.resize(); if (name === "take") takeAway.opened(); });
listen({
  x: () => setAxis(page.state.axis === "x" ? "xi" : "x"), "+": () => plots.zoomBy(0.4), "-": () => plots.zoomBy(2.5), "[": () => plots.pan(-0.3), "]": () => plots.pan(0.3),
  0: () => plots.setZoom(null), g: () => get("gallery").showModal(), e: () => get("equation").focus(), p: () => sliders.first()?.focus(), s: stop, "?": () => get("help").showModal(),
});

adopt(fromFragment(location.hash) ?? fromFamily(FIRST));
