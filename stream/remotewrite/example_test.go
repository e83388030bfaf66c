package remotewrite_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/stream/remotewrite"
)

func ExampleNew() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Content-Encoding"), r.Header.Get("X-Prometheus-Remote-Write-Version"))
		w.WriteHeader(http.StatusNoContent) // in the place of Prometheus
	}))
	defer server.Close()

	// A forecast has the time of the last sample before it, as Prometheus wants it.
	sink, err := remotewrite.New(remotewrite.Config{URL: server.URL, Encoder: lineproto.Encoder{AtOrigin: true}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer sink.Close()
	err = sink.Write(context.Background(), &stream.Batch{Forecasts: []stream.Forecast{{
		Series: &stream.Series{Name: "host1", Variables: []string{"cpu", "mem"}},
		Model:  "auto", Horizon: 1, Origin: 1767225590e9, Time: 1767225600e9, Yhat: []float64{0.5, 0.7},
	}}})
	fmt.Println(sink.Stats().Written, "point, error", err)
	// Output:
	// snappy 0.1.0
	// 1 point, error <nil>
}
