// Package format decodes messages into records: JSON objects, lines of CSV and of
// InfluxDB's line protocol.
//
// A decoder reuses its memory; decoders of JSON and CSV allocate nothing once they
// have seen the names of the variables. It is not safe for concurrent use.
package format
