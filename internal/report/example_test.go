package report_test

import (
	"fmt"
	"strings"

	"github.com/orffvar/forecaster/internal/report"
)

func Example() {
	t := report.NewTrace(report.Config{Model: "persistence", Horizon: 1, Variables: []string{"cpu"}})
	for i, y := range []float64{1, 3, 2, 4} {
		t.Step(report.Step{Time: int64(i) * 1e9, Y: []float64{y}, Forecast: []float64{y}})
	}
	var page strings.Builder
	r := report.Report{Title: "cpu", Traces: []*report.Trace{t}}
	if err := r.WriteHTML(&page); err != nil {
		fmt.Println(err)
	}
	fmt.Println(strings.Count(page.String(), "<svg"), "plots, narrow and wide")
	// Output: 4 plots, narrow and wide
}
