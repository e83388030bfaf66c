package job

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/livepage"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/run"
)

// serveHTTP starts the endpoint, if it is enabled, and returns what stops it.
func (l *Live) ServeHTTP() (stop func(), err error) {
	if !l.Cfg.Server.Enabled {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", l.Cfg.Server.Listen)
	if err != nil {
		return nil, fmt.Errorf("server.listen: %w", err)
	}
	server := &http.Server{
		Handler:           l.handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      30 * time.Second,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    16 << 10,
	}
	server.RegisterOnShutdown(l.Page.EndStreams)
	l.Address = "http://" + listener.Addr().String()
	l.log.Info("serving", "address", l.Address, "paths", "/ /api/v1 /metrics /healthz /readyz /version")
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			l.log.Error("the HTTP endpoint ended", "error", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close() // the process is about to end
		}
	}, nil
}

func (l *Live) handler() http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		&metrics{l},
	)
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(build.ReadInfo()) // a client that has gone needs no answer
	})
	mux.HandleFunc("GET /api/v1/config", func(w http.ResponseWriter, _ *http.Request) {
		text, err := l.current.Load().YAML() // secrets redacted
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(text) // a client that has gone needs no answer
	})
	mux.Handle("/", l.Page)
	protected := l.authorised(mux)

	all := http.NewServeMux()
	all.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	all.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if why := l.notReady(); why != "" {
			http.Error(w, "not ready: "+why, http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	all.Handle("/", protected)
	return all
}

// authorised asks for the token, if there is one: as a bearer token, or as the
// password that a browser asks its user for.
func (l *Live) authorised(next http.Handler) http.Handler {
	local := localOnly(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := l.current.Load().Server.Token.Reveal()
		if token == "" {
			local.ServeHTTP(w, r) // server.listen is on loopback: see config.Validate
			return
		}
		given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !bearer {
			_, given, _ = r.BasicAuth()
		}
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="forecaster", charset="UTF-8"`)
			http.Error(w, "server.token is needed, as a bearer token or as the password of any user", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hanging is after how long without a sign of life a job is not ready.
const hanging = 30 * time.Second

// notReady says why the job does no work; "" = it does.
func (l *Live) notReady() string {
	l.mu.Lock()
	group, working := l.group, len(l.working)
	l.mu.Unlock()
	switch {
	case group != nil && group.Status().State != "":
		return group.Status().State
	case group == nil && working == 0:
		return "the input has ended or not begun"
	}
	for _, c := range l.Stats() {
		if c.SinkProblem != "" {
			return "InfluxDB: " + c.SinkProblem
		}
		if c.Hanging.For >= hanging {
			return fmt.Sprintf("the stage %q of a partition gives no sign of life for %v", c.Hanging.Stage, c.Hanging.For)
		}
	}
	return ""
}

// status is what the live page shows of the job.
func (l *Live) status() livepage.Status {
	s := livepage.Status{State: l.notReady(), Lag: -1}
	for _, c := range l.Stats() {
		s.Series += c.Series
	}
	l.mu.Lock()
	group := l.group
	l.mu.Unlock()
	if group != nil {
		s.Lag = 0
		for _, p := range group.Status().Partitions {
			if p.Assigned {
				s.Lag += p.Lag()
			}
		}
	}
	return s
}

// metrics collects what Prometheus asks for from the counters that are kept
// anyway.
type metrics struct{ l *Live }

// Metric describes a metric of this program.
type Metric struct {
	Name, Help string
	Labels     []string
}

// Metrics are all of them, in the order of the source: docs/reference/metrics.md.
var Metrics []Metric

func desc(name, help string, labels ...string) *prometheus.Desc {
	m := Metric{"forecaster_" + name, help, labels}
	Metrics = append(Metrics, m)
	return prometheus.NewDesc(m.Name, m.Help, m.Labels, nil)
}

var (
	descBuild       = desc("build_info", "What this binary is; always 1.", "version", "revision", "go", "platform")
	descRecords     = desc("records_total", "Records read, by whether they were learnt from.", "result")
	descDeadLetters = desc("dead_letters_total", "Records and points that could not be used, by reason.", "reason")
	descPoints      = desc("points_written_total", "Points accepted by the outputs, by kind.", "kind")
	descDrifts      = desc("drifts_total", "Alarms of the drift detector.")
	descAnomalies   = desc("anomalies_total", "Samples with an anomaly score above 1.")
	descSinkRetries = desc("sink_retries_total", "Requests to InfluxDB that were repeated, by status.", "reason")
	descSeries      = desc("series", "Series seen.")
	descCheckpoints = desc("checkpoints_total", "Checkpoints saved.")
	descAge         = desc("checkpoint_age_seconds", "Time since the oldest of the last checkpoints of the partitions.")
	descBytes       = desc("checkpoint_bytes", "Size of the state of all partitions when it was last saved as a whole.")
	descWritten     = desc("checkpoint_written_bytes_total", "Bytes of all checkpoints saved; most hold what has changed.")
	descDamaged     = desc("damaged_checkpoints_total", "Checkpoints that could not be read; the ones before were used.")
	descHanging     = desc("hanging_seconds", "How long the stage that is quiet for the longest time has given no sign of life; 0 = all do.")
	descWatermark   = desc("watermark_lag_seconds", "Time between now and the newest sample of the slowest partition.")
	descStage       = desc("stage_duration_seconds", "Time spent in the stages of the work.", "stage")
	descLag         = desc("consumer_lag", "Messages in the log that were not read yet.", "topic", "partition")
	descLost        = desc("lost_records_total", "Records that retention removed before they were read.", "topic", "partition")
	descRetries     = desc("kafka_retries_total", "Requests to Kafka that failed and were repeated.", "topic", "partition")
	descReloads     = desc("config_reloads_total", "Times that the configuration was read again, by whether it was taken over.", "result")
	descMSE         = desc("scv_mse", "Mean squared error over the evaluation window, averaged over the series.", "model", "horizon")
	descSkill       = desc("skill", "1 - MSE / MSE of persistence, averaged over the series.", "model", "horizon")
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
	b := build.ReadInfo()
	gauge(descBuild, 1, b.Version, b.Revision, b.Go, b.Platform)

	sum := counters{Stats: run.Stats{DeadLetters: make(map[stream.Reason]int64)}, SinkRetries: make(map[string]int64)}
	var series, bytes int64
	var hanging time.Duration
	var oldest time.Time
	slowest := int64(math.MaxInt64)
	for _, s := range m.l.Stats() {
		sum = sum.plus(s)
		series += s.Series
		bytes += s.CheckpointBytes
		hanging = max(hanging, s.Hanging.For)
		if oldest.IsZero() || s.CheckpointTime.Before(oldest) {
			oldest = s.CheckpointTime
		}
		if s.Watermark != 0 {
			slowest = min(slowest, s.Watermark)
		}
	}
	var refused int64
	for _, reason := range stream.Reasons {
		counter(descDeadLetters, float64(sum.DeadLetters[reason]), string(reason))
		if reason != stream.Rejected { // a point, not a record
			refused += sum.DeadLetters[reason]
		}
	}
	counter(descRecords, float64(sum.Records-refused), "learnt")
	counter(descRecords, float64(refused), "refused")
	counter(descPoints, float64(sum.Forecasts), "forecast")
	counter(descPoints, float64(sum.Observations), "observation")
	counter(descPoints, float64(sum.Metrics), "metric")
	counter(descPoints, float64(sum.Events), "event")
	counter(descDrifts, float64(sum.Drifts))
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
	gauge(descHanging, hanging.Seconds())
	if !oldest.IsZero() && m.l.stateful() {
		gauge(descAge, time.Since(oldest).Seconds())
	}
	if slowest != math.MaxInt64 {
		gauge(descWatermark, time.Since(time.Unix(0, slowest)).Seconds())
	}
	for i, s := range sum.Stages {
		ch <- prometheus.MustNewConstSummary(descStage, uint64(s.Count), s.Elapsed.Seconds(), nil, run.Stage(i).String())
	}
	m.collectScores(gauge)
	m.l.mu.Lock()
	group := m.l.group
	m.l.mu.Unlock()
	if group == nil {
		return
	}
	for _, p := range group.Status().Partitions {
		number := fmt.Sprint(p.Partition)
		if p.Assigned {
			gauge(descLag, float64(p.Lag()), p.Topic, number)
		}
		counter(descLost, float64(p.Lost), p.Topic, number)
		counter(descRetries, float64(p.Retries), p.Topic, number)
	}
}

// collectScores averages the scores of the models over the series, so that
// the number of metrics does not grow with the number of series.
func (m *metrics) collectScores(gauge func(d *prometheus.Desc, v float64, labels ...string)) {
	type key struct {
		model   string
		horizon int
	}
	type sums struct{ mse, skill, n float64 }
	all := make(map[key]sums)
	m.l.Board.Each(func(k ScoreKey, s eval.Score) {
		if math.IsNaN(s.SCVMSE) || math.IsNaN(s.SkillVsNaive) {
			return
		}
		sum := all[key{k.Model, k.Horizon}]
		all[key{k.Model, k.Horizon}] = sums{sum.mse + s.SCVMSE, sum.skill + s.SkillVsNaive, sum.n + 1}
	})
	for k, s := range all {
		gauge(descMSE, s.mse/s.n, k.model, fmt.Sprint(k.horizon))
		gauge(descSkill, s.skill/s.n, k.model, fmt.Sprint(k.horizon))
	}
}
