# Every verb prepares what it needs and finds it there the next time:
# a machine with Python 3.11 or later, make and a package registry is enough.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup demo serve test test-full check bench coverage docs screenshots catalogues constraints browser

BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile
STUDY ?= demo-study

# A stamp is newer than what it was installed from, so a second run installs nothing.
READY := .venv/.ready
READY_DEV := .venv/.ready-dev

$(READY): pyproject.toml constraints.txt
	@sh scripts/make_venv.sh
	@echo "Installing jurybox and its pinned dependencies into .venv …"
	@$(INSTALL) -e '.[sheets]'
	@touch $@

$(READY_DEV): pyproject.toml constraints.txt
	@sh scripts/make_venv.sh
	@echo "Installing jurybox, its pinned dependencies and the tools that test it into .venv …"
	@$(INSTALL) -e '.[dev]'
	@touch $(READY) $@

# Looked for each time, not stamped: a browser can be removed behind our back.
browser: $(READY_DEV)
	@$(BIN)/python scripts/install_browser.py

help: ## print these verbs
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

setup: $(READY) ## only the environment, in .venv
	@echo "The environment is ready in .venv."

demo: $(READY) ## one study end to end, then three links (SERVE=0: end after the report)
	@$(BIN)/jurybox demo $(if $(filter 0,$(SERVE)),--no-serve)

serve: $(READY) ## serve a study to its raters (STUDY=demo-study)
	@$(BIN)/jurybox serve $(STUDY)

test: $(READY_DEV) browser ## every test but the long forms; some twenty minutes on two cores
	@$(PYTEST) -m "not full"

test-full: $(READY_DEV) browser ## every test, the long forms too
	@$(PYTEST) --hypothesis-profile full

check: $(READY_DEV) ## style, types, layers and spelling
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/typos

bench: $(READY_DEV) ## time statistics beside their peers, and studies; writes docs/speed.md
	@$(BIN)/python -m bench.run $(BENCH)

coverage: $(READY_DEV) ## how often the intervals cover a known truth, into docs/coverage.md
	@$(BIN)/python bench/coverage.py --write

docs: $(READY_DEV) ## the documentation as static pages, into docs/_site
	@$(BIN)/python -m scripts.build_docs

screenshots: $(READY_DEV) browser ## every page in every state, both themes, wide and phone, into screenshots/
	@$(BIN)/python -m scripts.take_screenshots $(STATES) $(if $(LANGUAGE),--language $(LANGUAGE))

catalogues: $(READY_DEV) ## bring the translations of the rater's pages up to date with the sources
	@$(BIN)/python scripts/catalogues.py

constraints: $(READY_DEV) ## pin the newest version of every dependency in constraints.txt
	@$(BIN)/python scripts/pin.py
