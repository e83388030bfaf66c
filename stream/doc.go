// Package stream runs models on streams: a pure engine that turns records into
// forecasts and scores, and a runner that connects it to a source, a sink and a
// checkpoint store.
package stream
