// Package influx writes points to InfluxDB 2 or 1.8.
//
// Package lineproto encodes the points, and package delivery repeats, cuts or gives up requests, of a few thousand
// lines each. Only the status 204 means that a request is accepted. Points beyond the retention policy are given
// up, whatever the status.
package influx
