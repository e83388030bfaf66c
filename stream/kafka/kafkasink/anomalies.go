package kafkasink

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

type anomalySink struct{ *Producer }

var _ stream.Sink = (*anomalySink)(nil)

// NewAnomalies returns a sink that has not connected yet. The topic must exist. For letters
// see New.
//
// The sink writes the events of anomalies to a topic, as JSON:
//
//	{"series":"host1","event":"end","time":"2026-01-01T00:12:30Z","begin":"2026-01-01T00:10:00Z",
//	 "peak":"2026-01-01T00:10:20Z","end":"2026-01-01T00:10:40Z","samples":5,"score":3.2,"state_score":1.4,
//	 "cause":"level","variables":[{"name":"cpu","share":0.93}],"false_per_day":0.004,
//	 "seen":{"name":"cpu","observed":0.97,"expected":0.41,"lower":0.32,"upper":0.5}}
//
// The event is begin, new_normal or end, and time the time of the sample at which it became known.
// The key is the name of the series. After a crash messages may be there again, with the same
// bytes: (series, begin, event) is the identity of a message.
func NewAnomalies(c cluster.Connection, topic string, letters stream.DeadLetters, log *slog.Logger) (stream.Sink, error) {
	p, err := NewProducer(c, topic, log)
	if err != nil {
		return nil, err
	}
	p.rejects(letters)
	return &anomalySink{p}, nil
}

// anomalyMessage is a message as JSON.
type anomalyMessage struct {
	Series    string         `json:"series"`
	Event     string         `json:"event"`
	Time      time.Time      `json:"time"`
	Begin     time.Time      `json:"begin"`
	Peak      time.Time      `json:"peak"`
	End       time.Time      `json:"end"` // time of the last sample above 1 so far
	Samples   int64          `json:"samples"`
	Score     float64        `json:"score"`       // score at the peak
	State     float64        `json:"state_score"` // largest state score
	Cause     string         `json:"cause"`
	Variables []anomalyShare `json:"variables"`
	False     *float64       `json:"false_per_day"` // expected alarms per day with at least this score; null = unknown
	Seen      anomalySeen    `json:"seen"`
}

// anomalySeen holds the values of one variable at the peak; null = missing or unknown.
type anomalySeen struct {
	Name     string   `json:"name"`
	Observed *float64 `json:"observed"`
	Expected *float64 `json:"expected"`
	Lower    *float64 `json:"lower"`
	Upper    *float64 `json:"upper"`
}

// known returns x for JSON, nil if x is NaN.
func known(x float64) *float64 {
	if x-x != 0 {
		return nil
	}
	return &x
}

type anomalyShare struct {
	Name  string  `json:"name"`
	Share float64 `json:"share"`
}

// Write implements stream.Sink. It returns when all replicas have the events;
// see Producer.Send.
func (s *anomalySink) Write(ctx context.Context, b *stream.Batch) error {
	var sent []outgoing
	for i := range b.Events {
		e := &b.Events[i]
		if e.Anomaly == nil {
			continue
		}
		value, err := json.Marshal(messageOf(e))
		if err != nil {
			return err // never: the scores are finite
		}
		sent = append(sent, outgoing{key: []byte(e.Series), value: value})
	}
	if len(sent) == 0 {
		return nil
	}
	return s.send(ctx, len(sent), func(i int) outgoing { return sent[i] })
}

func messageOf(e *stream.Event) anomalyMessage {
	at := func(ns int64) time.Time { return time.Unix(0, ns).UTC() }
	a := e.Anomaly
	m := anomalyMessage{
		Series: e.Series, Event: a.Phase, Time: at(e.Time), Begin: at(a.Begin), Peak: at(a.Peak), End: at(a.End),
		Samples: a.Samples, Score: a.Score, State: a.StateScore, Cause: a.Cause.String(), Variables: []anomalyShare{},
	}
	for _, j := range a.Blamed() {
		m.Variables = append(m.Variables, anomalyShare{a.Variables[j], a.Shares[j]})
	}
	v := &a.Seen
	m.False, m.Seen = known(a.FalsePerDay), anomalySeen{a.Variables[v.Variable], known(v.Observed), known(v.Expected), known(v.Lower), known(v.Upper)}
	return m
}
