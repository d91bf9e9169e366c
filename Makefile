# QKV Lab: `make` lists what can be done. Each command prepares what it needs, once, in .venv.

PORT ?= 8501
# Only this machine can reach the app, unless asked otherwise: a teacher sharing it with a class says HOST=0.0.0.0.
HOST ?= localhost
# Processes for a class; one for each core is a good choice.
REPLICAS ?= 2
# More options for the command that is run, as in `make run ARGS=--server.headless=true`, `make test ARGS="-k softmax"`.
ARGS ?=
# A folder with a model of one's own (config.json, model.safetensors, tokenizer.json), in place of that of `make model`.
MODEL ?=
ifneq ($(MODEL),)
export QKV_MODEL := $(abspath $(MODEL))
endif
# The Python that .venv is made from: the first of these that is new enough.
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(NEW_ENOUGH)' >/dev/null 2>&1 && echo $$p && break; done)
NEW_ENOUGH = import sys; sys.exit(sys.version_info < (3, 11))

VENV := .venv
BIN := $(VENV)/bin

# At home, our own line says where the app is; on a network, Streamlit knows the addresses and says them.
ifeq ($(HOST),localhost)
WELCOME = QKV Lab: http://localhost:$(PORT)  (Ctrl+C stops it)
WELCOME_OPTION = --logger.hideWelcomeMessage=true
else
WELCOME = QKV Lab, open to this network  (Ctrl+C stops it)
endif

.DEFAULT_GOAL := help
.PHONY: help run class model test lint format bench bench-lab bench-class soak soak-short mutations pictures clean

help: ## List these commands
	@echo 'QKV Lab'
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1	\2/p' Makefile | expand -t 16

run: $(VENV)/.installed-run $(if $(MODEL),$(VENV)/.installed-models) ## Open the app (PORT=8501, HOST=localhost, MODEL=folder, ARGS=)
	@echo '$(WELCOME)'
	@$(BIN)/python -m streamlit run server.py --server.port=$(PORT) --server.address=$(HOST) $(WELCOME_OPTION) $(ARGS)

class: $(VENV)/.installed-run ## Open it to a class, replicas behind nginx (REPLICAS=2, PORT=8501)
	@$(BIN)/python deploy/classroom.py --replicas=$(REPLICAS) --port=$(PORT) $(ARGS)

model: $(VENV)/.installed-models ## Get all-MiniLM-L6-v2, for sentences of your own (84 MB, once)
	@$(BIN)/python deploy/get_model.py

test: lint ## Check the code and run every test (ARGS="-k name" for some)
	@$(BIN)/python -m tests.browser.chromium
	@$(BIN)/python -m tests.nginx
	@$(BIN)/python -m pytest $(ARGS)

lint: $(VENV)/.installed-dev node_modules/.installed ## Check style and types, of Python and of the scripts
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet . || \
		{ $(BIN)/ruff format --check . ; echo '`make format` puts this right.' ; exit 1 ; }
	@$(BIN)/node node_modules/.bin/tsc
	@$(BIN)/node node_modules/.bin/eslint .
	@found=$$($(BIN)/basedpyright) || { echo "$$found" ; exit 1 ; }

format: $(VENV)/.installed-dev ## Put the code's style right
	@$(BIN)/ruff check --fix --quiet . ; $(BIN)/ruff format .

bench: $(VENV)/.installed-run ## Measure the speed of attention_core
	@PYTHONPATH=. $(BIN)/python benchmarks/attention_core_speed.py $(ARGS)

bench-lab: $(VENV)/.installed-dev ## Measure the speed of the Lab in a browser (ARGS=--times=6)
	@$(BIN)/python -m tests.browser.chromium
	@PYTHONPATH=. $(BIN)/python benchmarks/lab_speed.py $(ARGS)

bench-class: $(VENV)/.installed-dev ## Measure how many students it holds (ARGS="--replicas 1 2")
	@PYTHONPATH=. $(BIN)/python benchmarks/class_load.py $(ARGS)

soak: $(VENV)/.installed-dev ## Measure what a class survives, about an hour (ARGS="--only kill losses")
	@PYTHONPATH=. $(BIN)/python benchmarks/soak.py $(ARGS)

soak-short: $(VENV)/.installed-dev ## What of that can be lost, for some minutes, as CI does
	@$(BIN)/python -m tests.browser.chromium
	@PYTHONPATH=. $(BIN)/python benchmarks/soak.py --only losses mutations --size 0.1

mutations: $(VENV)/.installed-dev ## Its part with input changed on purpose (ARGS="--count 100000")
	@PYTHONPATH=. $(BIN)/python -W error benchmarks/mutations.py $(ARGS)

pictures: $(VENV)/.installed-dev ## Take the README's pictures again
	@$(BIN)/python -m tests.browser.chromium
	@PYTHONPATH=. $(BIN)/python tests/browser/pictures.py

clean: ## Remove everything these commands have made
	@rm -rf $(VENV) node_modules .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say what .venv holds. They are younger than the requirements, or the install is done again.
$(VENV)/.installed-run: requirements.txt | $(BIN)/python
	@echo 'Installing what QKV Lab needs to run; this is done once.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.txt
	@touch $@

$(VENV)/.installed-models: requirements-models.txt $(VENV)/.installed-run | $(BIN)/python
	@echo 'Installing what reads a model; this is done once.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-models.txt
	@touch $@

$(VENV)/.installed-dev: requirements.txt requirements-models.txt requirements-dev.txt | $(BIN)/python
	@echo 'Installing what QKV Lab needs to run and be tested; this is done once.'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	@touch $(VENV)/.installed-run $@

# Node and npm come from PyPI with the rest; npm brings what package-lock.json names.
node_modules/.installed: package.json package-lock.json .npmrc | $(VENV)/.installed-dev
	@echo 'Installing what reads the scripts of static/; this is done once.'
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/npm ci --silent || { \
		echo 'npm could not install TypeScript and ESLint (package-lock.json). It needs its registry once:' \
			'the network, or the one that `npm config set registry` names.'; exit 1; }
	@touch $@

$(BIN)/python:
	@python='$(PYTHON)'; \
	"$$python" -c '$(NEW_ENOUGH)' 2>/dev/null || { \
		echo 'QKV Lab needs Python 3.11 or newer. If it is installed, say where: make PYTHON=/path/to/python3'; exit 1; }; \
	"$$python" -c 'import ensurepip, venv' 2>/dev/null || { \
		echo "$$python cannot make a virtual environment. On Debian or Ubuntu: apt install python3-venv"; exit 1; }; \
	"$$python" -m venv --clear $(VENV) || { rm -rf $(VENV); exit 1; }
