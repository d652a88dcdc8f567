# What a change is checked with, and what else is run by hand. `.ci/run` and the hooks of pre-commit call these targets,
# so that each command stands here alone.
#
#   make test TESTS=tests/engine        some of the tests
#   make check VENV=/tmp/other          in another environment than .venv or the active one

VENV ?= $(or $(VIRTUAL_ENV),.venv)
PYTHON ?= python3
EXTRAS ?= dev
TESTS ?=
BENCH ?= engine screen
BIN := $(VENV)/bin
RUN := $(BIN)/python
# Four for two cores: a test of a screen waits for timers and other processes half of its time. A fifth made a run longer.
PYTEST := $(RUN) -m pytest -n 4

.PHONY: help install check fast style format types layers test thorough train docs pictures bench start-time coverage \
	count costs mutants lock hooks interrupt ci package release site

help:          ## list the targets
	@awk -F ':.*## *' '/^[a-z-]+:.*##/ { printf "make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(BIN)/python ## create the environment, with all that the tests need
	$(BIN)/pip install -e '.[$(EXTRAS)]'
# With the newest pip: that of Python 3.11 compares each of 100,000 files on the index with 1,000 platforms.
$(BIN)/python:
	$(PYTHON) -m venv --upgrade-deps $(VENV)

check: style format types layers site test ## all that a change has to pass
fast: style format types layers ## the same in a minute: with the tests of the rules and of the game without a screen
	$(PYTEST) tests/engine tests/analysis tests/play tests/readme tests/test_config.py tests/test_architecture.py

style:         ## Ruff
	$(BIN)/ruff check
format:        ## Ruff's format
	$(BIN)/ruff format --check
types:         ## mypy
	$(BIN)/mypy --strict
layers:        ## a layer imports only from the layers below it
	$(BIN)/lint-imports --no-logo
test:          ## all tests, or those that TESTS names
	$(PYTEST) $(TESTS)
thorough:      ## the open-ended tests for minutes instead of seconds
	DAOQI_TESTS=thorough $(PYTEST) $(TESTS)
train:         ## the tests of the laboratory and of what a network computes, with torch (EXTRAS=dev,train,cluster)
	$(PYTEST) tests/lab tests/ai/test_network.py tests/ai/test_torch_vectors.py tests/ai/test_katago_file.py tests/ai/test_shipped_network.py

docs:          ## the tables of the pages, and the catalogue of translations
	$(RUN) -m tests.readme.tables && $(RUN) -m tests.catalogue
site:          ## the pages of docs/ and the library's reference as a site: build/site/index.html
	$(RUN) .ci/site.py build/site
pictures:      ## the pictures of the pages, after a change to how the screen looks
	$(RUN) -m tests.readme.pictures && $(RUN) -m tests.readme.recording && $(RUN) -m tests.readme.bending
bench:         ## benchmarks on a quiet machine: BENCH="engine screen"
	for name in $(BENCH); do $(RUN) tests/benchmarks/$$name.py || exit; done
start-time:    ## the first paint beside that of a bare app
	$(RUN) tests/benchmarks/screen.py --start
coverage:      ## the lines that no test runs: htmlcov/index.html
	$(PYTEST) --cov --cov-report=html --cov-report=term:skip-covered $(TESTS)
count:         ## modules and statements outside the laboratory, and circles of imports
	$(RUN) -m tests.statements
costs:         ## the files and the tests that take most CPU time
	$(RUN) -m tests.costs $(TESTS)
mutants:       ## change the solver, the search, the referee and the viewport: which changes does no test notice?
	$(RUN) -m tests.mutants
interrupt:     ## how long a run takes to end after Ctrl+C
	$(RUN) -m tests.interrupted
lock:          ## uv.lock: the releases for development
	uv lock
hooks:         ## have git run style, format, types and layers before a commit, and the fast tests before a push
	$(BIN)/pre-commit install
ci:            ## what .ci/run does: all checks in an environment made for them
	.ci/run
release:       ## the version, the changelog and a tag: VERSION=1.1.0
	$(RUN) .ci/release.py "$(VERSION)"
package:       ## the wheel and the source archive, as a release has them
	.ci/package
