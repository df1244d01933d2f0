// Tabs as the guidelines have them: one is in the tab order, arrows move between them.
export function tabs(list, opened) {
  const all = [...list.querySelectorAll('[role="tab"]')];
  const choose = (tab) => {
    for (const one of all) {
      one.setAttribute("aria-selected", String(one === tab));
      one.tabIndex = one === tab ? 0 : -1;
      document.getElementById(one.getAttribute("aria-controls")).hidden = one !== tab;
    }
    opened(tab.getAttribute("aria-controls"));
  };
  all.forEach((tab, index) => {
    tab.onclick = () => choose(tab);
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const target = event.key === "Home" ? all[0] : event.key === "End" ? all.at(-1) : step && all[(index + step + all.length) % all.length];
      if (!target) return;
      event.preventDefault();
      target.focus();
      choose(target);
    });
  });
}
