package remotewrite

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
	"github.com/orffvar/forecaster/stream/lineproto"
)

func refusedScrapes(db *testserver.Prometheus) float64 {
	return db.Counter("prometheus_target_scrapes_sample_out_of_bounds_total") + db.Counter("prometheus_target_scrapes_sample_out_of_order_total")
}

// scrapesGoOn waits for three scrapes after since, and returns how many scraped samples have been refused so far.
func scrapesGoOn(t *testing.T, db *testserver.Prometheus, since time.Time) (refused float64) {
	t.Helper()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		now := time.Now()
		window := max(1, int(now.Sub(since).Seconds()))
		all := db.Query(fmt.Sprintf("count_over_time(up[%ds]) >= 3", window), now, now, 0)
		if refused = refusedScrapes(db); refused > 0 || len(all) == 1 {
			return refused
		}
	}
	t.Fatal("Prometheus has not scraped for a minute")
	return 0
}

// TestPrometheus: after the forecasts of a day, 48 steps ahead, Prometheus has them all and takes every scrape.
// At their own time they make it refuse them.
func TestPrometheus(t *testing.T) {
	const origins, horizons = 144, 48
	now := time.Now().Truncate(time.Second)
	atOrigin := lineproto.Encoder{Levels: []float64{.9}, AtOrigin: true}
	for _, c := range []struct {
		window string
		step   time.Duration
		writes int
		old    []string // why samples are refused that are a minute, and a day older than the newest
	}{
		{"0s", 20 * time.Second, 1, []string{"400 Bad Request: out of order sample", "400 Bad Request: out of bounds"}}, // samples of the last hour, each once
		{"25h", 10 * time.Minute, 2, []string{"", "500 Internal Server Error: too old sample"}},                         // and again, as after a restart
	} {
		t.Run("origin, window "+c.window, func(t *testing.T) {
			db := testserver.StartPrometheus(t, c.window)
			scrapesGoOn(t, db, time.Now())
			sink, kept := newSink(t, Config{URL: db.URL + "/api/v1/write", Encoder: atOrigin})
			if err := sink.Check(t.Context()); err != nil {
				t.Error(err)
			}
			b := path(now, origins, horizons, c.step)
			for range c.writes {
				write(t, sink, b)
			}
			if refused := scrapesGoOn(t, db, time.Now()); refused > 0 {
				t.Errorf("%v scraped samples were refused", refused)
			}
			if st := sink.Stats(); st.Written != int64(c.writes*origins*horizons) || len(kept.all) > 0 {
				t.Errorf("%+v, %+v", st, kept.all)
			}
			for query, want := range map[string]string{
				`count(count_over_time(forecast_cpu{host="web1",model="auto"}[25h]))`: fmt.Sprint(horizons),
				`sum(count_over_time(forecast_cpu[25h]))`:                             fmt.Sprint(origins * horizons),
				`forecast_cpu{horizon="48"}`:                                          "14348",
				`forecast_cpu_upper{horizon="48"} - forecast_cpu_lower{horizon="48"}`: "2",
			} {
				if all := db.Query(query, now.Add(time.Second), now, 0); len(all) != 1 || fmt.Sprint(all[0].Value[1]) != want {
					t.Errorf("%s is %v, want %s", query, all, want)
				}
			}
			for ahead, want := range map[time.Duration]string{time.Hour: "ahead of the clock", -time.Minute: c.old[0], -26 * time.Hour: c.old[1]} {
				kept.all = nil
				write(t, sink, path(now.Add(ahead), 1, 1, time.Minute))
				if got := fmt.Sprint(kept.all); (want != "") != (len(kept.all) == 1) || !strings.Contains(got, want) ||
					want != "" && !strings.HasPrefix(string(kept.all[0].Message.Value), "forecast,horizon=1,host=web1,") {
					t.Errorf("%v ahead: want %q: %s", ahead, want, got)
				}
			}
			wrong, _ := newSink(t, Config{URL: db.URL + "/api/v1/wrong"})
			if err := wrong.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "404") {
				t.Errorf("a wrong path: %v", err)
			}
		})
	}
	t.Run("target", func(t *testing.T) {
		db := testserver.StartPrometheus(t, "0s")
		scrapesGoOn(t, db, time.Now())
		sink, _ := newSink(t, Config{URL: db.URL + "/api/v1/write"})
		write(t, sink, path(now, 1, horizons, 10*time.Minute))
		for end := time.Now().Add(time.Minute); refusedScrapes(db) == 0; time.Sleep(100 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatal("Prometheus takes scrapes beside samples of the future: the tests above show nothing")
			}
		}
	})
}

// TestVictoriaMetrics: forecasts stand at their own time, and a second write changes nothing.
func TestVictoriaMetrics(t *testing.T) {
	db := testserver.StartVictoriaMetrics(t)
	sink, kept := newSink(t, Config{URL: db.URL + "/api/v1/write", Encoder: lineproto.Encoder{Levels: []float64{.9}}})
	if err := sink.Check(t.Context()); err != nil {
		t.Error(err)
	}
	now := time.Now().Truncate(time.Second)
	for range 2 {
		write(t, sink, path(now, 3, 4, time.Hour))
	}
	for query, want := range map[string]string{
		`sum(count_over_time(forecast_cpu[12h] offset -6h))`: "12",
		`max(forecast_cpu{horizon="4"} offset -4h)`:          "204",
	} {
		if all := db.Query(query, now, now, 0); len(all) != 1 || fmt.Sprint(all[0].Value[1]) != want {
			t.Errorf("%s is %v, want %s", query, all, want)
		}
	}
	if st := sink.Stats(); st.Written != 24 || len(kept.all) > 0 {
		t.Errorf("%+v, %+v", st, kept.all)
	}
}

// TestFault71_AcceptedMeansDurable: VictoriaMetrics is killed after it has accepted points, before it keeps
// them, and gets them again, though no other points follow.
func TestFault71_AcceptedMeansDurable(t *testing.T) {
	db := testserver.StartVictoriaMetrics(t)
	sink, _ := newSink(t, Config{URL: db.URL + "/api/v1/write"})
	now := time.Now().Truncate(time.Second)
	write(t, sink, path(now, 3, 4, time.Hour))
	db.Kill()
	seen := ""
	for end := time.Now().Add(3 * time.Minute); seen != "12" && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if all := db.Query(`sum(count_over_time(forecast_cpu[12h] offset -6h))`, now, now, 0); len(all) == 1 {
			seen = fmt.Sprint(all[0].Value[1])
		}
	}
	if seen != "12" {
		t.Errorf("VictoriaMetrics has %q points of 12; %+v", seen, sink.Stats())
	}
}
