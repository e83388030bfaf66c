// Package influx writes points to InfluxDB, version 2 or 1.8.
//
// The points are those of package lineproto, in requests of a few thousand
// lines, one after the other. Only the status 204 accepts a request. What happens
// after another answer:
//
//	no answer, 408, 429, 5xx   the request is repeated until it succeeds, with growing
//	                           pauses or those that the server asks for; after two
//	                           timeouts in a row it is cut in half
//	413                        it is cut in half
//	400, 422, and everything   it is cut in half until the points at fault are found,
//	that is said to be beyond  which become dead letters; the others are written.
//	the retention policy       When the answer names no point and no other point of the
//	                           request is accepted, the configuration is at fault: as below
//	401, 403, 404, others,     nothing is dropped: it is logged as an error and
//	also 200 and redirects     repeated until somebody has repaired the configuration
//
// A redirect is never followed. A point that is written twice overwrites itself, so a
// request of which nobody knows whether it succeeded is simply repeated.
package influx
