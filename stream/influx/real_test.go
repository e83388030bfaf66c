package influx

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/secret"
	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/streamtest"
)

func TestRealInfluxDB(t *testing.T) {
	t.Parallel()
	db := testserver.StartInfluxDB(t)
	t.Run("contract", func(t *testing.T) { testContract(t, db) })
	t.Run("values", func(t *testing.T) { testValues(t, db) })
	t.Run("refused points", func(t *testing.T) { testRefusedPoints(t, db) })
	t.Run("beyond the retention policy", func(t *testing.T) {
		db.CreateDatabase("short")
		resp, err := http.PostForm(db.URL+"/query", map[string][]string{"q": {`CREATE RETENTION POLICY "day" ON "short" DURATION 1d REPLICATION 1`}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		var kept letters
		sink := newSink(t, db.URL, func(c *Config) {
			c.Bucket, c.DeadLetters, c.Log = "short/day", &kept, slog.New(slog.NewTextHandler(t.Output(), nil))
		})
		b := points(200)
		for i := range 10 {
			b.Forecasts[i].Time = time.Now().UnixNano() + int64(i)
		}
		if err := sink.Write(deadline(t), b); err != nil {
			t.Fatal(err)
		}
		// A busy server was seen to answer once with a 500, which is repeated. If that were
		// its answer to points beyond the policy, Write would not have ended.
		if st := sink.Stats(); st.Written != 10 || st.Rejected != 190 || len(kept.kept) != 190 {
			t.Errorf("%d dead letters, %+v, %s", len(kept.kept), st, kept.kept[0].Detail)
		}
	})
	t.Run("missing database", func(t *testing.T) {
		sink := newSink(t, db.URL, func(c *Config) { c.Bucket = "later/autogen" })
		done := make(chan error, 1)
		go func() { done <- sink.Write(deadline(t), points(5)) }()
		eventually(t, "an attempt", func() bool { return sink.Stats().Retries["404"] > 0 || len(done) > 0 })
		db.CreateDatabase("later")
		if err := <-done; err != nil || sink.Stats().Written != 5 {
			t.Errorf("error %v, %+v", err, sink.Stats())
		}
	})
	t.Run("restart", func(t *testing.T) {
		bucket := db.CreateDatabase("restart")
		sink := newSink(t, db.URL, func(c *Config) { c.Bucket = bucket })
		if err := sink.Ping(deadline(t)); err != nil {
			t.Error(err)
		}
		done := make(chan error, 1)
		go func() {
			for range 200 {
				if err := sink.Write(deadline(t), points(100)); err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
		db.Stop()
		eventually(t, "an attempt", func() bool { return sink.Stats().Retries["network"] > 0 || len(done) > 0 })
		if err := sink.Ping(deadline(t)); err == nil && len(done) == 0 {
			t.Error("the ping of a stopped server succeeds")
		}
		db.Start()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(dump(t, db, bucket), "yhat"); got != 100 {
			t.Errorf("%d points, want 100", got)
		}
	})
}

// openReal returns a sink for a database of a real server.
func openReal(t *testing.T, db *testserver.InfluxDB, bucket string, change func(*Config)) *Sink {
	return newSink(t, db.URL, func(c *Config) {
		c.Org, c.Token, c.Bucket, c.Encoder.Levels = db.Org, secret.New(db.Token), bucket, []float64{.9}
		if change != nil {
			change(c)
		}
	})
}

// dump returns the numbers of a database, a line each.
func dump(t *testing.T, db *testserver.InfluxDB, bucket string) string {
	t.Helper()
	var out strings.Builder
	for _, r := range db.Query(`from(bucket: "` + bucket + `") |> range(start: 1970-01-01T00:00:00Z) |> filter(fn: (r) => r._measurement == "forecast")`) {
		v, err := strconv.ParseFloat(r["_value"], 64)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprintln(&out, r["_time"], r["_measurement"], r["host"], r["horizon"], r["model"], r["_field"], v)
	}
	return out.String()
}

// testValues: times, tags and the ends of the range of numbers arrive as they are, also in
// the long layout.
func testValues(t *testing.T, db *testserver.InfluxDB) {
	s := &stream.Series{Name: "host 1", Variables: []string{"cpu", "mem"}, Tags: []stream.Tag{{Key: "host", Value: "host 1"}}}
	b := &stream.Batch{
		Forecasts: []stream.Forecast{{
			Series: s, Model: "orffvar", Horizon: 3, Time: 1767225600123456789,
			Yhat: []float64{1.5, math.MaxFloat64}, Lower: []float64{-5e-324, math.NaN()}, Upper: []float64{2, math.NaN()},
		}},
	}
	for _, layout := range []struct {
		name string
		long bool
		want string
	}{
		{"wide", false, `2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar cpu 1.5
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar cpu_lower -5e-324
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar cpu_upper 2
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar mem 1.79769313e+308
`},
		{"long", true, `2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar yhat 1.5
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar yhat 1.79769313e+308
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar yhat_lower -5e-324
2026-01-01T00:00:00.123456789Z forecast host 1 3 orffvar yhat_upper 2
`},
	} {
		bucket := db.CreateDatabase("values_" + layout.name)
		sink := openReal(t, db, bucket, func(c *Config) { c.Encoder.Long = layout.long })
		if err := sink.Write(deadline(t), b); err != nil {
			t.Fatal(err)
		}
		lines := slices.Sorted(strings.Lines(dump(t, db, bucket)))
		if got := strings.Join(lines, ""); got != layout.want {
			t.Errorf("%s: got\n%swant\n%s", layout.name, got, layout.want)
		}
	}
}

// testRefusedPoints: a type conflict makes dead letters of the points it concerns alone.
func testRefusedPoints(t *testing.T, db *testserver.InfluxDB) {
	bucket := db.CreateDatabase("refused")
	// The field yhat becomes an integer in one shard: later floats conflict.
	req, err := http.NewRequest("POST", db.URL+"/api/v2/write?org="+db.Org+"&bucket="+bucket, strings.NewReader("forecast yhat=1i 5000000000\n"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Token "+db.Token)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	var kept letters
	sink := openReal(t, db, bucket, func(c *Config) { c.DeadLetters, c.Encoder.Levels = &kept, nil })
	b := points(20)
	b.Observations = append(b.Observations, stream.Observation{
		Series: b.Forecasts[0].Series, Time: 7e9, Y: []float64{1}, Residual: []float64{1}, VariableScores: []float64{1}, AnomalyScore: math.NaN(), StateScore: math.NaN(), LevelSetScore: math.NaN(),
	})
	if err := sink.Write(deadline(t), b); err != nil {
		t.Fatal(err)
	}
	if st := sink.Stats(); len(kept.kept) != 20 || st.Rejected != 20 || st.Written != 1 {
		t.Errorf("%d dead letters, %+v", len(kept.kept), st)
	}
	if !strings.Contains(kept.kept[0].Detail, "conflict") {
		t.Errorf("detail %q", kept.kept[0].Detail)
	}
}

// testContract runs the contract of a sink, read back by Flux.
func testContract(t *testing.T, db *testserver.InfluxDB) {
	n := 0
	buckets := make(map[string]string)
	streamtest.TestSink(t, streamtest.SinkTest{
		Levels: 1,
		Open: func(t *testing.T) stream.Sink {
			if buckets[t.Name()] == "" {
				n++
				buckets[t.Name()] = db.CreateDatabase(fmt.Sprintf("contract%d", n))
			}
			return newSink(t, db.URL, func(c *Config) {
				c.Org, c.Token, c.Bucket, c.Encoder.Levels = db.Org, secret.New(db.Token), buckets[t.Name()], []float64{.9}
			})
		},
		Contents: func(t *testing.T) string {
			var out strings.Builder
			for _, filter := range []string{ // by type
				`r._field != "is_anomaly" and r._field != "text" and r._field != "cause" and r._field != "n"`,
				`r._field == "is_anomaly"`, `r._field == "text" or r._field == "cause"`,
			} {
				for _, r := range db.Query(`from(bucket: "` + buckets[t.Name()] + `") |> range(start: 1970-01-01T00:00:00Z) |> filter(fn: (r) => ` + filter + `)`) {
					fmt.Fprintln(&out, r["_time"], r["_measurement"], r["id"], r["target"], r["kind"], r["expert"], r["horizon"], r["model"], r["_field"], r["_value"])
				}
			}
			return out.String()
		},
	})
}

func TestRealInfluxDB2(t *testing.T) {
	t.Parallel()
	db := testserver.StartInfluxDB2(t)
	t.Run("contract", func(t *testing.T) { testContract(t, db) })
	t.Run("values", func(t *testing.T) { testValues(t, db) })
	t.Run("refused points", func(t *testing.T) { testRefusedPoints(t, db) })
	bucket := db.CreateDatabase("b")
	for _, c := range []struct {
		name   string
		change func(*Config)
		status string
	}{
		{"wrong token", func(c *Config) { c.Token = secret.New(canary) }, "401"},
		{"no organisation", func(c *Config) { c.Org = "" }, "404"},
		{"no bucket", func(c *Config) { c.Bucket = "nowhere" }, "404"},
	} {
		var kept letters
		sink := newSink(t, db.URL, func(config *Config) {
			config.Org, config.Token, config.Bucket, config.DeadLetters = db.Org, secret.New(db.Token), bucket, &kept
			c.change(config)
		})
		err := writeUntil(t, sink, points(3), c.name, func() bool { return sink.Stats().Retries[c.status] > 0 })
		if !errors.Is(err, errStop) || len(kept.kept) != 0 {
			t.Errorf("%s: error %v, %d dead letters, %+v", c.name, err, len(kept.kept), sink.Stats())
		}
	}
}
