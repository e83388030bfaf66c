// Package livepage shows in a browser what an engine produces: what was
// observed, what was forecast for it, what is forecast now, how good the
// forecasts are and what happened on the way.
//
// A Page is a stream.Sink that remembers the recent past in bounded memory, and
// a handler of HTTP requests that serves
//
//	/                    the page; everything it needs is in the binary
//	/api/v1/series       the series and their variables
//	/api/v1/forecast     ?series=&variable=&horizon=&samples=  observations, forecasts of them, and the forecast
//	/api/v1/metrics      ?series=&variable=&horizon=           scores
//	/api/v1/experts      ?series=                              weights of the experts that the model mixes, if it does
//	/api/v1/influence    ?series=                              which variable influences which, if the model says so
//	/api/v1/events       ?limit=                               what happened, newest first
//	/api/v1/status       rate, lag, state
//	/api/v1/stream       ?series=&variable=&horizon=           all of this as server-sent events
//
// Times are in seconds since 1970 UTC, and what is unknown (NaN) is null. A
// refused request is answered with {"error": "…"}.
//
// # Memory
//
// The page keeps MaxSeries series, the first ones seen, of each the first
// MaxVariables variables, and of these as many samples as fit into 1 MiB, at
// most 1,000. It says so, at its foot and in /api/v1/series.
//
// # Clients
//
// Nothing is queued for a client of the stream: it has a position in the memory
// above, and four times a second is sent what is new since then; one that fell
// behind the oldest sample kept starts again with what there is. A client that
// does not take what it is sent for ten seconds is dropped, and there are at
// most MaxClients. The status that is sent every second is also the heartbeat.
package livepage
