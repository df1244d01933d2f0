// What came of it, in words and figures; and while it takes long, that it does.
const get = (id) => document.getElementById(id);
const PATIENCE = 350; // milliseconds in which nothing needs to be said
const SPOKEN = 900; // of rest before a screen reader is told

export const small = (value) => (value === null || value === undefined ? "–" : value === 0 ? "0" : value >= 0.01 && value < 1000 ? String(Number(value.toPrecision(2))) : value.toExponential(1).replace("e+", "e"));
export const duration = (seconds) =>
  seconds === null ? "–" : seconds < 0.0995 ? `${(1000 * seconds).toPrecision(2)} ms` : seconds < 1 ? `${Math.round(1000 * seconds)} ms` : `${seconds.toPrecision(2)} s`;

export class Verdict {
  constructor(stop, zoomTo) {
    this.zoomTo = zoomTo;
    this.since = null;
    get("stop").onclick = stop;
  }

  /** A solve is on its way: after a while the page says so, for as long as `still` holds. */
  waiting(id, still) {
    if (this.since !== null) return;
    this.since = performance.now();
    this.detail = "";
    this.timer = setInterval(() => {
      const elapsed = performance.now() - this.since;
      if (!still()) return this.answered(true);
      if (elapsed < PATIENCE) return;
      get("busy").hidden = false;
      // until it is there, the picture is that of another problem
      get("stage").classList.add("stale");
      get("status").textContent = "solving";
      get("status").className = "status";
      get("message").textContent = "The picture is the last one that was finished.";
      get("busy-words").textContent = `solving, ${(elapsed / 1000).toFixed(1)} s${this.detail}`;
    }, 100);
  }

  progress({ neurons, error, value, parameter, words }) {
    if (words) {
      this.detail = `: ${words}`;
      return;
    }
    const followed = value === null ? "" : `${parameter} = ${Number(value.toPrecision(3))}, `;
    this.detail = `: ${followed}${neurons} neurons, error ${small(error)}`;
  }

  answered(all) {
    if (!all) {
      this.since = performance.now();
      return;
    }
    clearInterval(this.timer);
    this.since = null;
    get("busy").hidden = true;
  }

  show(header) {
    const good = header.status === "converged";
    const status = get("status");
    status.textContent = header.status;
    status.className = `status ${good ? "good" : header.error === null ? "bad" : ""}`;
    get("message").textContent = sentence(header.message);
    const kinds = (name) => header.points?.filter(({ kind }) => kind === name).length;
    const figures = [
      [header.points || header.values ? "largest error estimate" : "error estimate", small(header.error)],
      ...(header.true_error == null ? [] : [["true error", small(header.true_error)]]),
      ["neurons", header.neurons],
      ...(header.points ? [["points", header.points.length], ["folds", kinds("fold")], ["branch points", kinds("branch point")]] : header.steps ? [["steps", header.steps]] : [[header.rounds === 1 ? "round" : "rounds", header.rounds]]),
      ["solve", duration(header.seconds)],
      ...Object.entries(header.constants).map(([name, value]) => [name, Number(value.toPrecision(8))]),
      ...(header.continuation ? [["followed", header.continuation]] : []),
    ];
    const place = get("figures"), shown = [...place.querySelectorAll("dd")];
    if (shown.map(({ dataset }) => dataset.figure).join() === figures.map(([name]) => name).join()) {
      shown.forEach((figure, k) => { figure.textContent = figures[k][1]; });
    } else {
      place.replaceChildren(...figures.map(([name, value]) => {
        const group = document.createElement("div"), term = document.createElement("dt"), figure = document.createElement("dd");
        term.textContent = name;
        figure.textContent = value;
        figure.dataset.figure = name;
        group.append(term, figure);
        return group;
      }));
    }
    this.gates(header.gates);
    this.speak(`${header.status}: ${header.message}; ${header.neurons} neurons`);
  }

  gates(gates) {
    const words = gates.map((gate) => gate.words);
    const place = get("gates");
    if (place.children.length !== gates.length) {
      place.replaceChildren(...gates.map(() => {
        const item = document.createElement("li"), button = document.createElement("button");
        button.type = "button";
        item.append(button);
        return item;
      }));
    }
    [...place.querySelectorAll("button")].forEach((button, k) => {
      button.textContent = words[k];
      button.title = "zoom to it";
      button.onclick = () => this.zoomTo(gates[k]);
    });
  }

  stopped(words) {
    get("status").textContent = "stopped";
    get("status").className = "status";
    get("message").textContent = sentence(`${words}; the picture is the last one that was finished`);
    this.speak(words);
  }

  refused() {
    get("status").textContent = "not solved";
    get("status").className = "status bad";
    get("message").textContent = "See the field that is marked; the picture is the last good one.";
  }

  speak(words) {
    clearTimeout(this.speaking);
    this.speaking = setTimeout(() => { get("spoken").textContent = words; }, SPOKEN);
  }
}

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
