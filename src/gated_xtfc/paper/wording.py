"""Numbers and quotations for people: 1.2 × 10⁻⁴, 3.4 ms, and LaTeX made readable."""

import math
import re

SPACE = "\N{NO-BREAK SPACE}"
SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LATEX = {
    r"\mathcal{O}": "O",
    r"\times": "×",
    r"\approx": "≈",
    r"\sim": "~",
    r"\nu": "ν",
    r"\%": "%",
    r"\(": "",
    r"\)": "",
    r"\,": " ",
    "{,}": ",",
    "--": "-",
    "~": SPACE,
}
REFERENCE = re.compile(r"\s*\(?Fig(?:ure)?\.?~\\ref\{[^}]*\}\)?")
NAMED = re.compile(r"(_)?\{?\\text\{([^}]*)\}\}?")  # N_{\text{in}}
POWER = re.compile(r"\^\{?(-?\d+|\*)\}?")


def number(value: float | None, digits: int = 2) -> str:
    """A number as 1.2 × 10⁻⁴, 0.031, 12.5, 2,000; a dash for what is not there."""
    if value is None or not math.isfinite(value):
        return "–"
    if value == 0:
        return "0"
    if value == int(value) and 1 <= abs(value) < 1e6:
        return f"{int(value):,}"
    if 0.01 <= abs(value) < 1000:
        return f"{value:.{digits}g}" if round(abs(value), 1) < 10**digits - 0.5 else f"{value:.0f}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}{SPACE}×{SPACE}10{str(int(exponent)).translate(SUPERSCRIPT)}"


def power(value: float) -> str:
    """A power of ten such as 10⁻⁴, any other number as in `number`."""
    exponent = math.log10(value) if value > 0 else math.nan
    if value == 1.0 or not exponent.is_integer():
        return number(value)
    return f"10{str(int(exponent)).translate(SUPERSCRIPT)}"


def at(nu: float) -> str:
    """The label ν = 10⁻⁴."""
    return f"ν = {power(nu)}"


def duration(seconds: float | None) -> str:
    """A time as 1.3 ms, 4.2 s, 152 s."""
    if seconds is None or not math.isfinite(seconds):
        return "–"
    if seconds < 0.1:
        return f"{1e3 * seconds:.2g} ms" if seconds < 0.01 else f"{1e3 * seconds:.0f} ms"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:,.0f} s"


def times(ratio: float | None) -> str:
    """A ratio as 0.37×, 12×, 35,000×, 3.4 × 10⁷; a dash for what is not there."""
    if ratio is None or not math.isfinite(ratio):
        return "–"
    return f"{number(ratio)}×" if ratio < 100 else f"{ratio:,.0f}×" if ratio < 1e6 else number(ratio)


def readable(latex: str) -> str:
    """A quotation from the source of the paper as it looks in print."""
    text = NAMED.sub(lambda match: f"{match[1] or ''}{match[2]}", REFERENCE.sub("", latex))
    for command, sign in LATEX.items():
        text = text.replace(command, sign) if command != "~" else re.sub(r"(?<!\\)~(?=\w)", sign, text)
    text = re.sub(r"\$\\?sim\$", "~", text).replace("$", "")
    text = re.sub(r"x_s(\^\*|\^\\ast)?", lambda match: "xₛ*" if match[1] else "xₛ", text)
    return POWER.sub(lambda match: match[1].translate(SUPERSCRIPT), text).strip()
