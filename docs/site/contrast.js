// Text whose contrast is below what WCAG asks for (AA: 4.5, large text 3), with the colours as they are seen.
() => {
  const parts = (text) => text.match(/[\d.]+/g).map(Number);
  const level = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * level(r) + 0.7152 * level(g) + 0.0722 * level(b);
  const behind = (one) => {
    for (; one; one = one.parentElement) {
      const found = parts(getComputedStyle(one).backgroundColor);
      if (found.length === 3 || found[3] === 1) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const one of document.querySelectorAll('body *')) {
    if (['SCRIPT', 'STYLE', 'NOSCRIPT'].includes(one.tagName)) continue;
    const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!(own || one.matches('input, textarea, select'))) continue;
    if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || one.closest('.hidden, [disabled], svg, math')) continue;
    const [a, b] = [light(parts(getComputedStyle(one).color)), light(behind(one))].sort((p, q) => q - p);
    const contrast = (a + 0.05) / (b + 0.05), style = getComputedStyle(one), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (contrast < (large ? 3 : 4.5)) poor.push([one.tagName, one.id, one.className, one.textContent.slice(0, 40), contrast]);
  }
  return poor;
}
