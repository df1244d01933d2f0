"""The studio's page in a real browser: what its tests share. What they do not find is said where they are left out."""

import importlib.util
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None
)
MISSING = [name for name in ("playwright", "starlette", "uvicorn", "websockets") if not importlib.util.find_spec(name)]
MARKS = [
    pytest.mark.browser,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)} (make test-browser installs them)"),
]
if not MISSING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

    from studio_process import Studio, started

FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
SHOTS = Path(__file__).parent.parent / "out" / "studio"
PATIENCE = 120_000  # milliseconds for what is sure to happen, however busy the machine
Opening = Callable[..., "Page"]


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    SHOTS.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        try:
            found = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        except Exception as error:
            pytest.skip(f"no browser can be started: {str(error).splitlines()[0]}")
        yield found
        found.close()


@pytest.fixture(scope="module")
def studio() -> Iterator["Studio"]:
    yield from started("--workers", "2")


@pytest.fixture
def opened(browser: "Browser", studio: "Studio") -> Iterator[Opening]:
    """Opens the page with a solved picture on it. What the console or a foreign host gets to hear is an error."""
    complaints: list[str] = []
    contexts = []

    def heard(message: "ConsoleMessage") -> None:
        # a server that one test takes away is missed by the socket and, now and then, by the icon still to come
        expected = "WebSocket" in message.text or "ERR_CONNECTION_REFUSED" in message.text
        if message.type in ("error", "warning") and not expected:
            complaints.append(message.text)

    def open_page(fragment: str = "", at: "Studio" = studio, **options: Any) -> "Page":
        context = browser.new_context(**{"viewport": {"width": 1400, "height": 1000}, **options})
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("console", heard)
        page.on("pageerror", lambda error: complaints.append(str(error)))

        def only_here(route: Any) -> None:
            if route.request.url.startswith(f"{at.address}"):
                return route.continue_()
            complaints.append(f"asked for {route.request.url}")
            return route.abort()

        context.route("**/*", only_here)
        page.goto(f"{at.address}{fragment}")
        page.wait_for_selector("[data-figure=neurons]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []


def figure(page: "Page", name: str) -> str:
    return page.inner_text(f'[data-figure="{name}"]')


def settled(page: "Page", text: str = "converged") -> None:
    expect(page.locator("#status")).to_have_text(text, timeout=PATIENCE)
    expect(page.locator("#busy")).to_be_hidden(timeout=PATIENCE)
    expect(page.locator("#main-plot")).to_have_attribute("aria-busy", "false", timeout=PATIENCE)


def painted(page: "Page") -> str:
    """The main picture, as the canvas has it."""
    return str(page.evaluate("document.querySelector('#main-plot canvas').toDataURL()"))


def blue(page: "Page") -> int:
    """Pixels of the curve's colour."""
    return int(
        page.evaluate(
            """() => {
              const canvas = document.querySelector('#main-plot canvas');
              const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
              let count = 0;
              for (let k = 0; k < data.length; k += 4)
                if (Math.abs(data[k] - 11) + Math.abs(data[k + 1] - 95) + Math.abs(data[k + 2] - 158) < 24) count++;
              return count;
            }"""
        )
    )


def choose(page: "Page", family: str) -> None:
    page.click("#open-gallery")
    page.click(f"[data-family={family}]")
    expect(page.locator("#look b")).to_contain_text(family.replace("_", " "))
    settled(page)


def saved(page: "Page", button: str) -> bytes:
    with page.expect_download() as download:
        page.click(button)
    return Path(download.value.path()).read_bytes()


# what WCAG asks for; the pages of the site are measured by the same
CONTRAST = (Path(__file__).parent.parent / "docs" / "site" / "contrast.js").read_text().partition("\n")[2]
