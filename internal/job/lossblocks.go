package job

import (
	"context"
	"math"
	"sync"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/stream"
)

// LossBlocks is a tap that keeps, per score, the mean squared errors of blocks of samples:
// those between two points of metrics.
type LossBlocks struct {
	mu     sync.Mutex
	blocks map[ScoreKey]*lossBlocks
}

type lossBlocks struct {
	n, sum float64 // samples and squared errors up to the last point
	means  []float64
}

// Write implements stream.Sink.
func (l *LossBlocks) Write(_ context.Context, b *stream.Batch) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.blocks == nil {
		l.blocks = make(map[ScoreKey]*lossBlocks)
	}
	for i := range b.Metrics {
		m := &b.Metrics[i]
		if m.Target != stream.AllTargets {
			continue
		}
		key := ScoreKey{m.Series.Name, m.Model, m.Horizon}
		s := l.blocks[key]
		if s == nil {
			s = new(lossBlocks)
			l.blocks[key] = s
		}
		if n := float64(m.Score.N); n > s.n {
			sum := n * m.Score.MSE
			s.means = append(s.means, (sum-s.sum)/(n-s.n))
			s.n, s.sum = n, sum
		}
	}
	return nil
}

// StandardError returns that of the MSE of a score; blocks have the given number of samples.
func (l *LossBlocks) StandardError(key ScoreKey, block int) float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.blocks[key]
	if s == nil {
		return math.NaN()
	}
	return eval.StandardError(s.means, 1+(key.Horizon+block-2)/block)
}

// Close implements stream.Sink.
func (l *LossBlocks) Close() error { return nil }
