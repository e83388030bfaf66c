// Package influx writes points to InfluxDB, version 2 or 1.8.
//
// The points are those of package lineproto, in requests of a few thousand
// lines, one after the other. What happens when one fails:
//
//	no answer, 408, 429, 5xx   it is repeated until it succeeds, with growing pauses
//	                           or those that the server asks for
//	413                        it is cut in half
//	400, 422, and everything   it is cut in half until the points at fault are found,
//	that is said to be beyond  which become dead letters; the others are written
//	the retention policy
//	401, 403, 404, others      nothing is dropped: it is logged as an error and
//	                           repeated until somebody has repaired the configuration
//
// A point that is written twice overwrites itself, so a request of which nobody
// knows whether it succeeded is simply repeated.
package influx
