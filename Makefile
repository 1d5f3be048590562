# Two commands do everything: `make verify` (audit, every method, and the site from what they found) and `make test`.
# Each makes what it needs first; afterwards both work offline.

SHELL := /bin/bash
PYTHON ?= $(firstword $(foreach each,python3.13 python3.12 python3.11 python3,$(shell $(each) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $(each))))
BIN := .venv/bin
JOBS ?= 2
# Processes that test: one more than there are processors, as many tests wait for a command or a browser.
TESTERS ?= 3

.PHONY: setup verify test audit site lint bench fuzz soak clean

setup: .venv/.ready

.venv/.ready: pyproject.toml
	@test -n "$(PYTHON)" || { echo "eqtrace needs Python 3.11 or later on the PATH" >&2; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

audit: setup
	$(BIN)/python -m eqtrace audit

verify: setup
	$(BIN)/python -m eqtrace site -j $(JOBS)

site: verify

test: setup
	$(BIN)/python -m pytest -n $(TESTERS) --dist worksteal -q

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: setup
	$(BIN)/python tests/benchmarks/bench.py
	$(BIN)/python tests/benchmarks/edits.py --every 4
	$(BIN)/python tests/benchmarks/audit.py
	$(BIN)/python tests/benchmarks/gradients.py
	$(BIN)/python tests/benchmarks/mutants.py
	$(BIN)/python tests/benchmarks/site.py --browser

# EXAMPLES=100000 for a long run. Prints the inputs that were tried and the faults that are left, by kind of input.
fuzz: setup
	$(BIN)/python tests/fuzz/fuzz.py --examples $(or $(EXAMPLES),5000)

soak: setup
	$(BIN)/python tests/benchmarks/soak.py

clean:
	rm -rf .venv build dist
