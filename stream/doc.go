// Package stream runs models on streams: a pure engine that turns records into
// forecasts and scores, and the interfaces of the edges around it.
//
// The Engine has no clock, goroutine or I/O. Everything around it is a loop of
// this kind, which ExampleEngine runs:
//
//	for each message m {
//		decoded.Decode(decoder, &m)
//		engine.LearnMessage(&batch, &decoded, 0)
//		engine.Settle(&batch)
//		engine.Score(&batch)
//		sink.Write(ctx, &batch) // first the points,
//		store.Save(ctx, checkpoint of engine.Encoded) // then what covers them,
//		source.Commit(ctx, engine.Next()) // then the offset
//		batch.Reset() and decoded.Reset()
//	}
//
// The Runner of package stream/run is this loop with four goroutines, many messages a
// batch and a checkpoint every few seconds, and it resumes from the last one. Since the
// state at an offset is a function of the messages before it, whatever a restart writes
// again has the values it had the first time.
//
// Where things happen:
//
//   - a record is refused in Assembler.Add (assembler.go; the rules are in admit.go and
//     grid.go), a message that cannot be read in the decoders (package stream/format), a
//     series for which there is no memory in Engine.afford (budget.go);
//   - a model learns from a sample, and forecasts after it, in Engine.Learn (engine.go);
//     its weights change in the Observe of the forecaster, in package varmodel;
//   - a forecast is scored in Engine.Score (engine.go, scorer.go), its sample as an
//     anomaly by eval.AnomalyScorer; it becomes a point in emit.go, its scores in
//     metrics.go;
//   - a checkpoint is stored, and its offset committed, in Driver.Deliver of stream/run;
//   - points become lines for InfluxDB in package stream/lineproto.
//
// The edges are interfaces of one to three methods. Implementations: stream/file,
// stream/kafka, stream/influx, stream/sim; decoders: stream/format. Package
// stream/streamtest has their contracts as tests.
package stream
