# Everything that CI does can be done with these targets; `make test` is the one to run before a change is sent.

GO      ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS  = -s -w -X github.com/orffvar/forecaster/internal/wire.version=$(VERSION)

# The packages with goroutines of their own: their tests run under the race detector, which
# makes numbers ten times slower and finds nothing in the others. A test of internal/tools/deptest
# compares this list with the code. Of cmd/forecaster the tests of files without the constraint
# !race run under the race detector, the others plain.
RACED = ./internal/job ./internal/livepage ./internal/tools/bench ./internal/tools/logtest ./internal/tools/mutants ./internal/tools/soak ./stream/delivery ./stream/file ./stream/file/filestore ./stream/format/avro ./stream/influx ./stream/kafka ./stream/kafka/cluster ./stream/kafka/kafkasink ./stream/remotewrite ./stream/run
PLAIN = $(filter-out $(shell $(GO) list $(RACED) ./cmd/forecaster ./internal/tools/testserver),$(shell $(GO) list ./...))

# The race detector needs a C compiler; without one the tests run without it.
RACE = $(if $(filter 1,$(shell $(GO) env CGO_ENABLED)),-race)
RACED_TESTS = $(if $(RACE),$(shell $(GO) test $(RACE) -list '^Test' ./cmd/forecaster | grep '^Test' | paste -sd '|' -))

PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

GOLANGCI_LINT = v2.15.0
LINTER        = $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/forecaster/golangci-lint-$(GOLANGCI_LINT)

.PHONY: build test testserver mutants pin compose race services influxdb shapes up down fmt lint deadcode tidy generated vet fuzz soak endurance members seeds bench anomalies maps ratio pipeline telegraf chart apiserver alerts packages golden arm64 cover cross wheel wheels figures reference record clean help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/forecaster
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/forecaster

test: vet compose testserver ## all tests, those of concurrent parts under the race detector, with real servers where installed
	$(GO) test -timeout 60m $(PLAIN)
	$(GO) test -timeout 60m -skip '^($(RACED_TESTS))$$' ./cmd/forecaster
	$(GO) test $(RACE) -timeout 60m $(RACED) $(if $(RACE),./cmd/forecaster)

# The tests of the servers that other tests start pass again as long as neither they nor the servers change.
SERVERS = $(or $(FORECASTER_SERVICES),$(or $(XDG_CACHE_HOME),$(HOME)/.cache)/forecaster)
TESTED  = $(SERVERS)/tested-$(shell { find internal/tools/testserver -type f | sort | xargs cat; ls $(SERVERS) | grep -v '^tested-'; $(GO) version; } 2>/dev/null | cksum | tr -d ' ')

testserver: ## the servers of the tests, when they have changed
	@test -e $(TESTED) || { $(GO) test $(RACE) -timeout 60m ./internal/tools/testserver && mkdir -p $(SERVERS) && rm -f $(SERVERS)/tested-* && touch $(TESTED); }

pin: ## write the digests of all images into docker-compose.yml and Dockerfile (needs docker with buildx, and the network)
	configs/compose/pin.sh docker-compose.yml Dockerfile

compose: ## docker-compose.yml, by a module of its own
	cd configs/compose && $(GO) test ./...

mutants: ## change the code in a hundred places, one at a time, and see that a test fails (an hour); with DRAW=100, in places drawn with SEED, in PKG or what differs from SINCE
	$(GO) run ./internal/tools/mutants $(if $(DRAW),-draw $(DRAW) -seed $(SEED) $(if $(SINCE),-since $(SINCE)) $(PKG))

race: ## every package under the race detector (slow)
	$(GO) test $(RACE) -timeout 60m ./...

services: ## install Kafka, InfluxDB and pandas for the tests, into the user's cache
	internal/tools/testserver/install.sh

influxdb: services ## tests against InfluxDB 2.7, too, which Go, Rust and a C compiler build first (half an hour)
	internal/tools/testserver/install.sh influxdb2
	$(GO) test -count 1 -v -run 'InfluxDB2|TestQueries' ./stream/influx ./configs/grafana

shapes: services ## tests of a company's topics and of Prometheus with the optional servers, at full length (a quarter of an hour)
	internal/tools/testserver/install.sh apicurio collector prometheus
	FORECASTER_REQUIRE_SERVICES=all $(GO) test ./stream/remotewrite -count 1 -v
	FORECASTER_REQUIRE_SERVICES=all $(GO) test ./cmd/forecaster -count 1 -v -timeout 30m -run 'RealShapes|RealCollector' -messages 100000 -away 60s

up: build ## start Kafka, InfluxDB 1.8 and a producer on loopback, with what make services has installed, for a try
	@internal/tools/testserver/servers.sh up

down: ## end what make up has started
	@internal/tools/testserver/servers.sh down

vet:
	$(GO) vet ./...

fmt: ## format the code
	gofmt -w $$(git ls-files '*.go')

lint: ## static analysis
	@test -x $(LINTER)/golangci-lint || GOBIN=$(LINTER) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT)
	$(LINTER)/golangci-lint run --allow-parallel-runners

deadcode: ## functions that only tests reach
	.ci/deadcode

tidy: ## fail when go mod tidy would change a module
	$(GO) mod tidy -diff
	cd internal/tools/asmgen && $(GO) mod tidy -diff
	cd configs/compose && $(GO) mod tidy -diff

generated: ## write the assembly again; fails when it differs from what is committed
	$(GO) generate ./internal/vec ./internal/lanes ./internal/tools/bench
	git diff --exit-code --stat -- '*_amd64.s' '*_stubs_amd64.go' 'roof_amd64.go' '*_generated.go'

FUZZTIME ?= 20s
fuzz: ## run every fuzz target for FUZZTIME
	@for pkg in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz'); do \
			echo "$$pkg $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZTIME) $$pkg || exit 1; \
		done; \
	done

SOAKTIME ?= 5m
SEED     ?= 1
soak: ## three processes and real servers in failures for SOAKTIME, compared with an offline replay
	$(GO) test ./internal/tools/soak -v -timeout 0 -duration $(SOAKTIME) -seed $(SEED)

endurance: ## the tests of docs/reliability.md at full length, more than an hour in all
	$(GO) test ./internal/tools/soak -v -timeout 0 -run Kill9 -kills 25
	$(GO) test ./internal/tools/soak -v -timeout 0 -run KilledTogether -kills 3
	$(GO) test ./internal/tools/soak -v -timeout 0 -run 'TestSoak$$' -duration 5m -seed $(SEED)
	$(GO) test ./stream/kafka -v -timeout 0 -run RebalanceStorm -rounds 50 -every 2s -members 5
	$(GO) test ./stream/kafka -v -timeout 0 -run LeaderChanges -leaders 6
	$(GO) test ./stream/kafka -v -run RealBrokerFails -blackhole 60s
	$(GO) test ./internal/tools/soak -v -timeout 0 -run 'Memory|HandOver' -measure -duration 10m
	$(GO) test ./internal/tools/soak -v -timeout 0 -run Guards -samples 10000000
	$(GO) test ./internal/tools/soak -v -timeout 0 -run ORFFVARGrid -samples 1000000
	$(GO) test ./internal/tools/faultsim -v -timeout 0 -run TestSeeds -seeds 20000

members: ## five members join and leave under load, and the leaders of three brokers are killed (five minutes)
	$(GO) test ./stream/kafka -count 1 -v -timeout 0 -run RebalanceStorm -rounds 50 -every 2s -members 5
	$(GO) test ./stream/kafka -count 1 -v -timeout 0 -run LeaderChanges -leaders 3

SEEDS ?= 20000
FIRST ?= 1
seeds: ## simulate the failures of SEEDS seeds, from FIRST on
	$(GO) test ./internal/tools/faultsim -run TestSeeds -v -timeout 0 -seeds $(SEEDS) -first $(FIRST)

bench: ## report speed beside the bounds of this machine and gonum, see docs/performance.md
	$(GO) run ./internal/tools/bench

BASE ?= $(shell git describe --tags --abbrev=0 2>/dev/null)
ratio: build ## time, memory and instructions of twelve whole runs over those of the commit BASE (a calm machine; instructions need valgrind)
	@test -n '$(BASE)' || { echo 'ratio: BASE=commit is missing, and there is no tag'; exit 2; }
	rm -rf bin/base && git worktree prune && git worktree add --detach bin/base $(BASE)
	cd bin/base && CGO_ENABLED=0 $(GO) build -trimpath -ldflags '-s -w' -o ../forecaster-base ./cmd/forecaster
	git worktree remove --force bin/base
	$(GO) run ./internal/tools/bench -ratio bin/forecaster-base

pipeline: ## speed of each stage, of a replay, and between Kafka and InfluxDB (a calm machine, some minutes)
	$(GO) test -run '^$$' -bench 'Stage|Replay' ./cmd/forecaster
	$(GO) test -run '^$$' -bench 'Kafka|InfluxDB' -benchtime 5x -timeout 20m ./cmd/forecaster

telegraf: ## processor time and disk beside Telegraf 1.37, from Kafka to InfluxDB 1.8 (ten minutes with its build)
	internal/tools/testserver/install.sh telegraf
	$(GO) test ./internal/tools/soak -count 1 -v -timeout 0 -run Telegraf -turns 3

apiserver: ## install the Helm chart on a real API server of Kubernetes 1.37, which Go builds first (twenty minutes; needs etcd)
	internal/tools/testserver/install.sh helm
	configs/chart/apiserver.sh

alerts: ## fire and clear the alerts of Prometheus and Grafana with metrics of real jobs (promtool is built first)
	internal/tools/testserver/install.sh influxdb promtool
	$(GO) test ./cmd/forecaster -count 1 -v -run 'Alerts(From|Of)'
	$(GO) test ./configs/grafana ./configs/prometheus -count 1 -run 'Rules|Queries'

packages: ## a release for every platform, not published, and its Debian package under systemd (as root; needs goreleaser, cyclonedx-gomod, debootstrap, systemd-container)
	goreleaser release --snapshot --clean
	file dist/forecaster_linux_*/forecaster | awk '!/statically linked/ { print; wrong = 1 } END { exit wrong || NR != 2 }'
	$(GO) version -m dist/*/forecaster* | awk '/CGO_ENABLED=0/ { n++ } END { exit n != 6 }' # file does not know about macOS and Windows
	configs/package/systemd.sh dist/*_linux_amd64.deb

chart: ## render the Helm chart with its values files, and check the manifests by the schemas of Kubernetes
	internal/tools/testserver/install.sh helm
	$(GO) test ./configs/chart -count 1 -v

DATA   ?= ../shared/data
anomalies: ## the figures of anomalies in docs/model.md, with the labelled files in DATA (a minute)
	FORECASTER_MEASURE=1 FORECASTER_DATA=$(abspath $(DATA)) $(GO) test ./internal/study -count 1 -run ProtocolAnomalies -v

maps: ## the cost of a sample of every feature map, see docs/kernels.md
	$(GO) test ./orff -run '^$$' -bench BenchmarkStep -benchtime 2000x -count 5

golden: ## the checks of the mathematics by their labels
	$(GO) test -v -run 'C[0-9]' ./orff/... ./sgd/... ./varmodel/... ./internal/study ./internal/thesis | grep -E '^(---|ok|FAIL)'
	$(GO) test -run TestEveryCheckIsATest ./internal/tools/deptest

SERIES ?= macrodata us_climate18_mean santafe_b1 ETTh2 gesture_a1 exchange_rate skab_valve1
kernels: build ## the tables of docs/kernels.md, simulated and from the SERIES in DATA
	bin/forecaster kernel compare --order 1 --markdown --synthetic
	bin/forecaster kernel compare --order 1 --markdown $(SERIES:%=$(DATA)/%.csv)

arm64: ## the tests of the numerics on arm64, emulated where need be (apt-get install qemu-user)
	@if [ "$$($(GO) env GOHOSTARCH)" != arm64 ] && ! command -v qemu-aarch64 >/dev/null; then echo "arm64: skipped, for qemu-aarch64 is missing: apt-get install qemu-user"; else \
		set -x; GOARCH=arm64 CGO_ENABLED=0 $(GO) test $(if $(shell command -v qemu-aarch64),-exec qemu-aarch64) -short -timeout 30m ./internal/vec ./internal/lanes ./orff/... ./sgd/...; fi

cover: ## coverage of all packages
	$(GO) test -timeout 60m -coverprofile coverage.out -coverpkg ./... ./...
	$(GO) tool cover -func coverage.out | tail -1

cross: ## build for every platform, without cgo
	@for p in $(PLATFORMS); do \
		echo "building $$p"; \
		CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o dist/$${p%/*}-$${p#*/}/ ./cmd/forecaster || exit 1; \
	done

wheel: ## the wheel of Python for this machine, into dist/ (needs hatchling)
	cd configs/python && VERSION='$(VERSION)' hatchling build -t wheel -d $(CURDIR)/dist

wheels: ## the wheel for every platform
	for p in $(PLATFORMS); do GOOS=$${p%/*} GOARCH=$${p#*/} $(MAKE) wheel || exit 1; done

figures: ## draw the pictures of docs/model.md
	$(GO) run ./internal/tools/figures docs/images/model

reference: ## write docs/reference and the tables of docs/kernels.md from the code
	UPDATE_DOCS=1 $(GO) test ./cmd/forecaster ./internal/wire -run 'TestReference|TestDocumentation' -count=1

record: ## renew the output that README.md shows (needs FORECASTER_DATA)
	docs/record.sh

clean: ## remove what was built
	rm -rf bin dist coverage.out
