package engine

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
)

// sortedSeasons returns the seasons of m in ascending order, in the memory of dst.
func sortedSeasons(dst []int, m eval.Seasonal) []int {
	dst = m.AppendSeasons(dst[:0])
	slices.Sort(dst)
	return dst
}

// SeasonText describes seasons with periods in samples.
func SeasonText(seasons []int) string {
	if len(seasons) == 0 {
		return "no season"
	}
	if len(seasons) == 1 {
		return fmt.Sprintf("season of %s", plural.Count(seasons[0], "sample"))
	}
	var text []string
	for _, s := range seasons {
		text = append(text, strconv.Itoa(s))
	}
	last := len(text) - 1
	return "seasons of " + strings.Join(text[:last], ", ") + " and " + text[last] + " samples"
}

// Seasons calls visit for each series whose model has seasons, in order of appearance. seasons has the periods in
// samples, the strongest first, and is valid during the call.
func (e *Engine) Seasons(visit func(s *stream.Series, seasons []int)) {
	var seasons []int
	for _, s := range e.series {
		if m := s.forecaster.seasonal; m != nil {
			if seasons = m.AppendSeasons(seasons[:0]); len(seasons) > 0 {
				visit(s.info, seasons)
			}
		}
	}
}
