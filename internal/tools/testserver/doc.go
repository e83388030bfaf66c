// Package testserver starts real servers on loopback for tests, such as Apache
// Kafka (KRaft), InfluxDB (1.8 and 2.7) and VictoriaMetrics. Each server has its own
// directories and free ports, and is killed when the test ends or dies. The package
// also has a TCP proxy that cuts, delays and swallows traffic, and finds a Python
// with pandas.
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
// A test is skipped if one of its servers is not installed. If the environment
// variable FORECASTER_REQUIRE_SERVICES is set, as in CI, the test fails instead.
package testserver
