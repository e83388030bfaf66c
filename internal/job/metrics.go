package job

import (
	"fmt"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/orffvar/forecaster/eval/scoring"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
)

// metrics is the prometheus.Collector of a job.
type metrics struct{ l *Live }

// Metric describes one metric for the documentation.
type Metric struct {
	Name, Help string
	Labels     []string
}

// Metrics lists every metric of this program, in the order of the source.
var Metrics []Metric

func desc(name, help string, labels ...string) *prometheus.Desc {
	m := Metric{"forecaster_" + name, help, labels}
	Metrics = append(Metrics, m)
	return prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
}

var (
	descBuild       = desc("build_info", "Version of the binary, in the labels; always 1.", "version", "revision", "go", "platform")
	descRecords     = desc("records_total", "Records read, by result: learnt from, refused, or deleted (tombstones and deletes of databases, which are no records).", "result")
	descDeadLetters = desc("dead_letters_total", "Records and points refused, by reason.", "reason")
	descPoints      = desc("points_written_total", "Points that the outputs have accepted, by kind.", "kind")
	descDrifts      = desc("drifts_total", "Alarms of the drift detector.")
	descSeasons     = desc("season_changes_total", "Changes of the seasons that the models of the series use.")
	descAnomalies   = desc("anomalies_total", "Samples with an anomaly score above 1.")
	descSinkRetries = desc("sink_retries_total", "Repeated requests to InfluxDB, by status.", "reason")
	descSeries      = desc("series", "Series that have a model.")
	descCheckpoints = desc("checkpoints_total", "Checkpoints saved.")
	descAge         = desc("checkpoint_age_seconds", "Seconds for which a partition has had messages that no checkpoint has, the longest; 0 = the checkpoints have all.")
	descBytes       = desc("checkpoint_bytes", "Size of the last complete checkpoints of all partitions.")
	descWritten     = desc("checkpoint_written_bytes_total", "Bytes of all checkpoints saved; most of them hold changes only.")
	descDamaged     = desc("damaged_checkpoints_total", "Unreadable checkpoints that were replaced by the ones before.")
	descStalled     = desc("stalled_seconds", "Seconds since the last heartbeat of the stage that has been silent longest; 0 = every stage reports.")
	descWatermark   = desc("watermark_lag_seconds", "Seconds from the newest sample of the slowest partition until now.")
	descStage       = desc("stage_duration_seconds", "Seconds spent in each stage.", "stage")
	descLag         = desc("consumer_lag", "Messages in the log that can be read and are not read yet; those of open transactions do not count.", "topic", "partition")
	descLost        = desc("lost_records_total", "Records that Kafka removed by retention before they were read.", "topic", "partition")
	descRetries     = desc("kafka_retries_total", "Failed requests to Kafka that were repeated.", "topic", "partition")
	descReloads     = desc("config_reloads_total", "Reloads of the configuration, by result: taken or refused.", "result")
	descSilent      = desc("silent_series", "Series without a sample for ten times their own spacing, of those that this process has had samples of.")
	descExpected    = desc("limits_expected", "Variables that are expected to reach their limit (model.limits) within the horizon.")
	descTimeToLimit = desc("time_to_limit_seconds", "Seconds from the newest sample until the first of these variables is expected to reach its limit; absent without any.")
	descMSE         = desc("scv_mse", "Mean squared error of the last evaluate.window forecasts, each made before its target was learnt, averaged over the series.", "model", "horizon")
	descSkill       = desc("skill", "1 - NMSE / NMSE of persistence, each summed over the series.", "model", "horizon")
)

// Describe implements prometheus.Collector.
func (m *metrics) Describe(ch chan<- *prometheus.Desc) { prometheus.DescribeByCollect(m, ch) }

// Collect implements prometheus.Collector.
func (m *metrics) Collect(ch chan<- prometheus.Metric) {
	counter := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, v, labels...)
	}
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	b := wire.ReadInfo()
	gauge(descBuild, 1, b.Version, b.Revision, b.Go, b.Platform)

	sum := counters{Stats: run.Stats{DeadLetters: make(map[refuse.Reason]int64)}, SinkRetries: make(map[string]int64)}
	var series, bytes int64
	var stalled time.Duration
	now := time.Now()
	oldest := now
	slowest := int64(math.MaxInt64)
	for _, s := range m.l.Stats() {
		sum = sum.plus(s)
		series += s.Series
		bytes += s.CheckpointBytes
		stalled = max(stalled, s.Hanging.For)
		if since := s.UnsavedSince; !since.IsZero() && since.Before(oldest) {
			oldest = since
		}
		if s.Watermark != 0 {
			slowest = min(slowest, s.Watermark)
		}
	}
	var refused int64
	for _, reason := range refuse.Reasons {
		counter(descDeadLetters, float64(sum.DeadLetters[reason]), string(reason))
		if reason != refuse.Rejected { // a rejected point is not a record
			refused += sum.DeadLetters[reason]
		}
	}
	counter(descRecords, float64(sum.Records-refused), "learnt")
	counter(descRecords, float64(refused), "refused")
	counter(descRecords, float64(sum.Deleted), "deleted")
	counter(descPoints, float64(sum.Forecasts), "forecast")
	counter(descPoints, float64(sum.Observations), "observation")
	counter(descPoints, float64(sum.Metrics), "metric")
	counter(descPoints, float64(sum.Events), "event")
	counter(descDrifts, float64(sum.Drifts))
	counter(descSeasons, float64(sum.Seasons))
	counter(descAnomalies, float64(sum.Anomalies))
	for reason, n := range sum.SinkRetries {
		counter(descSinkRetries, float64(n), reason)
	}
	counter(descCheckpoints, float64(sum.Checkpoints))
	counter(descReloads, float64(m.l.reloads.taken.Load()), "taken")
	counter(descReloads, float64(m.l.reloads.refused.Load()), "refused")
	counter(descWritten, float64(sum.CheckpointWritten))
	counter(descDamaged, float64(sum.Damaged))
	gauge(descSeries, float64(series))
	gauge(descBytes, float64(bytes))
	gauge(descStalled, stalled.Seconds())
	if m.l.stateful() {
		gauge(descAge, now.Sub(oldest).Seconds())
	}
	if slowest != math.MaxInt64 {
		gauge(descWatermark, time.Since(time.Unix(0, slowest)).Seconds())
	}
	for i, s := range sum.Stages {
		ch <- prometheus.MustNewConstSummary(descStage, uint64(s.Count), s.Elapsed.Seconds(), nil, run.Stage(i).String())
	}
	m.collectScores(gauge)
	m.l.mu.Lock()
	groups := m.l.groups
	silent, expected, first := 0, 0, math.NaN()
	for _, p := range m.l.working {
		n, seconds := p.watch.limits()
		silent, expected = silent+p.watch.silent(), expected+n
		if !(seconds >= first) && !math.IsNaN(seconds) {
			first = seconds
		}
	}
	m.l.mu.Unlock()
	gauge(descSilent, float64(silent))
	gauge(descExpected, float64(expected))
	if !math.IsNaN(first) {
		gauge(descTimeToLimit, first)
	}
	for _, group := range groups {
		for _, p := range group.Status().Partitions {
			number := fmt.Sprint(p.Partition)
			if p.Assigned {
				gauge(descLag, float64(p.Lag()), p.Topic, number)
			}
			counter(descLost, float64(p.Lost), p.Topic, number)
			counter(descRetries, float64(p.Retries), p.Topic, number)
		}
	}
}

// collectScores pools the scores of all series, so that the number of metrics does not grow with the number of series.
// Skills are defined as in evaluate, with the NMSE of all series.
func (m *metrics) collectScores(gauge func(d *prometheus.Desc, v float64, labels ...string)) {
	type key struct {
		model   string
		horizon int
	}
	type sums struct{ mse, nmse, persistence, n float64 }
	all := make(map[key]sums)
	m.l.Board.Each(func(k ScoreKey, s scoring.Score) {
		if math.IsNaN(s.SCVMSE) || math.IsNaN(s.SkillVsNaive) {
			return
		}
		sum := all[key{k.Model, k.Horizon}]
		sum.mse, sum.n = sum.mse+s.SCVMSE, sum.n+1
		if s.SkillVsNaive < 1 { // with a perfect forecast the error of persistence is unknown
			sum.nmse, sum.persistence = sum.nmse+s.NMSE, sum.persistence+s.NMSE/(1-s.SkillVsNaive)
		}
		all[key{k.Model, k.Horizon}] = sum
	})
	for k, s := range all {
		gauge(descMSE, s.mse/s.n, k.model, fmt.Sprint(k.horizon))
		if s.persistence > 0 {
			gauge(descSkill, scoring.Skill(s.nmse, s.persistence), k.model, fmt.Sprint(k.horizon))
		} else {
			gauge(descSkill, 1, k.model, fmt.Sprint(k.horizon))
		}
	}
}
