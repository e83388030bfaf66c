package wire

import (
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
)

// TestPartitionsShareNoOutput: each partition has outputs of its own behind the taps
// that all of them share.
func TestPartitionsShareNoOutput(t *testing.T) {
	c := config.Default()
	c.Output.Set(&InfluxDBOutput{URL: "http://127.0.0.1:1", Bucket: "b"})
	taps := make([]stream.Sink, 1, 10)
	taps[0] = stream.Discard{}
	var opened [2]*Outputs
	for i := range opened {
		o, err := OpenOutputs(c, logtest.Discard(), taps...)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		opened[i] = o
	}
	for _, o := range opened {
		if len(o.Sink) != 2 || o.Sink[1] != o.opened["output.influxdb"][0] {
			t.Errorf("%v is not %v", o.Sink, o.opened)
		}
	}
	if opened[0].Sink[1] == opened[1].Sink[1] {
		t.Error("two partitions have one sink")
	}
}
