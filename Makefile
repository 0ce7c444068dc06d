# Everything a person needs: make run, make test. make help lists the rest.

SHELL := /bin/sh
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOL := CGO_ENABLED=0 go tool -modfile=tools.mod
LINT := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

FAULTS := TestKilledAtRandom|TestTwoServersOnAnEmptyDatabase|TestTheQueueIsLost|TestTheLogCannotBeWritten|TestFiftyPressRun|TestDatabaseOutOfReach|TestDatabaseGoesAway|TestConnectionsEnded|TestAUnitThatKillsItsProcess|TestToldToStopDuringAnEngineCall|TestCancelDuringAnEngineCall|TestClockAnHourOff

.DEFAULT_GOAL := help
.PHONY: help run build test chaos test-ollama bench eval train generate check-generated fmt lint static deps clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## Build, then serve the sample collection on http://127.0.0.1:8080
	@sh scripts/deps.sh postgresql
	bin/scrinalia serve --sample

build: static ## Build bin/scrinalia
	CGO_ENABLED=0 go build -trimpath -ldflags "-X main.version=$(VERSION)" -o bin/scrinalia ./cmd/scrinalia

test: static ## Run every test: race detector, real PostgreSQL, real browser
	@sh scripts/deps.sh postgresql npm chromium gcc
	@CGO_ENABLED=0 go tool -modfile=s3.mod -n versitygw >/dev/null # the first time on a machine this takes a minute or two
	go test -race -shuffle=on ./...

chaos: static ## Run the fault tests in full: real processes, 100 of which are killed at random moments
	@sh scripts/deps.sh postgresql gcc
	go test -race -count=1 -v -timeout 90m ./cmd/scrinalia -kills 100 -run '$(FAULTS)'

test-ollama: ## Run the Ollama adapters against a real server: OLLAMA_BIN, the one on the PATH, or one that is built first
	@bin=$$(sh scripts/ollama.sh) && echo "testing with $$bin" && \
		OLLAMA_BIN=$$bin go test -tags ollama -run '^TestRealServer$$' -count=1 -v -timeout 20m ./engine/ollama

bench: static ## Measure the figures of the budgets and print them
	@sh scripts/deps.sh postgresql
	go run ./bench

eval: ## Measure the engines over the labelled examples; ARGS="-engine ollama" measures others
	@go run ./eval $(ARGS)

train: ## Train the named-entity tagger from DATA, a folder with ner/*.tsv (engine/tagger/README.md)
	@test -n "$(DATA)" || { echo "make train DATA=folder-of-corpora"; exit 1; }
	go run ./engine/tagger/train -data $(DATA) -out engine/tagger/model.bin

generate: ## Generate the templ components and the typed queries
	$(TOOL) templ fmt views
	$(TOOL) templ generate
	$(TOOL) sqlc generate

check-generated: ## Fail when generated code is stale
	$(TOOL) templ fmt -fail views
	$(TOOL) templ generate -check
	$(TOOL) sqlc diff

fmt: ## Format the Go code
	go run $(LINT) fmt

lint: ## Lint, and look for dead code
	go run $(LINT) fmt --diff
	go run $(LINT) run
	@dead=$$($(TOOL) deadcode -test ./...); if [ -n "$$dead" ]; then echo "$$dead"; exit 1; fi

static: static/lib/htmx.min.js ## Fetch htmx through npm

static/lib/htmx.min.js: package.json package-lock.json
	@if command -v npm >/dev/null 2>&1; then \
		npm ci --silent --no-audit --no-fund && mkdir -p static/lib && cp node_modules/htmx.org/dist/htmx.min.js $@; \
	else \
		echo "npm is missing: the pages work, but do not refresh by themselves. Install it (on Debian: apt-get install npm) and run make again."; \
	fi

deps: ## Install what is missing: PostgreSQL, Chromium for the tests, npm
	@sh scripts/deps.sh postgresql npm chromium gcc

clean: ## Remove what was built and fetched
	rm -rf bin node_modules static/lib/htmx.min.js
