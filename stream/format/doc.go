// Package format decodes messages into records: JSON objects, lines of CSV and of
// InfluxDB's line protocol.
//
// A decoder reuses its memory, and is not safe for concurrent use. Decoders of JSON and CSV allocate nothing once
// they have seen the names of the variables.
package format
