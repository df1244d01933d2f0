"""python docs/site/browse.py [HTML]: every page of the built site in a real browser, as wide as a phone and as a desk.

A page must raise no complaint in the console, fetch nothing that is not there, need no sideways scrolling, have no text
too small to read, and have the contrast of WCAG's level AA, light and dark. Needs playwright and a chromium (the extra
`browser`); one line for each fault, and a picture of every page in SHOTS.
"""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WIDTHS = (400, 1400)
SMALLEST = 10.0  # pixels of a letter
CONTRAST = (HERE / "contrast.js").read_text(encoding="utf-8").partition("\n")[2]
SMALL = """(least) => [...document.querySelectorAll('body *')]
  .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()))
  .filter((one) => one.checkVisibility() && !one.closest('svg, math, sup, sub, script, style'))
  .filter((one) => parseFloat(getComputedStyle(one).fontSize) < least)
  .map((one) => one.textContent.trim().slice(0, 40))"""
WIDE = "() => Math.max(0, document.documentElement.scrollWidth - innerWidth)"


def faults(html: Path, shots: Path | None = None) -> list[str]:
    """One sentence for each fault of a page."""
    found: list[str] = []
    with sync_playwright() as playwright:
        names = ("chromium", "chromium-browser", "google-chrome")
        there = next((path for name in names if (path := shutil.which(name))), None)
        browser = playwright.chromium.launch(executable_path=there, args=["--no-sandbox", "--disable-gpu"])
        for theme in ("light", "dark"):
            for width in WIDTHS:
                found += _seen(browser, html, theme, width, shots)
        browser.close()
    return list(dict.fromkeys(found))


def _seen(browser: Browser, html: Path, theme: str, width: int, shots: Path | None) -> list[str]:
    """All pages at one width and in one theme."""
    found: list[str] = []
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page = context.new_page()
    here = [""]
    page.on("console", lambda one: found.append(f"{here[0]}: {one.text}") if one.type == "error" else None)
    page.on("pageerror", lambda error: found.append(f"{here[0]}: {error}"))
    page.on("requestfailed", lambda request: found.append(f"{here[0]}: {request.url} was not found"))
    for file in sorted(html.rglob("*.html")):
        here[0] = file.relative_to(html).as_posix()
        page.goto(file.resolve().as_uri())
        found += [f"{here[0]}, {width} px, {theme}: {words}" for words in _faults_of(page)]
        if shots is not None and theme == "light":
            picture = shots / f"{here[0].replace('/', '_').removesuffix('.html')}_{width}.png"
            page.screenshot(path=picture, full_page=width < WIDTHS[-1])
    context.close()
    return found


def _faults_of(page: Page) -> list[str]:
    wide, small, poor = page.evaluate(WIDE), page.evaluate(SMALL, SMALLEST), page.evaluate(CONTRAST)
    return [
        *([f"{wide:g} px wider than the window"] if wide else []),
        *(f"letters of {words!r} are smaller than {SMALLEST:g} px" for words in small[:3]),
        *(f"{tag} {kind!r} {words.strip()!r} has a contrast of {ratio:.2f}" for tag, _, kind, words, ratio in poor[:5]),
    ]


if __name__ == "__main__":
    site = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "docs" / "html"
    pictures = ROOT / "out" / "site"
    pictures.mkdir(parents=True, exist_ok=True)
    complaints = faults(site, pictures)
    pages = sum(1 for _ in site.rglob("*.html"))
    print("\n".join(complaints) or f"{pages} pages, {len(WIDTHS)} widths, light and dark: nothing to complain of")
    sys.exit(bool(complaints))
