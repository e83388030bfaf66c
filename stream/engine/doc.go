// Package engine runs models on streams: it turns records into forecasts, scores and events.
//
// The Engine has no clock, no goroutine and no I/O. A loop like this drives it, see
// ExampleEngine:
//
//	for each message m {
//		decoded.Decode(decoder, &m)
//		engine.LearnMessage(&results, &decoded, 0)
//		engine.Settle(&results)
//		engine.Score(&results)
//		sink.Write(ctx, &results.Batch) // first the points,
//		store.Save(ctx, checkpoint of engine.Encoded) // then the state that follows them,
//		source.Commit(ctx, engine.Next()) // then the offset
//		results.Reset() and decoded.Reset()
//	}
//
// The Runner of package stream/run runs this loop in four goroutines, with many messages per
// batch and a checkpoint every few seconds, from which it resumes. The state at an offset is a
// function of the messages before it. A restart therefore writes points again with the same
// values.
//
// Where to find the steps:
//
//   - Engine.learn (engine.go) lets a model learn from a sample and forecast. Its weights
//     change in Observe of the forecaster, in package varmodel.
//   - The stages of the scorer (scorer.go) set the intervals (cover.go), score the forecasts
//     (compare.go) and the samples (observe.go), and append the forecasts (emit.go).
//   - Engine.afford (budget.go) refuses a series that does not fit into memory.
package engine
