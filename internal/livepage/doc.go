// Package livepage shows the results of an engine in a browser: observations, past and current forecasts, scores, and
// events.
//
// A Page is a stream.Sink that keeps the recent past in bounded memory, and a handler of HTTP requests with the paths
//
//	/                    the page; all its files are in the binary
//	/api/v1/series       the series and their variables
//	/api/v1/forecast     ?series=&variable=&horizon=&samples=  observations, forecasts of them, and the forecast
//	/api/v1/metrics      ?series=&variable=&horizon=           scores
//	/api/v1/experts      ?series=                              weights of the experts, if the model is a mixture
//	/api/v1/influence    ?series=                              influence of each variable on each other, with model.influence
//	/api/v1/events       ?limit=                               events, newest first
//	/api/v1/status       rate, lag, state
//	/api/v1/stream       ?series=&variable=&horizon=           all of this as server-sent events
//
// Times are in seconds since 1970 UTC. Unknown values (NaN) are null. The answer to an invalid request is {"error": "…"}.
//
// # Memory
//
// The page lists up to MaxListed series, with the values that clients can sort by. At most MaxSeries of them have a
// history, and only as many as fit into Config.Memory: the series that clients requested last, and series with
// anomalies. A history has the first MaxVariables variables, and as many samples as fit into 1 MiB (from the 51st
// history on: 64 KiB, but at least 60 samples), at most 1,000. The foot of the page and /api/v1/series state these
// limits.
//
// # Clients
//
// The page has no queues for clients of the stream. A client has a position in the memory above, and gets new data four
// times per second. A client behind the oldest kept sample starts again from the kept samples. A client that reads
// nothing for ten seconds is disconnected. There are at most MaxClients. The status is sent every second and with new
// samples; it is also the heartbeat.
package livepage
