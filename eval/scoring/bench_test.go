package scoring

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/testseries"
)

// benchShapes are the shapes that what looks at every sample is timed at.
var benchShapes = []struct{ dim, horizon int }{{1, 1}, {7, 1}, {31, 1}, {7, 12}}

// BenchmarkScorer times one step: a sample scored, the next forecasts taken.
func BenchmarkScorer(b *testing.B) {
	for _, c := range benchShapes {
		b.Run(fmt.Sprintf("d=%d/H=%d", c.dim, c.horizon), func(b *testing.B) {
			config := ScorerConfig{Dim: c.dim, Window: 500, Level: .9}
			for h := range c.horizon {
				config.Horizons = append(config.Horizons, h+1)
			}
			s := NewScorer(config)
			rows := testseries.Normals(1, 512, c.dim*c.horizon)
			lower, upper := make([]float64, c.dim*c.horizon), make([]float64, c.dim*c.horizon)
			for i := range lower {
				lower[i], upper[i] = -1.6, 1.6
			}
			b.ReportAllocs()
			for n := 0; b.Loop(); n++ {
				f := rows[n%512]
				s.Observe(f[:c.dim])
				s.Push(f, lower, upper, rows[(n+1)%512])
			}
		})
	}
}
