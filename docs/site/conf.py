"""How Sphinx builds the site: MyST pages, the theme furo, mathematics as MathML; nothing is fetched from anywhere."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import gated_xtfc

project = "gated-xtfc"
author = "The gated-xtfc authors"
copyright = author
version = release = gated_xtfc.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc", "sphinx_copybutton", "mathml"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["conf.py"]
language = "en"

myst_enable_extensions = ["dollarmath", "attrs_inline", "colon_fence"]
myst_heading_anchors = 3

default_role = "py:obj"  # a name in single backticks in a docstring is a link where there is something to link to
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
numpydoc_show_class_members = False  # autodoc lists them
numpydoc_use_plots = False

html_theme = "furo"
html_title = "gated-xtfc"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "default"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#00568a", "color-brand-content": "#00568a"},
    "dark_css_variables": {"color-brand-primary": "#7cc4f5", "color-brand-content": "#7cc4f5"},
}


def absolute_bars(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """|x| in a docstring is an absolute value, not a substitution."""
    lines[:] = [line if "``" in line or line.lstrip().startswith(">>>") else line.replace("|", "\\|") for line in lines]


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", absolute_bars)
