package influx_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/influx"
)

func Example() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNoContent) // in the place of InfluxDB
	}))
	defer server.Close()

	sink, err := influx.New(influx.Config{URL: server.URL, Bucket: "forecasts"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	err = sink.Write(context.Background(), &stream.Batch{Forecasts: []stream.Forecast{{
		Series: &stream.Series{Name: "host1", Variables: []string{"cpu", "mem"}},
		Model:  "orffvar", Horizon: 1, Time: 1767225600e9, Yhat: []float64{0.5, 0.7},
	}}})
	fmt.Println(sink.Stats().Written, "points,", "error", err)
	// Output: 1 points, error <nil>
}
