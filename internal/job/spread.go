package job

import (
	"context"
	"log/slog"
	"sync"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
)

// places are the partitions of each series. A series in two partitions has two models, each with a part of the samples. A
// job warns of the first such series.
type places struct {
	log    *slog.Logger
	advice string

	mu   sync.Mutex
	of   map[string]string
	told bool
}

func newPlaces(c *config.Config, log *slog.Logger) *places {
	return &places{log: log, advice: wire.KeyAdvice(c), of: make(map[string]string)}
}

// see records that a series has come from a partition.
func (p *places) see(series, partition string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if first, ok := p.of[series]; !ok {
		p.of[series] = partition
	} else if first != partition && !p.told {
		p.told = true
		p.log.Warn("a series comes from two partitions, which forecast it apart: "+p.advice, "series", series, "partitions", []string{first, partition})
	}
}

// spreadLog is a tap that adds the series of a partition to places.
type spreadLog struct {
	*places
	partition string
	seen      map[string]bool
}

// Write implements stream.Sink.
func (s *spreadLog) Write(_ context.Context, b *stream.Batch) error {
	for i := range b.Observations {
		if name := b.Observations[i].Series.Name; !s.seen[name] {
			s.seen[name] = true
			s.see(name, s.partition)
		}
	}
	return nil
}

// Close implements stream.Sink.
func (*spreadLog) Close() error { return nil }
