// Other solvers on the same problem, on demand.
import { duration, small } from "./verdict.js";

const get = (id) => document.getElementById(id);

export class Comparison {
  constructor(asking) {
    this.id = null;
    get("run-compare").onclick = () => {
      this.clear();
      this.id = asking.ask("compare");
      this.busy(this.id !== null);
    };
    get("stop-compare").onclick = () => asking.stop("compare");
  }

  clear() {
    get("compare-error").textContent = get("compare-words").textContent = "";
    get("compare-result").replaceChildren();
    this.busy(false);
    this.id = null;
  }

  busy(on) {
    get("run-compare").disabled = on;
    get("stop-compare").hidden = get("compare-bar").hidden = !on;
  }

  receive(header) {
    if (header.id !== this.id) return;
    if (header.progress) {
      get("compare-bar").value = header.progress.share;
      get("compare-words").textContent = `${header.progress.running} …`;
      return;
    }
    this.busy(false);
    get("compare-words").textContent = header.stopped ?? "";
    if (header.wrong) get("compare-error").textContent = header.wrong.sentence;
    if (header.lines) this.show(header);
  }

  show({ lines, reference, tol }) {
    const table = document.createElement("table");
    const head = table.createTHead().insertRow();
    for (const [words, kind] of [["method", ""], ["error", "number"], ["neurons or nodes", "number"], ["time", "number"], ["", ""]]) {
      const cell = document.createElement("th");
      cell.scope = "col";
      cell.className = kind;
      cell.textContent = words;
      head.append(cell);
    }
    const body = table.createTBody();
    lines.forEach((line, index) => {
      const row = body.insertRow();
      row.className = index ? "" : "ours";
      const name = document.createElement("th");
      name.scope = "row";
      name.textContent = line.method;
      row.append(name);
      for (const text of [small(line.error), line.neurons ?? "–", line.seconds === null ? "–" : duration(line.seconds)]) {
        const cell = row.insertCell();
        cell.className = "number";
        cell.textContent = text;
      }
      row.insertCell().textContent = line.note;
    });
    const note = document.createElement("p");
    note.className = "note";
    note.textContent = `Error: the largest, relative to max(1, max|u|), against ${reference}; tolerance ${small(tol)} for the solvers that take one.`;
    get("compare-result").replaceChildren(table, note);
  }
}
