# One command before every change: make check. The parts can be run alone.
PYTHON ?= .venv/bin/python
BIN := $(dir $(PYTHON))

.PHONY: check format lint types imports migrations test lock run

check: format lint types imports migrations test

format:
	$(BIN)ruff format --check .

lint:
	$(BIN)ruff check .

types:
	$(BIN)mypy

imports:
	$(BIN)lint-imports

migrations:
	$(PYTHON) manage.py makemigrations --check --dry-run

test:
	$(PYTHON) -m pytest -q -n 2 --dist loadgroup

run:
	$(PYTHON) manage.py up

# Pinned and hashed for every Python and system at once; needs uv on PATH. Names no index, so any mirror serves.
LOCK := uv pip compile --quiet --python-version 3.11 --universal --generate-hashes --no-emit-index-url \
	--no-annotate --no-header pyproject.toml

lock:
	$(LOCK) -o requirements.lock
	$(LOCK) --group dev --extra bedrock --extra sentry -o requirements-dev.lock
	sed -i '1i # Made by: make lock. Pinned and hashed; names no index.' requirements.lock requirements-dev.lock
