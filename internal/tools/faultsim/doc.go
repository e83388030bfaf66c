// Package faultsim is a deterministic simulation of the program with failures. One
// goroutine owns the whole world:
//
//   - the time;
//   - a log with retention, and with transactions that abort or hang;
//   - the coordinator of a consumer group with generations;
//   - up to four members that crash, freeze, and wake up as zombies, and whose clocks may be ahead;
//   - stores and files with torn, lost and unsynced writes;
//   - a database that loses answers, applies writes in part, late or twice, has quotas, and
//     loses its last points when it is killed.
//
// The members run the real run.Driver, engine.Engine and delivery.Sink with real
// checkpoints and the real line protocol. They are coroutines that are switched at every
// effect.
//
// The oracle is the same engine, run over the same log without failures. At the end of a
// simulation, the state must equal the state of the oracle bit by bit, and the sink must
// hold exactly the points of the oracle. The sink must never receive a value that the
// oracle does not have. A commit of an older generation must never replace a newer commit.
//
// A seed determines all random choices. A failing seed is replayed, effect by effect, with
//
//	go run ./internal/tools/faultsim/cmd/faultsim -seed N -trace
//
// A topic may be replaced by another topic, or get another partition. All processes must
// then end, and no checkpoint may cover messages after the change.
//
// A Bug is a kind of mistake that has lost data in other programs. The tests plant each
// Bug, and require that the oracle finds it.
package faultsim
