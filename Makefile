# Everything runs in .venv, made on first use and again whenever pyproject.toml or constraints.txt change.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: install demo test lint docs clean

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

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Warnings are errors. The pages come to lie in docs/_build/html.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[docs]'
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

clean:
	rm -rf docs/_build $(VENV) build dist runs .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
