// The problem as text, the figure, the values, the link.
const get = (id) => document.getElementById(id);
const NAMES = { toml: "problem.toml", command: "solve.sh", python: "solve.py" };

export class TakeAway {
  constructor(asking, state, last, link) {
    Object.assign(this, { asking, state, last, link, texts: null, waiting: null });
    for (const choice of document.querySelectorAll('input[name="text"]')) choice.onchange = () => this.write();
    get("copy-text").onclick = () => copy(get("text").textContent, "text-words");
    get("save-text").onclick = () => save(new Blob([get("text").textContent], { type: "text/plain" }), NAMES[chosen()]);
    get("copy-link").onclick = () => copy(this.link(), "take-words", get("link"));
    for (const format of ["svg", "png"]) {
      get(`save-${format}`).onclick = () => {
        if (this.asking.ask("figure", { format }) !== null) get("take-words").textContent = "drawing …";
      };
    }
    get("save-csv").onclick = () => this.saveValues();
  }

  opened() {
    this.waiting = this.asking.ask("texts");
    get("link").value = this.link();
  }

  changed() {
    if (!get("take").hidden) this.opened();
  }

  receive(header, arrays) {
    if (header.kind === "figure") {
      get("take-words").textContent = header.wrong?.sentence ?? header.stopped ?? "";
      const type = { svg: "image/svg+xml", png: "image/png" }[header.format];
      if (type) save(new Blob([arrays.image], { type }), `solution.${header.format}`);
      return;
    }
    if (header.id !== this.waiting) return;
    get("text-words").textContent = header.wrong?.sentence ?? header.stopped ?? "";
    if (header.texts) {
      this.texts = header.texts;
      this.write();
    }
  }

  write() {
    get("text").textContent = this.texts?.[chosen()] ?? "";
  }

  saveValues() {
    const last = this.last();
    if (!last) return;
    const columns = last.header.view === "plane" ? overPlane(last) : overLine(last);
    const rows = Array.from(Object.values(columns)[0], (_, k) => Object.values(columns).map((values) => values[k]).join(","));
    save(new Blob([`${Object.keys(columns).join(",")}\n${rows.join("\n")}\n`], { type: "text/csv" }), "solution.csv");
  }
}

/** What the picture shows: a solution, a time, a mode, a point of a branch. */
function overLine({ header, arrays }) {
  const primes = "'".repeat(header.derivative), columns = { [header.coordinate]: arrays.x };
  for (const name of header.fields) columns[`${name}${primes}`] = arrays[`u:${name}`];
  for (const name of header.fields) if (`exact:${name}` in arrays) columns[`exact ${name}`] = arrays[`exact:${name}`];
  return columns;
}

function overPlane({ header, arrays }) {
  const [x, y] = header.coordinates, [across, up] = [arrays["place:0"], arrays["place:1"]], m = up.length;
  const everywhere = (value) => Float64Array.from(arrays.u, (_, k) => value(k));
  return { [x]: everywhere((k) => across[Math.floor(k / m)]), [y]: everywhere((k) => up[k % m]), [header.choices[header.derivative]]: arrays.u };
}

const chosen = () => document.querySelector('input[name="text"]:checked').value;

function save(blob, name) {
  const anchor = document.createElement("a");
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10_000);
}

async function copy(text, words, field = null) {
  try {
    await navigator.clipboard.writeText(text);
    get(words).textContent = "copied";
  } catch {
    // not every page may write to the clipboard: then it is selected, to be copied by hand
    field?.select();
    get(words).textContent = "select it and copy it by hand";
  }
}
