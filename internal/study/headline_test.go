package study

import (
	"strings"
	"testing"
)

// A row of two anomalies, a jump within a change of the state, counts once: never 4 of 3 rows.
func TestHeadlineCountsARowOnce(t *testing.T) {
	r := &AnomalyReport{Dataset: "d", scored: 3, Stretches: []stretch{
		{Series: "a", Rows: 3}, {Series: "a", first: 1, Rows: 1},
	}}
	if got := r.Headline(); !strings.HasSuffix(got, "with 3 of 3 scored rows") {
		t.Error(got)
	}
	r.scored, r.Stretches[1].Series = 6, "b"
	if got := r.Headline(); !strings.HasSuffix(got, "with 4 of 6 scored rows") {
		t.Error(got)
	}
}
