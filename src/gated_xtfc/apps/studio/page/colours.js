// Colours of the style sheet, as the canvas takes them; kept until the theme changes.
const probe = document.createElement("span");
const known = new Map();

export function colour(name) {
  if (!known.has(name)) {
    document.body.append(probe);
    probe.style.color = `var(--${name})`;
    known.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return known.get(name);
}

export const forgetColours = () => known.clear();
