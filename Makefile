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
WORLD    ?=
VERSION  ?=
DRYRUN   ?=

BIN  := $(CURDIR)/bin
EACH := scripts/each-module.sh

# Recursive, so that only a recipe that tests pays for the look. CI has to have the race
# detector.
RACE = $(if $(CI),-race,$(shell command -v "$$(go env CC)" >/dev/null && echo -race))

##@ Use
.PHONY: run build
run: build ## Hash the Go toolchain's sources, then wait a lot, and show what was found
	scripts/demo.sh $(BIN)/sweetspot

# -buildvcs=auto, the default, overrides GOFLAGS: figures of the lab name the commit
# that they were measured on. Without the tables for debuggers the file is a third smaller, and
# without cgo, as in a release, it starts 0.3 ms sooner.
build: ## Build the command into bin/
	cd cmd/sweetspot && CGO_ENABLED=0 go build -buildvcs=auto -ldflags='-s -w' -o $(BIN)/sweetspot .

##@ Check
.PHONY: deps
deps: ## Install what some tests and make world need beside Go, by apt-get as root or with sudo
	scripts/deps.sh

# What works with engines, databases, browsers and packagers of others: to compile these takes
# longer than all that make test does.
BEYOND := /contrib/|/acceptance/(browser|machines|powercut)$$|/bench/world$$|/scripts/(packages|release)$$

.PHONY: test check rest lint fmt vet tidy cross race browser fuzz check-install check-packages vuln soak test-temporal
test: ## Run the tests of the library and the command; what they lack on this machine is skipped, or fails where CI is set
	@all=$$(go list work | grep -vE '$(BEYOND)') && \
	go test $(QUICKLY) -vet=off -shuffle=on -timeout 10m $(LONG) $$all

check: test rest ## Check everything: make test and all of the below but soak and test-temporal

rest: lint cross race browser fuzz check-install check-packages vuln ## Check all that make test leaves out

# A compiler that collects its garbage less often takes a quarter less time, and ends before
# that matters; the tests themselves run as they do elsewhere. Many tests wait: on two CPUs,
# a third package keeps them busy.
COMPILE := GOGC=300
QUICKLY  = -toolexec='env GOGC=1000 GOMEMLIMIT=2GiB' $(shell (($$(getconf _NPROCESSORS_ONLN) > 2)) || echo -p 3)

lint: fmt tidy vet $(BIN)/staticcheck $(BIN)/actionlint ## Check formatting, go.mod files, workflows, go vet and staticcheck
	$(BIN)/actionlint -shellcheck= -pyflakes=
	@if grep -nE 'uses: +[^.]' .github/workflows/*.yml vet/action.yml | grep -vE '@[0-9a-f]{40} # v'; then echo "pin these actions by the SHA of a commit, and name its version"; exit 1; fi
	$(COMPILE) $(BIN)/staticcheck work

fmt: ## Check that the code is formatted
	@unformatted=$$(gofmt -l .); \
	if [[ -n $$unformatted ]]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi

tidy: $(BIN)/typecheck ## Check that go.mod and go.sum are tidy, and that modules compile without go.work
	$(EACH) go mod tidy -diff
	$(EACH) env GOWORK=off $(BIN)/typecheck ./...
	@# The other checks look at all modules of go.work: it has to name all there are.
	$(EACH) go list ./... >/dev/null

vet: ## Run go vet
	$(COMPILE) go vet work

# The module that everybody imports is compiled for other architectures; it needs the
# standard library alone. To compile what the others import would take minutes for each
# system: their types are checked, tests too.
cross: $(BIN)/typecheck ## Check other systems: 386, arm64, darwin, windows
	$(COMPILE) GOOS=linux GOARCH=386 go build ./... && $(COMPILE) GOOS=linux GOARCH=386 go vet ./...
	$(COMPILE) GOOS=linux GOARCH=arm64 go build ./... && $(COMPILE) GOOS=linux GOARCH=arm64 go vet ./...
	GOOS=linux GOARCH=386 $(BIN)/typecheck work
	GOOS=linux GOARCH=arm64 $(BIN)/typecheck work
	GOOS=darwin GOARCH=arm64 $(BIN)/typecheck work
	GOOS=windows GOARCH=amd64 $(BIN)/typecheck work

# Tests that take longest begin first, so that none is left alone at the end.
# Vet has looked already, see lint.
LONG := ./cmd/sweetspot ./lab . ./sim

# What is built on the library runs once, on as many CPUs as the last of CPU. ALONE holds the
# packages that start no goroutines of ours: the laws, static checks, plots, what releases them, and
# a browser, which takes longest to compile; and the simulation, whose runs share nothing but what the
# tests of its command have them share.
ALONE := /(control|sim|vet|internal/plot|acceptance/browser|scripts/(law|packages|release))$$
race: RACED = go test $(RACE) $(QUICKLY) -vet=off -shuffle=on -count $(COUNT) -timeout 10m
race: ## Run the tests of what has goroutines under the race detector, those of the library with one CPU and with four
	$(if $(RACE),,@echo "no C compiler: without the race detector")
	@all=$$(go list work | grep -vE '$(ALONE)') cpu=$(CPU) && \
	library=$$(go list ./... | grep -vE '$(ALONE)') && \
	$(RACED) -cpu $(CPU) $$library && \
	$(RACED) -cpu $${cpu##*,} ./cmd/sweetspot ./lab $$(grep -vxF "$$library" <<<"$$all")

browser: ## Look at the live page and the pages of the lab in a browser
	cd acceptance && go test $(QUICKLY) -vet=off -count $(COUNT) -timeout 10m ./browser

fuzz: ## Run each fuzz test on as many inputs as FUZZTIME says
	$(EACH) $(CURDIR)/scripts/fuzz.sh $(FUZZTIME)

check-install: ## Make a release in a scratch repository, and install it as users do
	cd scripts/release && $(COMPILE) go test -count 1 -timeout 30m . -args -install

check-packages: ## Build the packages of this system from the last commit, install the deb in a folder, and use it
	cd scripts/packages && $(COMPILE) go test -count 1 -timeout 30m . -args -real

vuln: $(BIN)/govulncheck ## Fail if a vulnerability is known, where their list can be reached
	$(EACH) $(CURDIR)/scripts/vuln.sh $(BIN)/govulncheck

test-temporal: ## Check contrib/temporal against a server of Temporal; building that takes 10 minutes the first time
	cd contrib/temporal/integration && GOWORK=off go mod tidy -diff && GOWORK=off go vet ./...
	cd contrib/temporal/integration && GOWORK=off go test -count $(COUNT) -timeout 30m ./...

soak: ## Kill runs, and the workers and the server of a queue; cut the power, as root; have jobs write 10 GB; check the semaphore at length
	cd acceptance/semaphore && go test -count 1 . -args -long -histories 100000
	cd cmd/sweetspot && go test -count 1 -timeout 1h -run 'ResumeAfterKill|HugeOutput' -v . -args -soak 200 -huge 10737418240
	cd cmd/sweetspot && go test -v -count 1 -timeout 30m -run 'QueueHistory|QueueDiskFull' . -args -queuejobs 2000 -queuepace 500ms
	cd acceptance/powercut && go test -v -count 1 -timeout 90m . -args -cuts 100

TOOLS := $(addprefix $(BIN)/,actionlint govulncheck staticcheck)
$(TOOLS): tools/go.mod tools/go.sum
	cd tools && GOWORK=off go build -o $(BIN)/ tool
	touch $(TOOLS)

.PHONY: $(BIN)/typecheck
$(BIN)/typecheck:
	@cd cmd/sweetspot && go build -o $@ ./internal/typecheck

##@ Measure
.PHONY: bench world microbench lab
bench: ## Measure the parallel calls beside their peers (20 minutes; PEERS=-quick: 3), and write BENCHMARKS.md
	cd bench && go run ./peers -o ../BENCHMARKS.md $(PEERS)

world: ## Measure the automatic limit on real programs (hours; WORLD="-quick -only redis,nginx": minutes)
	cd bench && go run ./world $(WORLD)

microbench: ## Run the Go benchmarks that match BENCH, six times each, for benchstat
	$(EACH) go test -run '^$$' -bench '$(BENCH)' -benchmem -count 6 -timeout 60m ./...

lab: build ## Run all experiments of the lab (an hour; LAB=--quick takes 6 minutes), and write docs/lab
	mkdir -p docs/lab
	$(BIN)/sweetspot lab run all $(LAB) --json docs/lab/lab.json --html docs/lab/lab.html --svg $(BIN)/lab
	cp $(BIN)/lab/overview.svg docs/lab/

##@ Other
.PHONY: release snapshot help clean
release: ## Commit and tag all modules as VERSION says, beside the branch; with DRYRUN=1 without the tags
	cd scripts/release && go run . -version '$(VERSION)' $(if $(DRYRUN),-dry-run)

snapshot: ## Build archives, deb, rpm, image and formula of this commit for all systems into dist/
	cd scripts/packages && go run . -C ../.. -o ../../dist

help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
		/^##@ / { printf "\n%s\n", substr($$0, 5) } \
		/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

clean: ## Delete what was built
	rm -rf $(BIN) dist
