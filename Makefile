# `make` lists the targets. Everything runs on a machine with Go and a network;
# the race detector also needs a C compiler.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# How often and on how many CPUs each test runs. One CPU shows what hides
# behind parallelism; four are more than many machines have. FUZZTIME counts
# inputs: see scripts/fuzz.sh.
CPU      ?= 1,4
COUNT    ?= 1
FUZZTIME ?= 10000x
BENCH    ?= .
PEERS    ?=

BIN  := $(CURDIR)/bin
EACH := scripts/each-module.sh

# Recursive, so that only a recipe that tests pays for the look.
RACE = $(shell command -v "$$(go env CC)" >/dev/null && echo -race)

# For what only has to compile, on machines that have compiled nothing yet: to optimize
# it takes half as long again.
PLAIN := -gcflags='all=-N -l'

##@ Use
.PHONY: run build
run: build ## Hash the Go toolchain's sources, then wait a lot, and show what was found
	go run ./scripts/demo -sweetspot $(BIN)/sweetspot

# -buildvcs=auto, the default, is said lest GOFLAGS has another: figures of the lab
# tell the commit that they are of.
build: ## Build the command into bin/
	cd cmd/sweetspot && go build -buildvcs=auto -o $(BIN)/sweetspot .

##@ Check
.PHONY: test lint fmt vet tidy cross unit fuzz vuln soak test-temporal
test: lint cross unit fuzz ## Check everything: all of the below but test-temporal; a vulnerability is told, but fails only make vuln
	@$(MAKE) vuln || echo "known vulnerabilities, see above: no fault of this change, so no failure here"

lint: fmt tidy vet $(BIN)/staticcheck ## Check formatting, go.mod files, go vet and staticcheck
	$(EACH) $(BIN)/staticcheck ./...

fmt: ## Check that the code is formatted
	@unformatted=$$(gofmt -l .); \
	if [[ -n $$unformatted ]]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi

tidy: ## Check that go.mod and go.sum are tidy, and that modules build without go.work
	$(EACH) go mod tidy -diff
	$(EACH) env GOWORK=off go build -o /dev/null ./...

vet: ## Run go vet
	$(EACH) go vet ./...

# A vet is of all that a module is built from, for each machine anew: where that is
# mostly of others, it has to build where an int has 32 bits, and what has no calls of
# a system and no files for one is the same on all machines of 64.
cross: ## Check other systems: 386, arm64, darwin, windows
	$(EACH) env GOOS=linux GOARCH=386 go build $(PLAIN) -o /dev/null ./...
	$(EACH) --by-system env GOOS=linux GOARCH=386 go vet $(PLAIN) ./...
	$(EACH) --by-system env GOOS=linux GOARCH=arm64 go build $(PLAIN) -o /dev/null ./...
	$(EACH) --by-system env GOOS=darwin GOARCH=arm64 go build $(PLAIN) -o /dev/null ./...
	$(EACH) --by-system env GOOS=windows GOARCH=amd64 go build $(PLAIN) -o /dev/null ./...

unit: ## Run the tests, under the race detector and in random order
	$(if $(RACE),,@echo "no C compiler: without the race detector")
	$(EACH) go test $(RACE) -shuffle=on -cpu $(CPU) -count $(COUNT) -timeout 10m ./...

fuzz: ## Run each fuzz test on as many inputs as FUZZTIME says
	$(EACH) $(CURDIR)/scripts/fuzz.sh $(FUZZTIME)

vuln: ## Look for known vulnerabilities, where their list can be reached
	@cd tools && GOWORK=off go build -o $(BIN)/ golang.org/x/vuln/cmd/govulncheck || rm -f $(BIN)/govulncheck
	$(EACH) $(CURDIR)/scripts/vuln.sh $(BIN)/govulncheck

test-temporal: ## Check contrib/temporal against a server of Temporal; building that takes 10 minutes the first time
	cd contrib/temporal/integration && GOWORK=off go mod tidy -diff && GOWORK=off go vet ./...
	cd contrib/temporal/integration && GOWORK=off go test -count $(COUNT) -timeout 30m ./...

soak: ## Kill the workers and the server of a queue, over 2,000 jobs
	cd cmd/sweetspot && go test -count 1 -run QueueSurvivesKill . -args -queuejobs 2000 -queuepace 1s

$(BIN)/staticcheck: tools/go.mod tools/go.sum
	cd tools && GOWORK=off go build -o $(BIN)/ honnef.co/go/tools/cmd/staticcheck
	touch $@

##@ Measure
.PHONY: bench microbench lab
bench: ## Measure the parallel calls beside their peers (15 minutes; PEERS=-quick: 2), and write BENCHMARKS.md
	cd bench && go run ./peers -o ../BENCHMARKS.md $(PEERS)

microbench: ## Run the Go benchmarks that match BENCH, six times each, for benchstat
	$(EACH) go test -run '^$$' -bench '$(BENCH)' -benchmem -count 6 -timeout 60m ./...

lab: build ## Run all experiments of the lab, small (8 minutes), and write docs/lab
	mkdir -p docs/lab
	$(BIN)/sweetspot lab run all --quick --json docs/lab/lab.json --html docs/lab/lab.html --svg $(BIN)/lab
	cp $(BIN)/lab/overview.svg docs/lab/

##@ Other
.PHONY: help clean
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

clean: ## Delete what was built
	rm -rf $(BIN)
