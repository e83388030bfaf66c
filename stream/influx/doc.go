// Package influx writes points to InfluxDB, version 2 or 1.8.
//
// Package lineproto encodes the points; requests have a few thousand lines, which
// package delivery repeats, cuts or gives up. Only the status 204 accepts a request. Points
// that are said to be beyond the retention policy are given up, whatever the status.
package influx
