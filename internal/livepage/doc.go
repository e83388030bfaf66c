// Package livepage shows the results of an engine in a browser: observations, past and
// current forecasts, scores and events.
//
// A Page is a stream.Sink that remembers the recent past in bounded memory, and
// a handler of HTTP requests that serves
//
//	/                    the page; everything it needs is in the binary
//	/api/v1/series       the series and their variables
//	/api/v1/forecast     ?series=&variable=&horizon=&samples=  observations, forecasts of them, and the forecast
//	/api/v1/metrics      ?series=&variable=&horizon=           scores
//	/api/v1/experts      ?series=                              weights of the experts, if the model is a mixture
//	/api/v1/influence    ?series=                              which variable influences which, with model.influence
//	/api/v1/events       ?limit=                               events, newest first
//	/api/v1/status       rate, lag, state
//	/api/v1/stream       ?series=&variable=&horizon=           all of this as server-sent events
//
// Times are in seconds since 1970 UTC, and unknown values (NaN) are null. A
// refused request is answered with {"error": "…"}.
//
// # Memory
//
// The page lists MaxListed series, with what they can be sorted by. At most MaxSeries of them,
// as many as fit into Config.Memory, have a history: those that clients asked for last, and
// those with anomalies. A history has the first MaxVariables variables and as many samples as
// fit into 1 MiB, at most 1,000. The foot of the page and /api/v1/series state these limits.
//
// # Clients
//
// Nothing is queued for a client of the stream: it has a position in the memory above, and
// gets the news four times per second. A client behind the oldest kept sample starts
// again with the kept ones. A client that reads nothing for ten seconds is dropped, and
// there are at most MaxClients. The status, sent every second and with new samples, is also the heartbeat.
package livepage
