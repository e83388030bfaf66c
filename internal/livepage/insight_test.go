package livepage

import (
	"fmt"
	"testing"

	"github.com/orffvar/forecaster/stream"
)

func TestExpertsOverTime(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a", "b")
	f.feed(1)
	var refused errorMessage
	get(t, f.page, "/api/v1/experts?series=s", 404, &refused)
	b := &stream.Batch{}
	for k := range maxPoints + 2 {
		w := float64(k%2) / 2
		b.Insights = append(b.Insights,
			stream.Insight{Series: f.series, Model: "orffvar", Time: f.time(int64(k)), Experts: []string{"x", "y"}, Weights: []float64{w, 1 - w, .5, .5}},
			stream.Insight{Series: f.series, Model: "other", Experts: []string{"z"}, Weights: []float64{1, 1}})
	}
	f.write(b)
	var m expertsMessage
	get(t, f.page, "/api/v1/experts?series=s", 200, &m)
	if fmt.Sprint(m.Experts) != "[x y]" || len(m.Time) != maxPoints || m.Time[0] != 18e8+2 {
		t.Fatalf("experts %v, %d points from %v", m.Experts, len(m.Time), m.Time[0])
	}
	for _, i := range []int{0, maxPoints - 2} { // the last two points take the places of the first two
		if x, y := m.Weights[0][i:i+2], m.Weights[1][i:i+2]; !same(x, column{.25, .5}) || !same(y, column{.75, .5}) {
			t.Errorf("weights %v and %v", x, y)
		}
	}
}

func TestManyExpertsAreAddedUp(t *testing.T) {
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", "a")
	in := stream.Insight{Series: f.series, Model: "orffvar"}
	for k := range maxExperts + 3 {
		in.Experts = append(in.Experts, fmt.Sprint("e", k))
		in.Weights = append(in.Weights, 1./(maxExperts+3))
	}
	f.write(&stream.Batch{Insights: []stream.Insight{in}})
	var m expertsMessage
	get(t, f.page, "/api/v1/experts?series=s", 200, &m)
	if len(m.Experts) != maxExperts || m.Experts[maxExperts-1] != "others" {
		t.Fatalf("experts %v", m.Experts)
	}
	sum := 0.
	for _, w := range m.Weights {
		sum += w[0]
	}
	// Sum of maxExperts + 3 equal numbers.
	if d := sum - 1; !(d <= 1e-15 && d >= -1e-15) {
		t.Errorf("the weights sum to 1%+g", d)
	}
}

// TestInfluenceOfTheVariablesKept: variables beyond the limit are not shown.
func TestInfluenceOfTheVariablesKept(t *testing.T) {
	names := make([]string, MaxVariables+2)
	values := make([]float64, len(names)*len(names))
	for i := range names {
		names[i] = fmt.Sprint("v", i)
		for j := range names {
			values[i*len(names)+j] = float64(1000*i + j)
		}
	}
	f := newFeeder(t, Config{Horizons: []int{1}}, "s", names...)
	f.write(&stream.Batch{Insights: []stream.Insight{{Series: f.series, Model: "orffvar", Influence: values}}})
	var m influenceMessage
	get(t, f.page, "/api/v1/influence?series=s", 200, &m)
	if len(m.Variables) != MaxVariables || len(m.Influence) != MaxVariables || len(m.Influence[63]) != MaxVariables {
		t.Fatalf("%d variables, %d x %d", len(m.Variables), len(m.Influence), len(m.Influence[0]))
	}
	if m.Influence[63][1] != 63001 || m.Influence[2][63] != 2063 {
		t.Errorf("got %v and %v", m.Influence[63][1], m.Influence[2][63])
	}
	f.write(&stream.Batch{Insights: []stream.Insight{{Series: f.series, Model: "orffvar", Experts: []string{"x"}, Weights: make([]float64, len(names))}}})
	get(t, f.page, "/api/v1/influence?series=s", 404, nil)
}
