// Package lineproto writes points in InfluxDB's line protocol.
package lineproto
