// Package faultsim is a deterministic simulation of the program among failures.
// One goroutine owns everything: the time, a log with retention, the coordinator
// of a consumer group with generations, up to four members that crash, freeze
// and wake up as zombies, whose clocks may be ahead, transactions that abort or
// hang, stores and files with torn, lost and unsynced writes, and a database
// that loses answers, applies writes in part, late and twice, has quotas, and forgets
// what it has accepted when it is killed. The members run the real run.Driver,
// engine.Engine and delivery.Sink with real checkpoints and the real line protocol,
// as coroutines that are switched at every effect.
//
// The oracle is the engine itself, run over the same log without any failure:
// whatever happened, in the end the state must equal its state to the bit and the
// sink must have exactly its points. At no time may the sink get a value that the
// oracle does not have, or a commit of an older generation replace a newer one.
//
// Everything is drawn from a seed. A seed that fails is replayed, effect by
// effect, with
//
//	go run ./internal/tools/faultsim/cmd/faultsim -seed N -trace
//
// A topic may be replaced by another one, or get another partition. Then all processes
// have to end, and no checkpoint may cover what came after.
//
// A Bug is a mistake of the kind that has lost data in other programs. The tests
// plant each one and demand that it is found.
package faultsim
