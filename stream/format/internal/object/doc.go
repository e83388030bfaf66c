// Package object analyses JSON objects: the paths of numbers and texts, the member with the time, and the envelopes of
// Kafka Connect and Debezium.
package object
