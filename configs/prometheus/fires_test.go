package prometheus

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// course is the value of a metric some minutes before an alert is evaluated.
type course func(ago float64) float64

func constant(v float64) course { return func(float64) float64 { return v } }

// rising ends at a value.
func rising(to, perMinute float64) course {
	return func(ago float64) float64 { return to - perMinute*ago }
}

// counting is a counter that counts so many a minute.
func counting(perMinute float64) course { return rising(1e6, perMinute) }

// since is a counter, or a level, that rises at once, some minutes ago.
func since(minutes, by float64) course {
	return func(ago float64) float64 {
		if ago < minutes {
			return 1000 + by
		}
		return 1000
	}
}

// restarted is a counter of a process that began again, and has counted since.
func restarted(minutes, counted float64) course {
	return func(ago float64) float64 {
		if ago < minutes {
			return counted
		}
		return 1000
	}
}

type metrics map[string]course

// trials has metrics for each alert, with the numbers for which it fires; none: it is silent. They lie next to the limits
// and to the ends of the ranges that the rules name.
var trials = []struct {
	alert   string
	metrics metrics
	numbers []float64
}{
	{"ForecasterDown", metrics{`up{job="forecaster"}`: constant(0)}, []float64{0}},
	{"ForecasterDown", metrics{`up{job="forecaster"}`: constant(1), `up{job="other"}`: constant(0)}, nil},
	{"ForecasterBehind", metrics{
		`forecaster_consumer_lag{topic="a",partition="0"}`: rising(100000.5, .01), `forecaster_consumer_lag{topic="a",partition="1"}`: rising(100000, .01),
	}, []float64{100000.5}},
	{"ForecasterBehind", metrics{`forecaster_consumer_lag{topic="a",partition="0"}`: since(10.5, 1e6)}, nil},
	{"ForecasterBehind", metrics{`forecaster_consumer_lag{topic="a",partition="0"}`: since(8.5, 1e6)}, []float64{1001000}},
	{"ForecasterBehind", metrics{`forecaster_consumer_lag{topic="a",partition="0"}`: rising(2e5, -10)}, nil},
	{"ForecasterStale", metrics{`forecaster_watermark_lag_seconds{i="a"}`: constant(300.5), `forecaster_watermark_lag_seconds{i="b"}`: constant(300)}, []float64{300.5}},
	{"ForecasterCheckpointOld", metrics{`forecaster_checkpoint_age_seconds{i="a"}`: constant(120.5), `forecaster_checkpoint_age_seconds{i="b"}`: constant(120)}, []float64{120.5}},
	{"ForecasterCheckpointDamaged", metrics{"forecaster_damaged_checkpoints_total": restarted(59.5, 1)}, []float64{1}},
	{"ForecasterCheckpointDamaged", metrics{"forecaster_damaged_checkpoints_total": restarted(60.5, 1)}, nil},
	{"ForecasterHanging", metrics{`forecaster_stalled_seconds{i="a"}`: constant(60.5), `forecaster_stalled_seconds{i="b"}`: constant(60)}, []float64{60.5}},
	{"ForecasterSinkRetries", metrics{
		`forecaster_sink_retries_total{instance="a",reason="503",o="1"}`: restarted(9.5, 20), `forecaster_sink_retries_total{instance="a",reason="503",o="2"}`: counting(.05),
		`forecaster_sink_retries_total{instance="b",reason="503"}`: counting(2), `forecaster_sink_retries_total{instance="c",reason="503"}`: since(10.5, 30),
	}, []float64{20.5}},
	{"ForecasterDenied", metrics{
		`forecaster_sink_retries_total{instance="a",reason="401"}`: restarted(4.5, 1), `forecaster_sink_retries_total{instance="a",reason="403"}`: since(4.5, 1),
		`forecaster_sink_retries_total{instance="a",reason="404",o="1"}`: since(4.5, 1), `forecaster_sink_retries_total{instance="a",reason="404",o="2"}`: since(4.5, 1),
		`forecaster_sink_retries_total{instance="b",reason="401"}`: since(5.5, 1), `forecaster_sink_retries_total{instance="b",reason="500"}`: since(4.5, 1),
	}, []float64{1, 1, 2}},
	{"ForecasterKafkaRetries", metrics{
		`forecaster_kafka_retries_total{instance="a",b="1"}`: restarted(9.5, 50), `forecaster_kafka_retries_total{instance="a",b="2"}`: counting(.05),
		`forecaster_kafka_retries_total{instance="b"}`: counting(5), `forecaster_kafka_retries_total{instance="c"}`: since(10.5, 80),
	}, []float64{50.5}},
	{"ForecasterDeadLetters", metrics{
		`forecaster_records_total{i="a"}`: counting(50), `forecaster_records_total{i="b"}`: counting(50),
		`forecaster_dead_letters_total{reason="late",i="a"}`: counting(.55), `forecaster_dead_letters_total{reason="late",i="b"}`: counting(.5),
		`forecaster_dead_letters_total{reason="future"}`: counting(.95), `forecaster_dead_letters_total{reason="memory"}`: since(10.5, 30),
	}, []float64{1.05 / 60}},
	{"ForecasterDeadLetters", metrics{"forecaster_records_total": since(10.5, 1e6), `forecaster_dead_letters_total{reason="late"}`: since(9.5, 6)}, []float64{.01}},
	{"ForecasterTooManySeries", metrics{
		`forecaster_dead_letters_total{reason="too_many"}`: restarted(9.5, 1), `forecaster_dead_letters_total{reason="memory"}`: since(9.5, 1),
		`forecaster_dead_letters_total{reason="late"}`: since(9.5, 1), `forecaster_dead_letters_total{reason="memory",i="b"}`: since(10.5, 1),
	}, []float64{1, 1}},
	{"ForecasterRecordsLost", metrics{`forecaster_lost_records_total{i="a"}`: restarted(9.5, 1), `forecaster_lost_records_total{i="b"}`: since(10.5, 1)}, []float64{1}},
	{"ForecasterAnomaly", metrics{`forecaster_anomalies_total{i="a"}`: restarted(9.5, 1), `forecaster_anomalies_total{i="b"}`: since(10.5, 1)}, []float64{1}},
	{"ForecasterSilent", metrics{`forecaster_silent_series{i="a"}`: constant(1), `forecaster_silent_series{i="b"}`: constant(0)}, []float64{1}},
	{"ForecasterLimit", metrics{`forecaster_time_to_limit_seconds{i="a"}`: constant(0), `forecaster_time_to_limit_seconds{i="b"}`: constant(-1)}, []float64{0}},
	{"ForecasterSkill", metrics{
		`forecaster_skill{model="auto"}`: constant(-.1), `forecaster_skill{model="ar2"}`: constant(0), `forecaster_skill{model="orffvar"}`: constant(.5), `forecaster_skill{model="var1"}`: constant(-.5),
	}, []float64{-.1}},
}

// TestRulesFire evaluates each rule with metrics of its own day in a real server.
func TestRulesFire(t *testing.T) {
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Expr string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "rules.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	expressions := make(map[string]string)
	for _, r := range file.Groups[0].Rules {
		expressions[r.Alert] = r.Expr
	}
	db := testserver.StartVictoriaMetrics(t)
	today := time.Now().Truncate(24 * time.Hour)
	at := func(trial int) time.Time { return today.AddDate(0, 0, -1-trial) }
	var samples strings.Builder
	for i, c := range trials {
		for _, series := range slices.Sorted(maps.Keys(c.metrics)) {
			for ago := range 150 {
				fmt.Fprintf(&samples, "%s %v %d\n", series, c.metrics[series](float64(ago)), at(i).Add(-time.Duration(ago)*time.Minute).UnixMilli())
			}
		}
	}
	resp, err := http.Post(db.URL+"/api/v1/import/prometheus", "text/plain", strings.NewReader(samples.String()))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusNoContent {
		t.Fatal(resp.Status)
	}
	db.WaitForRows()
	tried := make(map[string]bool)
	for i, c := range trials {
		tried[c.alert] = tried[c.alert] || len(c.numbers) > 0
		var got []float64
		for _, s := range db.Query(expressions[c.alert], at(i), at(i), 0) {
			var v float64
			if _, err := fmt.Sscan(fmt.Sprint(s.Value[1]), &v); err != nil {
				t.Fatal(err)
			}
			got = append(got, v)
		}
		slices.Sort(got)
		if !slices.EqualFunc(got, c.numbers, func(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Abs(b) }) { // the sum of a rate in another order
			t.Errorf("%s, trial %d: %v, want %v\n%s", c.alert, i, got, c.numbers, expressions[c.alert])
		}
	}
	for alert := range expressions {
		if !tried[alert] {
			t.Errorf("no trial in which %s fires", alert)
		}
	}
}
