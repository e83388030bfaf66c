package livepage_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/orffvar/forecaster/internal/livepage"
	"github.com/orffvar/forecaster/stream"
)

// A page is one of the sinks of a job and the handler of a server.
func Example() {
	page := livepage.New(livepage.Config{Model: "orffvar", Horizons: []int{1}})

	series := &stream.Series{Name: "machine", Variables: []string{"load"}}
	batch := &stream.Batch{
		Records: 1,
		Observations: []stream.Observation{
			{Series: series, Time: 1e9, Y: []float64{0.5}, Residual: []float64{0.1}, AnomalyScore: 1.5, StateScore: 1.2, VariableScores: []float64{0.7}},
		},
		Forecasts: []stream.Forecast{
			{Series: series, Model: "orffvar", Origin: 1e9, Time: 2e9, Horizon: 1, Yhat: []float64{0.6}},
		},
	}
	if err := page.Write(context.Background(), batch); err != nil {
		fmt.Println(err)
	}

	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequest("GET", "/api/v1/forecast?series=machine", nil))
	fmt.Println(w.Body)
	// Output:
	// {"series":"machine","end":1,"horizon":1,"time":[1],"anomaly_score":[1.5],"state_score":[1.2],"variables":[{"name":"load","y":[0.5],"yhat":[null],"yhat_lower":[null],"yhat_upper":[null],"anomaly_score":[0.7],"share":[null]}],"forecast":{"origin":1,"horizon":[1],"time":[2],"variables":[{"name":"load","yhat":[0.6],"yhat_lower":[],"yhat_upper":[]}]}}
}
