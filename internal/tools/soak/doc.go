// Package soak runs the real program with real failures. Three processes of a
// consumer group read six partitions from Apache Kafka and write to InfluxDB.
// Meanwhile processes are killed and frozen, connections are cut, and servers are
// stopped. Then the same log is replayed offline, without failures. The contents of
// InfluxDB must equal the output of the replay, point by point.
//
//	go test ./internal/tools/soak -v -timeout 0 -duration 5m -seed 7
//
// TestKill9 runs the same test with every kind of output. TestTelegraf uses the same servers
// without failures, and compares the cost of the program with the cost of Telegraf.
//
// The tests need the servers of package testserver.
package soak
