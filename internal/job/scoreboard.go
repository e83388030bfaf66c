package job

import (
	"context"
	"sync"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/stream"
)

// scoreboard is a tap that keeps the latest scores, for the terminal and for /metrics.
type scoreboard struct {
	mu     sync.Mutex
	order  []ScoreKey // keys in order of appearance
	scores map[ScoreKey]scoring.Score
}

// ScoreKey identifies a score over all variables of a series.
type ScoreKey struct {
	Series, Model string
	Horizon       int
}

// Write implements stream.Sink.
func (s *scoreboard) Write(_ context.Context, b *stream.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scores == nil {
		s.scores = make(map[ScoreKey]scoring.Score)
	}
	for i := range b.Metrics {
		m := &b.Metrics[i]
		if m.Target != stream.AllTargets || m.Series.Variables == nil {
			continue
		}
		k := ScoreKey{m.Series.Name, m.Model, m.Horizon}
		if _, seen := s.scores[k]; !seen {
			s.order = append(s.order, k)
		}
		s.scores[k] = m.Score
	}
	return nil
}

// Close implements stream.Sink.
func (s *scoreboard) Close() error { return nil }

// Each calls f for every score, in order of appearance.
func (s *scoreboard) Each(f func(k ScoreKey, score scoring.Score)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.order {
		f(k, s.scores[k])
	}
}
