# jobdeck: `make help` lists what there is. Needs Python 3.11 or newer and make; all else goes into .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
# Words for the program (`make run ARGS="'npm run dev'"`) or for pytest (`make test ARGS="-k kill"`).
ARGS ?=

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help run test check lint types imports format docs session faults test-slurm fuzz fuzz-jobs clean FORCE

help:  ## list these targets
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1@\2/p' $(MAKEFILE_LIST) | column -t -s @ 2>/dev/null \
	  || sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1  \2/p' $(MAKEFILE_LIST)

run: $(VENV)/.run  ## open the console (ARGS: words for jobdeck)
	@$(BIN)/jobdeck $(ARGS)

# Most tests wait for real processes rather than for the processor: four of them go side by side on two cores.
test: $(VENV)/.dev  ## run the tests (ARGS: words for pytest)
	@$(BIN)/python -m pytest -n 4 $(ARGS)

check: lint types imports test  ## all that CI proves: format, lint, types, import contracts, tests

lint: $(VENV)/.dev  ## format and lint, changing nothing
	$(BIN)/ruff format --check
	$(BIN)/ruff check

types: $(VENV)/.dev  ## mypy, strict
	$(BIN)/mypy

imports: $(VENV)/.dev  ## who may import whom
	$(BIN)/lint-imports

format: $(VENV)/.dev  ## rewrite the sources as the formatter and the linter want them
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

docs: $(VENV)/.dev  ## write the pages of docs/ that come from the code: keys, configuration, commands
	@$(BIN)/python -m docs.generate

session: $(VENV)/.dev  ## record docs/session.cast and docs/session.svg anew, with the real console
	@$(BIN)/python -m docs.session docs/session.cast
	@$(BIN)/python -m docs.animate docs/session.cast docs/session.svg

faults: $(VENV)/.dev  ## kill engines and consoles at 300 random moments; all of it has to be accounted for
	@JOBDECK_TEST_FAULTS=$${JOBDECK_TEST_FAULTS:-300} $(BIN)/python -m pytest -s tests/e2e/faults

test-slurm: $(VENV)/.dev  ## install Slurm (root on Debian), start one of our own, run the tests of jobs on it, stop it
	@command -v slurmctld slurmd munged >/dev/null || { apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends slurm-wlm munge >/dev/null; }
	@JOBDECK_TEST_SLURM=1 $(BIN)/python -m pytest -v -s tests/slurm $(ARGS)

fuzz: $(VENV)/.dev  ## random and mutated streams into the emulator (ARGS: --minutes 20)
	@$(BIN)/python -m tests.fuzz.streams $(or $(ARGS),--minutes 20)

fuzz-jobs: $(VENV)/.dev  ## random deeds on the jobs of a file that changes all the time (ARGS: --minutes 5)
	@$(BIN)/python -m tests.fuzz.file_jobs $(or $(ARGS),--minutes 5)

clean:  ## remove .venv and what tools have left
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# The stamps: .checkout holds the folder this environment was made for, .run and .dev say what is installed.
# An environment that was copied or moved, or whose interpreter is gone, is made anew: its scripts and its
# editable install would go on pointing at the old place.
ifneq ($(shell $(BIN)/python -c "" 2>/dev/null && pwd -P | cmp -s - $(VENV)/.checkout && echo ours),ours)
$(VENV)/.checkout: FORCE
endif

$(VENV)/.checkout:
	@$(PYTHON) -c "" 2>/dev/null || { \
	  echo "jobdeck needs Python 3.11 or newer, and '$(PYTHON)' does not run: install it," \
	       "or name yours: make PYTHON=/path/to/python3.11 …" >&2; exit 1; }
	@$(PYTHON) -c "import sys; sys.exit(sys.version_info < (3, 11))" || { \
	  echo "jobdeck needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1)." \
	       "Name a newer one: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c "import venv, ensurepip" 2>/dev/null || { \
	  echo "'$(PYTHON)' has no venv module. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@echo "Making $(VENV) with $$($(PYTHON) -V) …"
	@$(PYTHON) -m venv $(if $(wildcard $(VENV)/.checkout),--clear) $(VENV)
	@pwd -P > $@

$(VENV)/.run: $(VENV)/.checkout pyproject.toml
	@echo "Installing jobdeck into $(VENV) …"
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.checkout pyproject.toml
	@echo "Installing jobdeck and its development tools into $(VENV) …"
	@$(PIP) install --editable '.[dev]'
	@touch $(VENV)/.run $@
