// Package testserver starts real servers on loopback for tests: Apache Kafka
// (one KRaft node), InfluxDB (1.8 and 2.7) and VictoriaMetrics, each in directories of its own, on free
// ports, killed when the test ends or dies. It also has a TCP proxy that cuts,
// delays and swallows traffic, and finds a Python with pandas.
//
// The servers are not part of the module. install.sh builds or downloads them
// into a cache directory outside the tree:
//
//	internal/tools/testserver/install.sh            # what CI needs: the next three
//	internal/tools/testserver/install.sh influxdb   # Go only
//	internal/tools/testserver/install.sh victoriametrics # likewise
//	internal/tools/testserver/install.sh kafka      # needs a JDK 17 and Maven
//	internal/tools/testserver/install.sh python     # needs Python 3.11 or later with venv
//	internal/tools/testserver/install.sh influxdb2  # optional: needs Rust and a C compiler
//
// A test that needs a server that is not installed is skipped, unless
// FORECASTER_REQUIRE_SERVICES is set, as CI does: then it fails.
package testserver
