// Package soak runs the program for real among failures: three processes of a
// consumer group read six partitions from Apache Kafka and write to InfluxDB,
// while processes are killed and frozen, connections cut, and servers taken away.
// Then the same log is replayed offline, without failures, and the contents of
// InfluxDB must equal what that writes, point by point.
//
//	go test ./internal/tools/soak -v -timeout 0 -duration 5m -seed 7
//
// TestKill9 does so with every kind of output. TestTelegraf, of the same servers but without
// failures, compares the cost with Telegraf's.
//
// It needs the servers of package testserver.
package soak
