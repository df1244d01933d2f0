# Everything runs in .venv, which is made when first needed and again when pyproject.toml or the core changes.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
TOOLS := .venv/.tools

.DEFAULT_GOAL := help
.PHONY: help solve studio test test-browser test-sanitized docs check-docs bench picture clean

help:  ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  make \1\t/' | expand -t 22

solve: $(STAMP)  ## solve the example at nu = 1e-4: table here; figure, CSV and JSON in out/
	@$(BIN)/gated-xtfc solve examples/convection_diffusion.toml --set nu=1e-4 --out out

studio: $(STAMP)  ## a local page: type an equation, drag its parameters
	@$(BIN)/gated-xtfc studio

test: $(TOOLS)  ## lint, formatting, types, import contracts, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist loadfile

test-browser: $(TOOLS)  ## the studio in a real browser (chromium); installs what that needs
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev,browser]'
	@command -v chromium || command -v chromium-browser || command -v google-chrome || \
		$(BIN)/python -m playwright install chromium
	$(BIN)/pytest -m browser tests/test_studio_page.py tests/test_studio_page_views.py

# Python itself leaks by design; its allocator would hide what is written beyond an array.
SANITIZED := build/sanitized
CORE_TESTS := $(addprefix tests/test_,$(addsuffix .py,elements element_family newton_family element_newton tied_elements many bytecode \
	native_prediction partition stretch moving_core core_fuzz))
test-sanitized: $(TOOLS)  ## the compiled core's tests with the address and undefined-behaviour sanitizers
	@mkdir -p $(SANITIZED)
	cp -r src/gated_xtfc $(SANITIZED)/
	rm -f $(SANITIZED)/gated_xtfc/core/_elements*.so
	$(CC) -std=c99 -O1 -g -fPIC -shared -fsanitize=address,undefined -fno-sanitize-recover=undefined -DNO_CLONES \
		-I$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))') \
		src/gated_xtfc/core/*.c -o $(SANITIZED)/gated_xtfc/core/_elements.abi3.so -lm
	PYTHONPATH=$(SANITIZED) PYTHONMALLOC=malloc ASAN_OPTIONS=detect_leaks=0 \
		LD_PRELOAD="$$($(CC) -print-file-name=libasan.so) $$($(CC) -print-file-name=libubsan.so)" \
		$(BIN)/python -m pytest -q -p no:cacheprovider $(CORE_TESTS)

docs: $(STAMP)  ## the documentation as a site, in build/docs/html; needs no network to be read
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python docs/site/build.py

check-docs: docs  ## every page of the site in a real browser: console, links, widths, contrast; pictures in out/site
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[browser]'
	$(BIN)/python docs/site/check.py build/docs/html
	$(BIN)/python docs/site/browse.py build/docs/html

bench: $(TOOLS)  ## measure; writes docs/benchmarks.md and docs/scoreboard.md
	$(BIN)/python benchmarks/run.py

picture: $(STAMP)  ## draw the picture in the README again
	@$(BIN)/gated-xtfc solve examples/convection_diffusion.toml --set nu=1e-4 --tol 1e-10 --out out
	cp out/solution.svg docs/images/convection_diffusion.svg

clean:  ## remove the environment, results and caches
	rm -rf .venv out build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache src/*.egg-info
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find src -name '_elements*.so' -delete

$(STAMP): pyproject.toml setup.py $(wildcard src/gated_xtfc/core/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "gated-xtfc needs Python 3.11 or newer: make PYTHON=python3.11 ..." >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[studio]'
	@touch $@

# what development needs, with every optional package that a test asks for
$(TOOLS): $(STAMP)
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --editable '.[dev]'
	@touch $@
