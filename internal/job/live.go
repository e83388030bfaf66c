package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/livepage"
	"github.com/orffvar/forecaster/internal/wire"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/file/filestore"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/run"
)

// The program must end within ten seconds after a signal. drainTimeout limits the last batch and checkpoint of a partition.
// handOver also includes the return of the partition to the group.
const (
	drainTimeout = 7 * time.Second
	handOver     = 8 * time.Second
)

// Live is a running job: one run.Runner for each partition.
type Live struct {
	Cfg     *config.Config                // configuration at the start
	current atomic.Pointer[config.Config] // configuration after the last reload
	log     *slog.Logger
	Level   *slog.LevelVar // level of the log, which a reload changes; nil: fixed
	Board   scoreboard

	// ResetCommand is the command in errors about checkpoints: see the function ResetCommand; "": none.
	ResetCommand string

	reloads reloadCounts
	places  *places

	// Taps get every batch before the outputs.
	Taps []stream.Sink

	// Losses is engine.Evaluation.Losses of every engine; may be nil.
	Losses func(s *stream.Series, model string, losses []float64)

	Page    *livepage.Page // also one of the taps; nil unless the endpoint is enabled
	Address string         // address of the endpoint, set by ServeHTTP

	state *kafka.StateTopic // nil unless the checkpoints are in Kafka

	mu      sync.Mutex
	groups  []*kafka.Group // groups for the forecast topics and for the joined topics; empty unless the input is Kafka
	working map[string]*partition
	past    map[string]counters // counters of partitions that were given back
	open    map[string]string   // output path -> partition that uses it
}

// NewLive returns a job that has not started. note appears on the live page.
func NewLive(cfg *config.Config, log *slog.Logger, note string) *Live {
	l := &Live{
		Cfg: cfg, log: log,
		working: make(map[string]*partition),
		past:    make(map[string]counters),
		open:    make(map[string]string),
		places:  newPlaces(cfg, log),
	}
	l.current.Store(cfg)
	l.Taps = []stream.Sink{&l.Board, newEventLog(log)}
	if cfg.Server.Enabled {
		l.Page = livepage.New(livepage.Config{
			Model: cfg.Model.Type, Horizons: wire.Emitted(cfg), Levels: cfg.Model.Levels,
			Interval: cfg.Pipeline.Interval.Fixed(), Note: note, Status: l.status, ScoreEvery: l.scoreEvery, Memory: wire.PageMemory(), Limits: wire.Limits(cfg),
		})
		l.Taps = append(l.Taps, l.Page)
	}
	return l
}

// scoreEvery implements livepage.Config.ScoreEvery. A reload may change it.
func (l *Live) scoreEvery() int { return l.current.Load().Evaluate.Interval }

// Run serves the endpoint and processes the input until the input or ctx ends.
func (l *Live) Run(ctx context.Context) error {
	if !l.stateful() {
		l.log.Warn("neither state.dir nor state.topic is set: no checkpoints, every start is from scratch")
	}
	for _, text := range wire.IdleSettings(l.Cfg) {
		l.log.Warn(text)
	}
	stop, err := l.ServeHTTP()
	if err != nil {
		return err
	}
	defer stop()
	l.log.Info("model", "type", l.Cfg.Model.Type, "tier", wire.TierNamed(l.Cfg.Model), "memory", config.Size(wire.ModelMemory(l.Cfg)>>20<<20).String())
	return advise(l.Process(ctx), l.ResetCommand)
}

// Process processes the input until the input or ctx ends.
func (l *Live) Process(ctx context.Context) error {
	if wire.InputKafka(l.Cfg) != nil {
		return l.runKafka(ctx)
	}
	in, err := wire.OpenInput(l.Cfg)
	if err != nil {
		return err
	}
	defer in.Close()
	if in.Assumed+in.Noted != "" {
		l.log.Info("the first lines of the file say how to read it", "assumed", in.Assumed, "noted", in.Noted)
	}
	l.log.Info("starting", "input", in.Name, "model", l.Cfg.Model.Type)
	return l.work(ctx, in.Name, paced(in.Source, in.Decoder, in.Speed), in.Decoder, nil)
}

func (l *Live) runKafka(ctx context.Context) error {
	k := wire.InputKafka(l.Cfg)
	connection, err := k.Connection()
	if err != nil {
		return err
	}
	group, err := kafka.NewGroup(l.groupConfig(connection))
	if err != nil {
		return err
	}
	groups := []*kafka.Group{group}
	var merge *merger
	if k.Join != "" {
		if merge, err = newMerger(l.Cfg, connection, l.log); err != nil {
			return err
		}
		groups = append(groups, merge.group)
	}
	l.setGroups(groups)
	defer l.setGroups(nil)
	err = l.prepareKafka(ctx, group)
	if l.state != nil {
		defer l.state.Close()
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil // stopped before the first partition
		}
		return err
	}
	l.log.Info("starting", "brokers", k.Brokers, "topics", k.Forecast(), "group", k.ConsumerGroup, "model", l.Cfg.Model.Type)
	newDecoder, err := wire.NewDecoders(l.Cfg, l.log)
	if err != nil {
		return err
	}
	jobs, ctx := errgroup.WithContext(ctx)
	if merge != nil {
		jobs.Go(func() error { return merge.run(ctx) })
	}
	jobs.Go(func() error { return group.Run(ctx, l.onPartition(newDecoder)) })
	return jobs.Wait()
}

// onPartition returns the function that processes a Kafka partition.
func (l *Live) onPartition(newDecoder func(context.Context) (stream.Decoder, error)) func(context.Context, *kafka.Partition) error {
	return func(ctx context.Context, p *kafka.Partition) error {
		dec, err := newDecoder(ctx)
		if err != nil {
			return err
		}
		name := p.Topic() + "-" + strconv.Itoa(p.Number())
		return l.work(ctx, name, p, dec, map[string]string{"topic": p.Topic(), "partition": strconv.Itoa(p.Number())})
	}
}

// prepareKafka waits for the brokers, checks the rights of the job, and opens the state topic.
func (l *Live) prepareKafka(ctx context.Context, group *kafka.Group) error {
	err := group.Wait(ctx)
	if lacking := wire.CheckKafkaRights(ctx, l.Cfg); lacking != nil {
		return lacking // the more detailed error
	}
	if topic := l.Cfg.State.Topic; topic != "" && err == nil {
		l.state, err = group.StateTopic(ctx, topic)
	}
	return err
}

func (l *Live) groupConfig(connection cluster.Connection) kafka.GroupConfig {
	k := wire.InputKafka(l.Cfg)
	return kafka.GroupConfig{
		Connection: connection, Topics: k.Forecast(), Group: k.ConsumerGroup, Offset: kafka.Offset(k.Offset), Isolation: kafka.Isolation(k.IsolationLevel),
		MaxMessageBytes: int(k.MaxMessageLen), Log: l.log,
		Stateful:       l.stateful(),
		SessionTimeout: k.SessionTimeout, HandOver: min(handOver, k.SessionTimeout/3),
	}
}

// stateful reports whether the job saves checkpoints.
func (l *Live) stateful() bool { return l.Cfg.State.Dir != "" || l.Cfg.State.Topic != "" }

// partitions returns the number of partitions that share the memory: all of them, because the group may assign all to one
// process.
func (l *Live) partitions() int {
	groups := l.kafkaGroups()
	if len(groups) == 0 {
		return 1
	}
	return max(groups[0].NumPartitions(), 1)
}

func (l *Live) setGroups(groups []*kafka.Group) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.groups = groups
}

func (l *Live) kafkaGroups() []*kafka.Group {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.groups
}

// work processes one partition. labels replace the placeholders in output paths.
func (l *Live) work(ctx context.Context, name string, src stream.Source, dec stream.Decoder, labels map[string]string) (err error) {
	cfg, release, err := l.outputsOf(name, labels)
	if err != nil {
		return err
	}
	defer release()
	ec := l.engineConfig(cfg, name, labels)
	e, err := engine.New(ec)
	if err != nil {
		return err
	}
	rc := runConfig(cfg)
	rc.Source, rc.Decoder, rc.Engine, rc.BatchBytes = src, dec, e, wire.BatchBytes(ec.Memory)
	rc.Adjusted = func(list []checkpoint.SettingChange) { logAdjusted(l.log, name, list) }
	rc.Rebuilding = func(from, to int64, changed []checkpoint.SettingChange) {
		l.log.Warn("the checkpoint is the one of another version: its messages are learnt again, without writing",
			"partition", name, "from", from, "to", to, "differs", (&checkpoint.SettingsError{Changed: changed}).Error())
	}
	if p, ok := src.(*kafka.Partition); ok {
		rc.Settings = append(rc.Settings, checkpoint.Setting{Key: "topic.partitions", Value: strconv.Itoa(p.Partitions())})
	}
	damaged := func() int64 { return 0 }
	switch {
	case l.state != nil:
		store := l.state.Store(src.(*kafka.Partition))
		rc.Store, damaged = store, store.Damaged
	case cfg.State.Dir != "":
		store, err := filestore.Open(filepath.Join(cfg.State.Dir, name), l.log)
		if err != nil {
			return err
		}
		defer func() { err = closing(err, store.Close) }()
		rc.Store, damaged = store, store.Damaged
		if name != ofFile {
			rc.Warm = warmStart(cfg.State.Dir, name, l.log)
		}
	}
	watch := newSeriesWatch()
	taps := append(slices.Clip(l.Taps), watch, newCounterLog(l.log, name))
	if misfits := newMisfitLog(cfg, l.log, name); misfits != nil {
		taps = append(taps, misfits)
	}
	if labels != nil {
		taps = append(slices.Clip(taps), &spreadLog{l.places, name, make(map[string]bool)})
	}
	out, err := l.openOutputs(ctx, cfg, taps)
	if err != nil {
		return err
	}
	defer func() { err = closing(err, out.Close) }()
	rc.Sink, rc.DeadLetters, rc.Drop = out.Sink, out.Letters, out.Drop
	runner, err := run.NewRunner(rc)
	if err != nil {
		return err
	}
	l.started(name, &partition{runner: runner, out: out, decoder: dec, damaged: damaged, watch: watch})
	defer l.ended(name)
	l.log.Info("working", "partition", name)
	err = runner.Run(ctx)
	if stalled := new(run.StalledError); errors.As(err, &stalled) {
		l.log.Error("the work has hung; the process ends", "partition", name, "stage", stalled.Stage.String(), "for", stalled.For.String())
		return err
	}
	var scores engine.Results
	e.AppendScores(&scores)
	err = errors.Join(err, l.Board.Write(ctx, &scores.Batch))
	s := runner.Stats()
	if err == nil && s.Records == 0 && s.Next > 0 && wire.InputKafka(l.Cfg) == nil {
		l.log.Warn("no new rows: the checkpoint has learnt the input to its end, and nothing is forecast again. Add rows, or start over", "with", l.ResetCommand)
	}
	if err == nil && ctx.Err() == nil && s.Series == 0 && s.Refused > 0 && wire.InputKafka(l.Cfg) == nil {
		err = fmt.Errorf("input: %s refused; the last as %s", allRows(s.Refused), s.LastRefusal)
	}
	l.log.Info("ended", "partition", name, "records", s.Records, "refused", s.Letters(), "forecasts", s.Forecasts, "next", s.Next, "checkpoints", s.Checkpoints)
	return err
}

// engineConfig returns the configuration of the engine of one partition, which may use its share of the memory.
func (l *Live) engineConfig(cfg *config.Config, name string, labels map[string]string) engine.Config {
	pool, topic := stream.AllSeries, ""
	if labels != nil { // one of several partitions
		pool, topic = pool+" "+name, labels["topic"]
	}
	limited := *cfg
	limited.Model.Memory = config.Size(wire.ModelMemory(cfg) / int64(l.partitions()))
	ec := wire.EngineConfig(&limited, pool)
	ec.Together = run.Together
	ec.Evaluation.Losses = l.Losses
	ec.Tags = wire.WithTopic(&limited, topic, ec.Tags)
	return ec
}

// logAdjusted logs the settings whose values differ from the checkpoint.
func logAdjusted(log *slog.Logger, partition string, list []checkpoint.SettingChange) {
	for _, c := range list {
		log.Info("setting changed since the checkpoint; the models go on",
			"partition", partition, "key", c.Key, "checkpoint", c.Saved, "now", c.Now)
	}
}

// closing closes an edge after work has ended with err, unless the work hangs in that edge.
func closing(err error, end func() error) error {
	if stalled := new(run.StalledError); errors.As(err, &stalled) {
		return err
	}
	return errors.Join(err, end())
}

// stallTimeout returns state.stall_timeout, or more if a request may last longer.
func stallTimeout(c *config.Config) time.Duration {
	limit := c.State.StallTimeout
	if limit > 0 {
		limit = max(limit, 2*wire.Patience(c))
	}
	return limit
}

// openOutputs opens the outputs of a partition. A frozen member may still hold their files until it notices the loss of
// the partition: openOutputs retries for the session timeout.
func (l *Live) openOutputs(ctx context.Context, cfg *config.Config, taps []stream.Sink) (*wire.Outputs, error) {
	var wait time.Duration
	if k := wire.InputKafka(cfg); k != nil {
		wait = k.SessionTimeout
	}
	for deadline := time.Now().Add(wait); ; {
		out, err := wire.OpenOutputs(cfg, l.log, taps...)
		if !errors.Is(err, filesink.ErrInUse) || time.Now().After(deadline) {
			return out, err
		}
		l.log.Warn("waiting for a file of an output", "err", err)
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(time.Second):
		}
	}
}

// outputsOf returns the configuration with {topic} and {partition} in output paths replaced. It reserves the paths, because
// two partitions cannot write one file.
func (l *Live) outputsOf(name string, labels map[string]string) (cfg *config.Config, release func(), err error) {
	var pairs []string
	for k, v := range labels {
		pairs = append(pairs, "{"+k+"}", v)
	}
	c, paths := wire.FillPaths(l.current.Load(), strings.NewReplacer(pairs...))
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range paths {
		if other, ok := l.open[p]; ok {
			return nil, nil, fmt.Errorf("partitions %s and %s would both write %s: put {partition} into its name", other, name, p)
		}
	}
	for _, p := range paths {
		l.open[p] = name
	}
	return c, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, p := range paths {
			delete(l.open, p)
		}
	}, nil
}

// runConfig returns the settings of a partition's runner.
func runConfig(cfg *config.Config) run.Config {
	rc := run.Config{
		Settings:          wire.Settings(cfg),
		Adjustable:        wire.Adjustable,
		CheckpointEvery:   cfg.State.Interval,
		CheckpointRecords: int64(cfg.State.Records),
		Rebuild:           int64(cfg.State.Rebuild),
		DrainTimeout:      drainTimeout,
		StallTimeout:      stallTimeout(cfg),
	}
	if k := wire.InputKafka(cfg); k != nil {
		rc.DrainTimeout = min(drainTimeout, k.SessionTimeout/4) // less than HandOver
	}
	return rc
}

// partition has the runner and the edges of a partition.
type partition struct {
	runner  *run.Runner
	out     *wire.Outputs
	decoder stream.Decoder
	damaged func() int64 // number of checkpoints that could not be read
	watch   *seriesWatch
}

// counters are the counts of a partition over all its runners.
type counters struct {
	run.Stats
	SinkRetries map[string]int64 // number of repeated requests to outputs, by reason
	Problem     string           // cause of a wait for a schema, or of failed requests to an output; "": none
	Damaged     int64            // number of checkpoints that could not be read
}

func (p *partition) counters() counters {
	retries, rejected := p.out.Requests()
	c := counters{Stats: p.runner.Stats(), SinkRetries: retries, Damaged: p.damaged(), Problem: p.out.Problem()}
	if d, ok := p.decoder.(interface{ Problem() string }); ok {
		c.Problem = cmp.Or(d.Problem(), c.Problem)
	}
	if rejected > 0 {
		c.DeadLetters[refuse.Rejected] += rejected
	}
	return c
}

func (l *Live) started(name string, p *partition) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.working[name] = p
}

func (l *Live) ended(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.working[name].counters().plus(l.past[name])
	// These are gauges: their values end with the work.
	last.Refused, last.Problem, last.Hanging, last.UnsavedSince, last.Watermark = 0, "", run.StalledError{}, time.Time{}, 0
	if l.groups != nil { // another member of the group has the models now
		last.Series, last.CheckpointBytes = 0, 0
	}
	l.past[name] = last
	delete(l.working, name)
}

// Stats returns the counters of each partition that was ever assigned. Gauges have their current values.
func (l *Live) Stats() map[string]counters {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := maps.Clone(l.past)
	for name, p := range l.working {
		all[name] = p.counters().plus(all[name])
	}
	return all
}

// plus adds the counts of past.
func (c counters) plus(past counters) counters {
	c.Records += past.Records
	c.Deleted += past.Deleted
	c.Forecasts += past.Forecasts
	c.Observations += past.Observations
	c.Metrics += past.Metrics
	c.Events += past.Events
	c.Drifts += past.Drifts
	c.Seasons += past.Seasons
	c.Anomalies += past.Anomalies
	c.Checkpoints += past.Checkpoints
	c.CheckpointWritten += past.CheckpointWritten
	c.Damaged += past.Damaged
	for reason, n := range past.DeadLetters {
		c.DeadLetters[reason] += n
	}
	for reason, n := range past.SinkRetries {
		c.SinkRetries[reason] += n
	}
	for i := range c.Stages {
		c.Stages[i].Count += past.Stages[i].Count
		c.Stages[i].Elapsed += past.Stages[i].Elapsed
	}
	return c
}
