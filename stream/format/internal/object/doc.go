// Package object looks into objects of JSON: the paths of their numbers and texts, the
// member that has the time, and the envelopes of Kafka Connect and Debezium.
package object
