// The legend: a button for each curve, which shows or hides it.
export function showLegend(place, plots, again) {
  if (!plots.view) return;
  const entries = plots.curves().map(({ key, label, paint, dash }) => ({ key, label, paint, kind: dash.length ? "dots" : "" }));
  if (plots.overlay.points) entries.push({ key: "data", label: "data", paint: "data", kind: "dot" });
  if (plots.overlay.band) entries.push({ key: "band", label: "found from the data, 95 %", paint: "c2", kind: "band" });
  // while a slider is dragged nothing here changes: then nothing is touched
  const wanted = JSON.stringify([entries, [...plots.hidden]]);
  if (place.dataset.entries === wanted) return;
  place.dataset.entries = wanted;
  place.replaceChildren(...entries.map(({ key, label, paint, kind }) => {
    const item = document.createElement("li"), button = document.createElement("button"), sample = document.createElement("i");
    button.type = "button";
    button.dataset.curve = key;
    button.setAttribute("aria-pressed", String(!plots.hidden.has(key)));
    sample.className = kind;
    sample.style.color = `var(--${paint})`;
    button.append(sample, label);
    button.onclick = () => {
      plots.toggle(key);
      again();
      place.querySelector(`[data-curve="${CSS.escape(key)}"]`)?.focus();
    };
    item.append(button);
    return item;
  }));
}
