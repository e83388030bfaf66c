// Package anomaly scores how improbable each sample of a series is and joins alarms into
// events.
//
// A [Scorer] reads a sample and its one-step forecast. It has several views of a sample
// (see [View]): the forecast error, the level, repetitions, noise, and each variable given
// the others. The score of a row is 1 where the rate of alarms on normal data reaches
// [Config.FalseAlarms]. An [Event] lasts from its first alarm to its end.
//
// The package is pure: no clock, no goroutine, no I/O. docs/design/0007-quiet-anomalies.md gives the reasons.
package anomaly
