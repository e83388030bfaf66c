#!/bin/sh
# Installs the servers that the integration tests start: InfluxDB 1.8.10, built
# by the Go toolchain, and Apache Kafka, from Maven artifacts. What is there is
# not fetched again. Usage: install.sh [influxdb] [kafka]
set -eu

here=$(cd "$(dirname "$0")" && pwd)
cache=${FORECASTER_SERVICES:-${XDG_CACHE_HOME:-$HOME/.cache}/forecaster}
[ $# -gt 0 ] || set -- influxdb kafka

for service; do
	case $service in
	influxdb)
		if [ ! -x "$cache/influxdb-1.8.10/influxd" ]; then
			echo "building InfluxDB 1.8.10 (about two minutes)"
			# Outside the module, so that its go.mod plays no part.
			(cd / && GOFLAGS= GOBIN="$cache/influxdb-1.8.10" go install github.com/influxdata/influxdb/cmd/influxd@v1.8.10)
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
		;;
	*)
		echo "install.sh: unknown service $service" >&2
		exit 2
		;;
	esac
done
