// Eigenvalues as a list; the one that is chosen has its mode in the picture.
const get = (id) => document.getElementById(id);

export class SpectrumList {
  /** `frame(id, header, arrays)` draws a mode, `chosen(number)` is told which one it is. */
  constructor(frame, chosen) {
    Object.assign(this, { frame, chosen, view: null, number: 0 });
  }

  show(id, header, arrays, number) {
    this.view = { id, header, arrays };
    this.number = Math.min(number ?? this.number, Math.max(header.values.length - 1, 0));
    const place = get("eigenvalues");
    if (place.children.length !== header.values.length) {
      place.replaceChildren(...header.values.map((_, k) => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        button.append(...["number", "value", "error"].map((name) => Object.assign(document.createElement("span"), { className: name })));
        button.onclick = () => { this.choose(k); this.chosen(k); };
        item.append(button);
        return item;
      }));
    }
    [...place.querySelectorAll("button")].forEach((button, k) => {
      const [number_, value, error] = button.children, times = header.multiplicities[k];
      number_.textContent = `${k + 1}`;
      value.textContent = header.words[k];
      error.textContent = `± ${header.errors[k].toExponential(0).replace("e+", "e")}${times > 1 ? `, ${times} times` : ""}`;
    });
    get("eigen-name").textContent = header.eigenvalue;
    if (header.values.length) this.choose(this.number);
  }

  hide() {
    this.view = null;
  }

  choose(number) {
    const { id, header, arrays } = this.view;
    this.number = number;
    [...get("eigenvalues").querySelectorAll("button")].forEach((button, k) => button.setAttribute("aria-pressed", String(k === number)));
    const shown = { x: arrays.x, xi: arrays.xi }, fields = [];
    for (const name of header.fields) {
      const own = `mode:${name}_${number + 1}`, complex = `${own}_imaginary` in arrays;
      for (const [key, label] of complex ? [[own, `Re ${name}`], [`${own}_imaginary`, `Im ${name}`]] : [[own, name]]) {
        fields.push(label);
        shown[`u:${label}`] = arrays[key];
      }
    }
    this.frame(id, { ...header, fields, error: header.tol, scale: 1 }, shown);
  }
}
