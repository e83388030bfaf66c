// Package stream declares the vocabulary between a log and its forecasts: messages, records and series; the points
// of a Batch; the interfaces of the edges. Package stream/refuse has the reasons for a refusal, and package
// stream/event the kinds of events.
//
// The other packages:
//
//   - package stream/assemble makes samples of records: it refuses records (admit.go, grid.go),
//     joins the parts of a row and fills gaps;
//   - package stream/engine lets models learn from samples (engine.go), scores the forecasts
//     (scorer.go) and makes points of them (emit.go, metrics.go);
//   - package stream/checkpoint declares checkpoints, their store, and the interfaces with
//     which sources and sinks resume from one;
//   - package stream/run drives an engine with goroutines and a clock: Driver.Deliver writes
//     the points, stores a checkpoint and commits its offset;
//   - package stream/format decodes messages, package stream/lineproto encodes points;
//   - packages stream/file, stream/kafka, stream/influx and stream/sim are the edges. Package
//     stream/streamtest has their contracts as tests.
//
// Interfaces of the edges have one to three methods.
package stream
