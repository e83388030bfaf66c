// Package engine runs models on streams: it turns records into forecasts, scores and events.
//
// The Engine has no clock, goroutine or I/O. Everything around it is a loop of this kind, which
// ExampleEngine runs:
//
//	for each message m {
//		decoded.Decode(decoder, &m)
//		engine.LearnMessage(&results, &decoded, 0)
//		engine.Settle(&results)
//		engine.Score(&results)
//		sink.Write(ctx, &results.Batch) // first the points,
//		store.Save(ctx, checkpoint of engine.Encoded) // then what covers them,
//		source.Commit(ctx, engine.Next()) // then the offset
//		results.Reset() and decoded.Reset()
//	}
//
// The Runner of package stream/run is this loop with four goroutines, many messages a batch
// and a checkpoint every few seconds, and it resumes from the last one. Since the state at an
// offset is a function of the messages before it, whatever a restart writes again has the
// values it had the first time.
//
// A model learns from a sample, and forecasts after it, in Engine.learn (engine.go); its
// weights change in the Observe of the forecaster, in package varmodel. A forecast is scored in
// scorer.take (scorer.go), its sample as an anomaly by anomaly.Scorer (anomalyevent.go); it
// becomes a point in emit.go, its scores in metrics.go. A series for which there is no memory
// is refused in Engine.afford (budget.go).
package engine
