// What is on the page: texts as typed, parameters with their ranges, the view. And the same as a statement, and as a link.
const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);
const NAMED = /^\s*([\p{L}_][\p{L}\p{N}_]*)\s*=(?!=)(.*)$/u;

export const number = (text) => {
  const value = typeof text === "number" ? text : text.trim() === "" ? NaN : Number(text);
  return Number.isFinite(value) ? value : text;
};

/** "u = x" on lines of their own is a table by field, anything else one text. */
function byField(text) {
  const parts = lines(text).map((line) => NAMED.exec(line));
  if (parts.length && parts.every(Boolean)) return Object.fromEntries(parts.map(([, name, rest]) => [name, rest.trim()]));
  return text.trim();
}

const unfolded = (value) =>
  !value ? "" : typeof value === "string" ? value : Object.entries(value).map(([name, text]) => `${name} = ${text}`).join("\n");

export function initial() {
  return {
    family: null, verb: "solve", equation: "", coordinate: "x", left: "0", right: "1", coordinate2: "", left2: "0", right2: "1", conditions: "", unknown: "",
    exact: "", guess: "", continuation: "", tol: "1e-8", parameters: {}, axis: "x", derivative: 0, zoom: null, data: null, tables: {}, time: 1, mode: 0,
    count: "6", near: "", along: "", first: "", last: "", show: "",
  };
}

/** The statement that the server takes: keys and values as in a problem file. */
export function statement(state) {
  const stated = {
    equations: lines(state.equation),
    domain: domainOf(state),
    conditions: lines(state.conditions),
    parameters: Object.fromEntries(Object.entries(state.parameters).map(([name, { value }]) => [name, value])),
  };
  if (state.unknown.trim()) stated.unknown = state.unknown.split(/[\s,]+/).filter(Boolean);
  if (state.exact.trim()) stated.exact = byField(state.exact);
  if (state.guess.trim()) stated.guess = byField(state.guess);
  if (state.continuation) stated.continuation = state.continuation;
  if (Object.keys(state.tables).length) stated.tables = state.tables;
  if (state.family) stated.family = state.family;
  return stated;
}

/** What is asked for beyond the problem: eigenvalues, or a branch. */
export function wanted({ verb, count, near, along, first, last, show }) {
  if (verb === "eigen") return { verb, count, near };
  return verb === "branch" ? { verb, along, first, last, show } : { verb };
}

function domainOf(state) {
  const domain = { [state.coordinate.trim()]: [number(state.left), number(state.right)] };
  if (state.coordinate2.trim()) domain[state.coordinate2.trim()] = [number(state.left2), number(state.right2)];
  return domain;
}

/** The state that shows a family of the gallery. */
export function fromFamily(family) {
  const [[coordinate, [left, right]], second] = Object.entries(family.domain);
  const [coordinate2, [left2, right2]] = second ?? ["", ["0", "1"]];
  const parameters = {};
  for (const [name, value] of Object.entries(family.parameters)) {
    const [low, high] = family.ranges[name] ?? range(value);
    parameters[name] = { value, low, high };
  }
  return {
    ...initial(), ...(family.more ?? {}), family: family.name, equation: family.equations.join("\n"), coordinate, left: String(left), right: String(right),
    coordinate2, left2: String(left2), right2: String(right2), tol: family.tol ?? "1e-8", guess: unfolded(family.guess), conditions: family.conditions.join("\n"), unknown: family.unknown.join(", "), exact: unfolded(family.exact), parameters,
  };
}

/** Ends for a slider around a value: decades for a positive one. */
export function range(value) {
  if (typeof value !== "number" || value === 0) return [-1, 1];
  if (value < 0) return [2 * value, -2 * value];
  const decade = 10 ** Math.floor(Math.log10(value));
  if (value === 1) return [1e-2, 1e2];
  return value > 1 ? [decade / 10, decade * 100] : [decade * 1e-6, Math.max(1, decade * 10)];
}

const numbers = (list) => Array.isArray(list) && list.length > 0 && list.every(Number.isFinite);

/** In the fragment of the address, which no browser sends anywhere. */
export function toFragment(state) {
  const bytes = new TextEncoder().encode(JSON.stringify({ studio: 1, ...state }));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a link; null where it holds none that can be read. Whatever is not of the right kind is left out. */
export function fromFragment(fragment) {
  try {
    const text = atob(fragment.replace(/^#/, "").replaceAll("-", "+").replaceAll("_", "/"));
    const found = JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))));
    if (found.studio !== 1) return null;
    const state = initial();
    for (const key of Object.keys(state)) {
      if (!["parameters", "zoom", "data", "tables"].includes(key) && (typeof found[key] === typeof state[key] || key === "family")) state[key] = found[key];
    }
    if (numbers(found.zoom) || (Array.isArray(found.zoom) && found.zoom.length === 2 && found.zoom.every(numbers))) state.zoom = found.zoom;
    const { x, y, field } = found.data ?? {};
    if (numbers(x) && numbers(y) && x.length === y.length) state.data = { x, y, field: String(field ?? "") };
    for (const [name, table] of Object.entries(found.tables ?? {})) {
      if (numbers(table?.x) && numbers(table?.y)) state.tables[String(name)] = { x: table.x, y: table.y, kind: table.kind === "spline" ? "spline" : "linear" };
    }
    for (const [name, { value, low, high }] of Object.entries(found.parameters ?? {})) {
      const [first, last] = range(Number(value));
      state.parameters[String(name)] = { value: number(String(value)), low: Number(low ?? first), high: Number(high ?? last) };
    }
    return state;
  } catch {
    return null;
  }
}
