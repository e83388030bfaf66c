// Package delivery sends points to databases over HTTP, as lines. Requests follow each other: each is repeated
// until its points are accepted or become dead letters. Reactions to an answer that does not accept a request:
//
//	no answer, 408, 429, 5xx   the request is repeated until it succeeds, with growing
//	                           pauses or those that the server asks for; after two
//	                           timeouts in a row it is cut in half
//	413                        it is cut in half
//	400, 422                   it is cut in half until the points at fault are found,
//	                           which become dead letters; the others are written.
//	                           When the answer names no point and no other point of the
//	                           request is accepted, the configuration is at fault: as below
//	401, 403, 404, others,     nothing is dropped: it is logged as an error and
//	also pages and redirects   repeated until somebody has repaired the configuration
//
// A redirect is never followed. A request with an unknown outcome is repeated, so the server must treat equal
// points as one.
package delivery
