//go:build unix

package soak

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

// TestFault71_KilledTogether: VictoriaMetrics is killed three times within 40 s while 12,000 samples come, and
// the process with it; in the end it has all 12,000 forecasts.
//
//	go test ./internal/tools/soak -v -run KilledTogether -kills 3
func TestFault71_KilledTogether(t *testing.T) {
	if *kills == 0 {
		t.Skip("it takes a minute: go test ./internal/tools/soak -v -run KilledTogether -kills 3")
	}
	const samples, pace = 12_000, 300 // per second
	binary := filepath.Join(t.TempDir(), "forecaster")
	if out, err := exec.Command("go", "build", "-o", binary, "github.com/orffvar/forecaster/cmd/forecaster").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	broker, err := devbroker.Start(1, []string{topic})
	if err != nil {
		t.Fatal(err)
	}
	defer broker.Close()
	db := testserver.StartVictoriaMetrics(t)
	begin := func() *exec.Cmd {
		cmd := exec.Command(binary, "run", "--set", "input.kafka.brokers="+broker.Addr(), "--set", "input.kafka.topics="+topic, "--set", "input.kafka.session_timeout=6s",
			"--set", "output.influxdb.url="+db.URL, "--set", "output.influxdb.bucket=forecasts", "--set", "output.influxdb.include=forecasts",
			"--set", "state.topic=state", "--set", "state.interval=1s", "--set", "model.type=persistence", "--set", "log.level=error")
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker.Addr()}}, topic, slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	process := begin()
	defer func() {
		_ = process.Process.Kill() // unless it has ended
		_ = process.Wait()         // its error is the signal
	}()
	first, began := time.Now().Add(-24*time.Hour).Unix(), time.Now()
	for i := 0; i < samples; i += pace {
		var batch []stream.Message
		for k := range pace + 1 {
			if k > 0 || i == 0 { // one more: there is no forecast before the spacing is known
				batch = append(batch, stream.Message{Key: []byte("s"), Value: fmt.Appendf(nil, `{"time": %d, "values": {"a": %d}}`, first+int64(i+k), (i+k)%17)})
			}
		}
		if err := p.Send(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
		if i%(samples/(*kills+1)/pace*pace) == 0 && i > 0 {
			_ = process.Process.Kill()
			db.Kill()
			_ = process.Wait()
			process = begin()
		}
		time.Sleep(time.Until(began.Add(time.Duration(i/pace+1) * time.Second)))
	}
	seen := ""
	for deadline := time.Now().Add(3 * time.Minute); seen != fmt.Sprint(samples) && time.Now().Before(deadline); time.Sleep(time.Second) {
		now := time.Now()
		if all := db.Query(`sum(count_over_time({__name__="forecast_a"}[2d]))`, now, now, 0); len(all) == 1 {
			seen = fmt.Sprint(all[0].Value[1])
		}
	}
	t.Logf("%s of %d points after %d kills in %v", seen, samples, *kills, time.Since(began).Round(time.Second))
	if seen != fmt.Sprint(samples) {
		t.Error("points are missing")
	}
}
