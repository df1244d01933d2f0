// Functions from files: a CSV of two columns under a name that the equation may call.
import { parsed } from "./data.js";

const get = (id) => document.getElementById(id);

export class Tables {
  /** `changed()` is called when there is another set of tables, or one has another name or kind. */
  constructor(state, changed) {
    Object.assign(this, { state, changed });
    get("table-file").onchange = () => this.read(get("table-file").files[0]);
  }

  async read(file) {
    if (!file) return;
    get("table-file").value = "";
    get("tables-error").textContent = "";
    try {
      const { x, y } = parsed(await file.text()), { tables, equation } = this.state();
      const called = [...equation.matchAll(/\b([A-Za-z]\w*)\s*\(/g)].map(([, name]) => name);
      const own = file.name.replace(/\..*$/, "").replace(/\W+/g, "_").replace(/^\d+/, "");
      // the name that the equation already calls, where there is one without a table
      const name = [own, ...["f", "g", "k"].filter((one) => called.includes(one)), "f", "g", "h"].find((one) => one && (called.includes(one) || one !== own) && !(one in tables)) ?? own;
      tables[name] = { x, y, kind: "linear" };
      this.show();
      this.changed();
    } catch (error) {
      get("tables-error").textContent = error.message;
    }
  }

  show() {
    const { tables } = this.state();
    get("tables").replaceChildren(...Object.entries(tables).map(([name, table]) => {
      const item = document.createElement("li"), field = document.createElement("input"), kind = document.createElement("select"), drop = document.createElement("button");
      field.className = "code";
      field.value = name;
      field.setAttribute("aria-label", `name of the table ${name}`);
      field.onchange = () => {
        const { [name]: kept, ...others } = tables;
        this.state().tables = { ...others, [field.value.trim() || name]: kept };
        this.show();
        this.changed();
      };
      kind.append(new Option("straight lines", "linear"), new Option("a spline", "spline"));
      kind.value = table.kind;
      kind.setAttribute("aria-label", `how the values of ${name} are joined`);
      kind.onchange = () => { table.kind = kind.value; this.changed(); };
      drop.type = "button";
      drop.textContent = "Remove";
      drop.onclick = () => { delete tables[name]; this.show(); this.changed(); };
      item.append(field, `${table.x.length} values, by`, kind, drop);
      return item;
    }));
  }
}
