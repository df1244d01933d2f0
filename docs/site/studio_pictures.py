"""python docs/site/studio_pictures.py: the pictures of the studio in docs/images, from the studio as it is."""

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from studio_process import started  # noqa: E402

IMAGES = ROOT / "docs" / "images"
GATED = 'input[name="axis"][value="xi"]'


def shown(browser: Browser, address: str, problem: str, theme: str = "light", height: int = 1036) -> Page:
    size = {"width": 1280, "height": height}
    page = browser.new_context(viewport=size, color_scheme=theme).new_page()
    page.goto(f"{address}?problem={problem}")
    page.wait_for_selector("#look b")
    page.wait_for_timeout(4000)  # solved and drawn
    return page


def kept(page: Page, name: str) -> None:
    page.wait_for_timeout(700)
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=IMAGES / f"studio_{name}.png")
    page.context.close()


def main() -> None:
    server = started("--workers", "2")
    address = next(server).address
    with sync_playwright() as playwright:
        names = ("chromium", "chromium-browser", "google-chrome")
        there = next((path for name in names if (path := shutil.which(name))), None)
        browser = playwright.chromium.launch(executable_path=there, args=["--no-sandbox", "--disable-gpu"])
        page = shown(browser, address, "convection_diffusion")
        page.check(GATED, force=True)
        kept(page, "light")
        page = shown(browser, address, "coupled_reaction", "dark")
        page.check(GATED, force=True)
        kept(page, "dark")
        page = shown(browser, address, "convection_diffusion", height=1378)
        page.fill("#value-nu", "0.01")
        page.wait_for_timeout(1500)
        page.click("#tab-data")
        page.click("#noisy button")
        page.wait_for_selector("#drop-data", state="visible")
        page.click("#run-infer")
        page.wait_for_selector("[data-found=nu]")
        kept(page, "data")
        page = shown(browser, address, "channel_flow", height=900)
        page.check(GATED, force=True)
        kept(page, "plane")
        page = shown(browser, address, "merging_fronts", height=720)
        page.fill("#time", "40")
        kept(page, "fronts")
        page = shown(browser, address, "tunnelling", height=720)
        page.locator("#eigenvalues button").nth(1).click()
        kept(page, "spectrum")
        page = shown(browser, address, "allen_cahn_branch", height=720)
        page.wait_for_timeout(4000)
        box = page.locator("#diagram-plot .u-over").bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 0.94 * box["width"], box["y"] + 0.2 * box["height"])  # the second pattern
        kept(page, "branch")
        browser.close()
    server.close()


if __name__ == "__main__":
    main()
