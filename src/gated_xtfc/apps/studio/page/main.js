// Wires the page together: what is typed or dragged goes out, what comes back is drawn.
import { Comparison } from "./compare.js";
import { Connection } from "./connection.js";
import { Data } from "./data.js";
import { Diagram } from "./diagram.js";
import { Film } from "./film.js";
import { Gallery } from "./gallery.js";
import { showLegend } from "./legend.js";
import { listen } from "./keys.js";
import { Plots } from "./plots.js";
import { Sliders } from "./sliders.js";
import { SpectrumList } from "./spectrum.js";
import { fromFamily, fromFragment, range, statement, toFragment, wanted } from "./state.js";
import { Surface } from "./surface.js";
import { Tables } from "./tables.js";
import { TakeAway } from "./takeaway.js";
import { Verdict } from "./verdict.js";
import { tabs } from "./tabs.js";

const get = (id) => document.getElementById(id);
const FIELDS = ["equation", "left", "coordinate", "right", "left2", "coordinate2", "right2", "conditions", "tol", "exact", "unknown", "guess", "continuation", "count", "near", "along", "first", "last", "show"];
const CHOSEN = ["continuation", "along"]; // from lists that the page makes
const OPTIONS = ["tol", "guess", "continuation", "count", "near", "along", "first", "last", "show"]; // not of the problem
const LIVE = ["solve", "eigen", "branch"];
const EIGENVALUES = ["lam", "lambda", "λ", "E", "sigma", "omega", "mu", "k2"]; // what they are called
const TYPING = 220; // milliseconds of rest after which what is typed is solved
// what a visitor sees first, before even the gallery is there
const FIRST = {
  name: "convection_diffusion", equations: ["u' - nu*u'' = 0"], domain: { x: [0, 1] }, conditions: ["u(0) = 0", "u(1) = 1"], unknown: [],
  parameters: { nu: 1e-2 }, ranges: { nu: [1e-8, 1] }, exact: "(exp((x-1)/nu) - exp(-1/nu))/(1 - exp(-1/nu))",
};

const page = { state: null, families: [], remembered: {}, sent: 0, answered: 0, shown: 0, begun: new Map(), last: null };

const verdict = new Verdict(() => stop(), (gate) => picture().zoomTo(gate));
const readout = (words) => { get("readout").textContent = words; };
const plots = new Plots(
  { main: get("main-plot"), width: get("width-plot"), residual: get("residual-plot"), error: get("error-plot") },
  drawn, readout, () => zoomed(),
);
const surface = new Surface({ main: get("surface-plot"), cut0: get("cut-x"), cut1: get("cut-y") }, drawn, readout, () => zoomed());
/** One curve of many: a time, a mode, a point of a branch. */
const frame = (id, header, arrays) => { plots.show(id, header, arrays); verdict.gates(header.gates); legend(); };
const film = new Film(frame, (share) => { page.state.time = share; remember(); });
const spectrum = new SpectrumList(frame, (number) => { page.state.mode = number; remember(); });
const diagram = new Diagram(frame);
const sliders = new Sliders(get("parameters"), moved, () => remember());
const connection = new Connection(receive, connected);
const asking = { ask: (kind, more) => connection.send(kind, { statement: statement(page.state), tol: page.state.tol, ...wanted(page.state), ...more }), stop: (what) => connection.send("stop", { what }) };
const comparison = new Comparison(asking);
const data = new Data(asking, plots, () => page.state, (points) => { page.state.data = points; legend(); remember(); });
const takeAway = new TakeAway(asking, () => page.state, () => (surface.view ? surface.view : plots.view && { header: plots.view.header, arrays: plots.view }), link);
const tables = new Tables(() => page.state, () => { page.state.family = null; look(); solve(); });
const gallery = new Gallery((family) => adopt(fromFamily(family)));

// ---- out

function solve(event = null) {
  if (!page.state) return;
  const { verb } = page.state;
  if (verb === "branch" && !page.state.along) chooseAlong();
  const id = asking.ask(verb, { derivative: page.state.derivative });
  if (id === null) return;
  if (page.verb && page.verb !== verb) connection.send("stop", { what: page.verb });
  page.verb = verb;
  if (verb === "branch") beginBranch(id);
  page.sent = id;
  waiting();
  if (event) page.begun.set(id, event.timeStamp);
  verdict.waiting(id, () => page.answered < page.sent);
  remember();
}

function stop() {
  connection.send("stop", { what: page.state.verb });
}

/** The diagram begins anew, with what the page knows of it so far. */
function beginBranch(id) {
  const { along, first, last, show, coordinate } = page.state, ends = [Number(first), Number(last)].sort((a, b) => a - b);
  diagram.begin(id, { along, show: show.trim() || "integral of the square", range: ends.every(Number.isFinite) && ends[0] < ends[1] ? ends : [0, 1], coordinate, fields: [] });
}

function chooseAlong() {
  const [name, parameter] = Object.entries(page.state.parameters)[0] ?? [];
  if (!name) return;
  page.state.along = name;
  [page.state.first, page.state.last] = [String(parameter.low), String(parameter.high)];
  showParameters();
  for (const end of ["first", "last"]) get(end).value = page.state[end];
}

/** Sliders of names that stand in no text any more go at once, whether the rest can be read or not. */
function dropStale() {
  const { state } = page, texts = FIELDS.filter((name) => !CHOSEN.includes(name)).map((name) => state[name]).join("\n");
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
  if (page.state.verb === "branch" && name === page.state.along) return; // the branch has all its values
  if (event) solve(event);
  else typed();
}

// ---- in

function receive(header, arrays) {
  if (header.kind === "gallery") {
    page.families = header.families;
    gallery.show(page.families);
    const named = page.families.find(({ name }) => name === page.named);
    page.named = null;
    if (named) adopt(fromFamily(named));
    else look();
    return;
  }
  if (header.kind === "compare") return comparison.receive(header);
  if (header.kind === "data" || header.kind === "infer") return data.receive(header, arrays);
  if (header.kind === "texts" || header.kind === "figure") return takeAway.receive(header, arrays);
  if (!LIVE.includes(header.kind)) return;
  if (header.progress?.point) {
    if (header.id === page.sent) grown(header.progress.point);
    return;
  }
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
  arrange(header.view);
  if (header.id === page.sent) follow(header);
  verdict.show(header);
  draw(header, arrays);
  legend();
  describe(header);
}

function draw(header, arrays) {
  if (header.view === "plane") surface.show(header.id, header, arrays);
  else if (header.view === "evolution") film.show(header.id, header, arrays, page.state.time);
  else if (header.view === "spectrum") spectrum.show(header.id, header, arrays, page.state.mode);
  else if (header.view === "branch") diagram.show(header.id, header, arrays);
  else plots.show(header.id, header, arrays);
}

/** A point of a branch that is still growing. */
function grown(point) {
  arrange("branch");
  if (!diagram.about.fields.length) diagram.about.fields = Object.keys(point.fields);
  diagram.add(point);
  verdict.progress({ neurons: null, words: `${diagram.points.length} points, ${diagram.about.along} = ${Number(point.parameter.toPrecision(4))}` });
}

/** Only what belongs to this kind of picture is on the page. */
function arrange(view) {
  const stage = get("stage");
  if (stage.dataset.view === view) return;
  stage.dataset.view = view;
  for (const one of document.querySelectorAll("[data-views]")) {
    one.hidden = !one.dataset.views.split(" ").includes(view);
    if (one.hidden && one.getAttribute("aria-selected") === "true") get("tab-accuracy").click();
  }
  for (const [name, own] of [["plane", surface], ["evolution", film], ["spectrum", spectrum], ["branch", diagram]]) if (name !== view) own.hide();
  // a zoom belongs to its picture, but for one that a link brought
  if (page.settled) plots.zoom = surface.zoom = null;
  page.settled = true;
}

const picture = () => (get("stage").dataset.view === "plane" ? surface : plots);

function zoomed() {
  page.state.zoom = picture().zoom;
  remember();
}

/** Whether the picture is that of the statement: for readers that do not see it, and for whoever waits for it. */
function waiting() {
  for (const name of ["main-plot", "surface-plot"]) get(name).setAttribute("aria-busy", String(page.answered < page.sent));
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
  if (header.view === "plane") choose(get("derivative"), header.choices.map((words, k) => [String(k), words]), String(header.derivative));
  else if (header.view === "evolution") choose(get("derivative"), header.fields.map((name, k) => [String(k), name]), String(film.field));
  else if (header.view === "interval") choose(get("derivative"), Array.from({ length: 1 + Math.min(...Object.values(header.orders)) }, (_, k) => [String(k), `${header.fields.length > 1 ? "fields" : header.fields[0]}${"'".repeat(k)}`]), String(header.derivative));
  get("axis-name").textContent = header.coordinates?.join(", ") ?? header.coordinate;
  data.fields(header.fields);
  if (again) solve();
}

/** One sentence at the field it belongs to; null where all is well. */
function complain(error) {
  for (const place of document.querySelectorAll("#statement .error, #general-error")) place.textContent = "";
  for (const field of document.querySelectorAll("#statement [aria-invalid]")) field.removeAttribute("aria-invalid");
  get("stage").classList.toggle("stale", Boolean(error));
  if (!error) return;
  const place = get(`${error.field}-error`) ?? get("general-error");
  place.textContent = error.sentence;
  for (const field of document.querySelectorAll(`[data-field="${CSS.escape(error.field)}"]`)) field.setAttribute("aria-invalid", "true");
  if (["exact", "unknown", "guess", "continuation", "tables"].includes(error.field)) get("more").open = true;
  verdict.refused();
}

// ---- the page and its state

/** This state from now on. */
function adopt(state, focus = true) {
  page.state = state;
  page.remembered = {};
  page.settled = !state.zoom;
  // two numbers are a piece of one axis, two pairs one of a rectangle
  plots.zoom = Array.isArray(state.zoom?.[0]) ? null : state.zoom;
  surface.zoom = Array.isArray(state.zoom?.[0]) ? state.zoom : null;
  surface.point = null;
  film.hide();
  for (const name of FIELDS) if (!CHOSEN.includes(name)) get(name).value = state[name];
  get("verb").value = state.verb;
  tables.show();
  verbs();
  document.querySelector(`input[name="axis"][value="${state.axis === "xi" ? "xi" : "x"}"]`).checked = true;
  plots.axis = surface.axis = state.axis === "xi" ? "xi" : "x";
  get("more").open = Boolean((state.unknown && state.verb === "solve") || state.guess || Object.keys(state.tables).length);
  showParameters();
  look();
  grow();
  complain(null);
  data.adopt(state.data);
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
  choose(get("along"), [["", "choose"], ...names.map((name) => [name, name])], page.state.along);
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
  get("exact-note").textContent = family?.known && !family.exact && !page.state.exact ? "This family knows its exact solution, which is no formula: it is drawn." : "";
}

for (const name of FIELDS) {
  get(name).addEventListener("input", () => {
    page.state[name] = get(name).value;
    if (!OPTIONS.includes(name) && page.state.family) {
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
/** What belongs to the verb, and a name for the eigenvalue where one is to be seen. */
function verbs() {
  const { state } = page;
  get("eigen-options").hidden = state.verb !== "eigen";
  get("branch-options").hidden = state.verb !== "branch";
  if (state.verb === "eigen" && !state.unknown.trim()) {
    const words = state.equation.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];
    get("unknown").value = state.unknown = EIGENVALUES.find((name) => words.includes(name)) ?? "";
    delete state.parameters[state.unknown];
    showParameters();
  }
  const two = Boolean(state.coordinate2.trim()) || get("second").dataset.asked === "yes";
  get("second").hidden = !two;
  get("add-second").textContent = two ? "leave the second coordinate out" : "add a second coordinate: y, or the time t";
}

get("verb").addEventListener("change", () => {
  page.state.verb = get("verb").value;
  if (page.state.verb === "branch" && !page.state.along) chooseAlong();
  verbs();
  solve();
});
get("along").addEventListener("change", () => {
  const parameter = page.state.parameters[get("along").value];
  if (parameter) for (const [end, key] of [["first", "low"], ["last", "high"]]) get(end).value = page.state[end] = String(parameter[key]);
});
get("add-second").onclick = () => {
  const { state } = page, place = get("second"), on = place.hidden;
  place.dataset.asked = on ? "yes" : "";
  if (!on) get("coordinate2").value = state.coordinate2 = "";
  else get("coordinate2").value = state.coordinate2 = /\w_t\b|d\/dt/.test(state.equation) ? "t" : "y";
  verbs();
  if (on) get("coordinate2").focus();
  typed();
};
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
  surface.setAxis(axis);
  remember();
}

get("derivative").addEventListener("change", () => {
  const number = Number(get("derivative").value);
  if (film.view) {
    film.field = number;
    film.show(film.view.id, film.view.header, film.view.arrays);
    return;
  }
  page.state.derivative = number;
  solve();
});

get("zoom-in").onclick = () => picture().zoomBy(0.4);
get("zoom-out").onclick = () => picture().zoomBy(2.5);
get("pan-left").onclick = () => picture().pan(-0.3);
get("pan-right").onclick = () => picture().pan(0.3);
get("zoom-reset").onclick = () => picture().setZoom(null);

function legend() {
  get("legend").hidden = get("stage").dataset.view === "plane";
  showLegend(get("legend"), plots, legend);
}

let describing = 0;
function describe(header) {
  clearTimeout(describing);
  describing = setTimeout(() => {
    if (header.view === "plane") {
      const [name, [low, high]] = [header.choices[header.derivative], header.range], [x, y] = header.coordinates;
      get("surface-plot").setAttribute("aria-label", `${name} over ${x} and ${y}, between ${low.toPrecision(3)} and ${high.toPrecision(3)}; ${header.gates.map(({ words }) => words).join("; ")}`);
      return;
    }
    const values = plots.view?.[`u:${plots.view.header.fields[0]}`] ?? [];
    let low = Infinity, high = -Infinity;
    for (const value of values) [low, high] = [Math.min(low, value), Math.max(high, value)];
    const gates = header.gates.length ? `; ${header.gates.map(({ words }) => words).join("; ")}` : "";
    get("main-plot").setAttribute("aria-label", `${header.fields.join(", ")} over ${header.coordinate} from ${header.ends[0]} to ${header.ends[1]}, ${header.fields[0]} between ${low.toPrecision(3)} and ${high.toPrecision(3)}${gates}`);
  }, 400);
}

// ---- the address keeps the state: a reload loses nothing

function link() {
  return `${location.origin}${location.pathname}#${toFragment(page.state)}`; // the fragment: no server sees it, and it may be long
}

let keeping = 0;
function remember() {
  clearTimeout(keeping);
  keeping = setTimeout(() => {
    if (!page.named) history.replaceState(null, "", link());
    takeAway.changed();
  }, 400);
}

/** `?problem=` names a family, or holds a state as the fragment does: from there on the fragment keeps it. */
function asked() {
  const given = new URLSearchParams(location.search).get("problem");
  if (!given || location.hash) return null;
  return fromFragment(given) ?? { family: given };
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
const repaint = () => { for (const one of [plots, surface, film, diagram]) one.repaint(); };
get("theme").onchange = () => { window.setTheme(get("theme").value); repaint(); };
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
tabs(get("tablist"), (name) => { plots.resize(); surface.resize(); film.resize(); if (name === "take") takeAway.opened(); });
listen({
  x: () => setAxis(page.state.axis === "x" ? "xi" : "x"), "+": () => picture().zoomBy(0.4), "-": () => picture().zoomBy(2.5), "[": () => picture().pan(-0.3), "]": () => picture().pan(0.3),
  t: () => film.view && get("play").click(), n: () => step(1), b: () => step(-1),
  0: () => picture().setZoom(null), g: () => get("gallery").showModal(), e: () => get("equation").focus(), p: () => sliders.first()?.focus(), s: stop, "?": () => get("help").showModal(),
});

/** The next mode, or the next point of a branch. */
function step(by) {
  if (spectrum.view) {
    const count = spectrum.view.header.values.length;
    spectrum.choose((spectrum.number + by + count) % count);
    page.state.mode = spectrum.number;
  } else diagram.step(by);
}

const given = asked();
page.named = given && !given.equation ? given.family : null;
adopt(fromFragment(location.hash) ?? (given?.equation ? given : fromFamily(FIRST)));
