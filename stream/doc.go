// Package stream declares the vocabulary between a log and its forecasts: messages, records
// and series; the points of a Batch; and the interfaces of the edges. Packages stream/refuse and
// stream/event have the reasons for a refusal and the kinds of events.
//
// Where things happen:
//
//   - package stream/assemble makes samples of records: it refuses records (admit.go, grid.go),
//     joins their parts in rows and fills gaps;
//   - package stream/engine lets models learn from samples (engine.go), scores the forecasts
//     (scorer.go) and makes points of them (emit.go, metrics.go);
//   - package stream/checkpoint declares what a restart needs: checkpoints, where they are stored,
//     and what sources and sinks do to go on from one;
//   - package stream/run drives an engine with goroutines and a clock: Driver.Deliver writes
//     the points, stores a checkpoint and commits its offset;
//   - package stream/format decodes messages, package stream/lineproto encodes points;
//   - packages stream/file, stream/kafka, stream/influx and stream/sim are the edges. Package
//     stream/streamtest has their contracts as tests.
//
// Interfaces of the edges have one to three methods.
package stream
