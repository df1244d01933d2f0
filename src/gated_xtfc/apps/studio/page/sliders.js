// One row a parameter: its value, a slider (in decades where its range is positive), and the ends of the slider.
import { number, range } from "./state.js";

const STEPS = 1000;

export class Sliders {
  /** `change(name, value, event)` is called as a value moves, `reshape()` when only a range has changed. */
  constructor(place, change, reshape) {
    this.place = place;
    this.change = change;
    this.reshape = reshape;
    this.rows = new Map();
  }

  /** Rows for these parameters, in this order; a row that is there already keeps its focus. */
  show(parameters, fresh = []) {
    for (const [name, row] of this.rows) {
      if (!(name in parameters)) {
        row.element.remove();
        this.rows.delete(name);
      }
    }
    Object.entries(parameters).forEach(([name, parameter], index) => {
      const row = this.rows.get(name) ?? this.make(name);
      if (this.place.children[index] !== row.element) this.place.insertBefore(row.element, this.place.children[index] ?? null);
      row.parameter = parameter;
      row.note.textContent = fresh.includes(name) ? " new" : "";
      this.refresh(row);
    });
  }

  first() {
    return this.rows.values().next().value?.slider ?? null;
  }

  make(name) {
    const element = document.createElement("div");
    element.className = "parameter";
    element.innerHTML = `
      <label><span class="name"></span><span class="new"></span></label><input class="code value">
      <input type="range" class="slider" min="0" max="${STEPS}" step="1">
      <div class="ends"><input class="code"><span></span><input class="code"></div>
      <p class="error" role="alert"></p>`;
    const [value, slider, low, high] = element.querySelectorAll("input");
    const [label, note, kind] = element.querySelectorAll("span");
    const error = element.querySelector(".error");
    const row = { name, element, value, slider, low, high, note, kind, error, parameter: null };
    label.textContent = name;
    value.id = `value-${name}`;
    error.id = `parameter:${name}-error`;
    element.querySelector("label").htmlFor = value.id;
    value.dataset.field = slider.dataset.field = `parameter:${name}`;
    value.setAttribute("aria-describedby", error.id);
    slider.setAttribute("aria-label", name);
    low.setAttribute("aria-label", `left end of the slider of ${name}`);
    high.setAttribute("aria-label", `right end of the slider of ${name}`);
    slider.addEventListener("input", (event) => {
      row.parameter.value = at(row.parameter, slider.value / STEPS);
      this.refresh(row, slider);
      this.change(name, row.parameter.value, event);
    });
    value.addEventListener("input", () => {
      row.parameter.value = number(value.value);
      widen(row.parameter);
      this.refresh(row, value);
      this.change(name, row.parameter.value, null);
    });
    for (const [end, key] of [[low, "low"], [high, "high"]]) {
      end.addEventListener("change", () => {
        const given = number(end.value);
        const other = key === "low" ? row.parameter.high : row.parameter.low;
        if (typeof given === "number" && (key === "low" ? given < other : given > other)) row.parameter[key] = given;
        this.refresh(row);
        this.reshape();
      });
    }
    this.rows.set(name, row);
    return row;
  }

  /** `except` is being typed or dragged in: it is left as it is. */
  refresh(row, except = null) {
    const { parameter, slider, value, low, high } = row;
    if (value !== except) value.value = shown(parameter.value);
    if (slider !== except) slider.value = Math.round(STEPS * share(parameter));
    low.value = shown(parameter.low);
    high.value = shown(parameter.high);
    row.kind.textContent = decades(parameter) ? "log" : "linear";
    slider.setAttribute("aria-valuetext", `${row.name} = ${shown(parameter.value)}`);
  }
}

const decades = ({ low, high }) => low > 0 && high > low;

function at(parameter, share) {
  const { low, high } = parameter;
  if (share <= 0) return low;
  if (share >= 1) return high;
  // three digits: what a hand can mean
  return Number((decades(parameter) ? low * (high / low) ** share : low + (high - low) * share).toPrecision(3));
}

function share(parameter) {
  const { value, low, high } = parameter;
  if (typeof value !== "number") return 0.5;
  const found = decades(parameter) ? Math.log(Math.max(value, 1e-300) / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(Math.max(found, 0), 1);
}

/** A value typed beyond the ends takes them along. */
function widen(parameter) {
  const { value } = parameter;
  if (typeof value !== "number") return;
  if (decades(parameter) && value <= 0) [parameter.low, parameter.high] = range(value);
  parameter.low = Math.min(parameter.low, value);
  parameter.high = Math.max(parameter.high, value);
}

export function shown(value) {
  if (typeof value !== "number") return value;
  const plain = String(Number(value.toPrecision(6)));
  return Math.abs(value) < 1e-3 && value !== 0 ? Number(value.toPrecision(6)).toExponential().replace("e+", "e") : plain;
}
