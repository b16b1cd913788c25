# Everything runs in .venv, made on first use and again whenever pyproject.toml or constraints.txt change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: install demo test fuzz boundscheck test-oldest dist-check lint docs clean

install: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[test,lint]'
	touch $@

demo: $(READY)
	$(BIN)/python examples/demo.py

# One thread per test process: there is already one process per core.
test: export OMP_NUM_THREADS := 1
test: export OPENBLAS_NUM_THREADS := 1
test: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal

# Random and odd arguments to everything public, and every odd value in every argument; `make test` has some of these.
fuzz: export OMP_NUM_THREADS := 1
fuzz: export OPENBLAS_NUM_THREADS := 1
fuzz: export ACVAE_FUZZ ?= 10000
fuzz: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal tests/fuzz

# Compiled code once more, with every index held to its array's bounds; compiled apart from the usual.
boundscheck: export OMP_NUM_THREADS := 1
boundscheck: export OPENBLAS_NUM_THREADS := 1
boundscheck: export NUMBA_BOUNDSCHECK := 1
boundscheck: export NUMBA_CACHE_DIR := $(CURDIR)/.numba-boundscheck
boundscheck: $(READY)
	$(BIN)/python -m pytest -n auto --dist worksteal tests/forests tests/gaussian tests/nn tests/engine \
		tests/clustering tests/metrics tests/links tests/plot/test_layout.py \
		--deselect tests/engine/test_distributed.py

# The oldest versions that pyproject.toml admits, in an environment of their own. This torch has no CPU-only
# build there: 5 GB.
OLDEST := .venv-oldest
test-oldest: export OMP_NUM_THREADS := 1
test-oldest: export OPENBLAS_NUM_THREADS := 1
test-oldest: export NUMBA_CACHE_DIR := $(CURDIR)/$(OLDEST)/numba
test-oldest:
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt --editable '.[test]'
	$(OLDEST)/bin/python -m pytest -n auto --dist worksteal

# Wheel and sdist, each installed into an empty environment and used there.
dist-check: $(READY)
	$(BIN)/python tests/dist_check.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Warnings are errors. The pages come to lie in docs/_build/html.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf docs/_build $(VENV) $(OLDEST) .numba-boundscheck build dist runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
