package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval"
	"github.com/orffvar/forecaster/eval/anomaly"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/influx"
	"github.com/orffvar/forecaster/stream/kafka"
	"github.com/orffvar/forecaster/stream/lineproto"
	"github.com/orffvar/forecaster/varmodel"
)

// Emitted returns the horizons that are written.
func Emitted(c *config.Config) []int {
	if len(c.Pipeline.Emit) > 0 {
		return c.Pipeline.Emit
	}
	all := make([]int, c.Model.Horizon)
	for i := range all {
		all[i] = i + 1
	}
	return all
}

// NewEngine makes the engine of one partition. Its scores over all series are those of
// the series with the name pool.
func NewEngine(c *config.Config, pool string) (*stream.Engine, error) {
	return stream.NewEngine(EngineConfig(c, pool))
}

// EngineConfig is what NewEngine makes the engine of: one engine, for the models of a shard share
// scratch memory.
func EngineConfig(c *config.Config, pool string) stream.EngineConfig {
	baselines := []stream.Baseline{baseline}
	if c.Model.Type == Reference {
		baselines = nil // it is the model
	}
	m, shards := c.Model, constructors(c.Model, c.Pipeline.Scope == "shared")
	return stream.EngineConfig{
		AssemblerConfig: assemblerConfig(c),

		Model:         c.Model.Type,
		NewModel:      shards[0].NewModel,
		Lighter:       shards[0].Lighter,
		Shards:        shards[1:],
		Intervals:     newIntervals(m, c.Pipeline.Emit),
		Drift:         newDriftWatch(m),
		Memory:        ModelMemory(c),
		GrowAfter:     growAfter,
		Anomalies:     func(variables []string) anomaly.Config { return anomaliesOf(m, variables) },
		Limits:        func(variables []string) (low, high []float64) { return limitsOf(m, variables) },
		Pool:          pool,
		Scope:         stream.Scope(c.Pipeline.Scope),
		Baselines:     baselines,
		Horizon:       c.Model.Horizon,
		Emit:          c.Pipeline.Emit,
		Levels:        c.Model.Levels,
		Joint:         c.Model.Joint,
		MetricsEvery:  c.Evaluate.Interval,
		MetricsWindow: c.Evaluate.Window,
	}
}

// constructors returns one shard per processor. With more than maxShards, the one goroutine that
// scores the forecasts is what holds up the others.
func constructors(m config.Model, weights bool) []stream.Constructors {
	const maxShards = 8
	list := make([]stream.Constructors, min(runtime.GOMAXPROCS(0), maxShards))
	for i := range list {
		s := sharing{weights: weights, work: new(varmodel.Workspace)}
		list[i] = stream.Constructors{
			NewModel: func(dim int) (eval.Model, error) { return newEngineModel(m, dim, s) },
			Lighter:  youngModel(m, s.work),
		}
	}
	return list
}

// NewAssembler makes what the engine makes its samples with, alone.
func NewAssembler(c *config.Config) (*stream.Assembler, error) {
	return stream.NewAssembler(assemblerConfig(c))
}

func assemblerConfig(c *config.Config) stream.AssemblerConfig {
	return stream.AssemblerConfig{
		Variables:         c.Pipeline.Variables,
		Tags:              seriesTags(c),
		Exogenous:         c.Model.Exogenous,
		Calendar:          calendarOf(c.Model),
		Interval:          c.Pipeline.Interval.Fixed(),
		Months:            c.Pipeline.Interval.Months(),
		Assembly:          assemblyOf(c),
		MaxGap:            c.Pipeline.MaxGap,
		SchemaChangeAfter: c.Pipeline.SchemaChangeAfter,
		MaxAhead:          c.Pipeline.MaxAhead,
		MaxSeries:         c.Pipeline.MaxSeries,
		MaxDim:            c.Pipeline.MaxDim,
		MaxAbs:            c.Pipeline.MaxAbs,
	}
}

// assemblyOf returns how samples are assembled from parts; nil when each record is one: without
// an interval, and in formats of whole samples that do not have to wait for each
// other.
func assemblyOf(c *config.Config) *stream.Assembly {
	p := c.Pipeline
	if p.Interval <= 0 || p.Wait == 0 && !p.WaitForLate && p.Fill == string(stream.FillNone) && !inParts(c.Input) {
		return nil
	}
	return &stream.Assembly{Wait: p.Wait, WaitForLate: p.WaitForLate, Fill: stream.Fill(p.Fill), Aggregate: stream.Aggregate(p.Aggregate)}
}

// formatOf returns the name of the format of the input.
func formatOf(in config.Input) string {
	switch {
	case in.Kafka != nil:
		return in.DataFormat
	case in.File != nil:
		return cmp.Or(in.File.Format, file.FormatOf(in.File.Path))
	case in.Stdin != nil:
		return in.Stdin.Format
	}
	return ""
}

// inParts reports whether the format of the input spreads a sample over records.
func inParts(in config.Input) bool {
	switch formatOf(in) {
	case "influx":
		return true
	case "json", "jsonl":
		return in.JSON.Layout == "long"
	case "csv", "parquet":
		return in.CSV.VariableColumn != ""
	}
	return false
}

func timeUnit(name string) format.TimeUnit {
	if name == "auto" {
		return format.Auto
	}
	return format.TimeUnit(name)
}

// first returns the only character of a setting, 0 when it is empty.
func first(s string) byte {
	switch s {
	case "":
		return 0
	case "tab":
		return '\t'
	}
	return s[0]
}

// zoneOf returns the zone of times that name none.
func zoneOf(c *config.Config) *time.Location {
	zone, err := time.LoadLocation(c.Input.TimeZone)
	if err != nil {
		panic("build: " + err.Error()) // validated before
	}
	return zone
}

func csvFormat(c *config.Config) format.CSVConfig {
	in := c.Input.CSV
	return format.CSVConfig{
		Header: in.Header, Comma: first(in.Comma), Decimal: first(in.Decimal), Thousands: first(in.Thousands),
		DateOrder: format.DateOrder(in.DateOrder), Zone: zoneOf(c), Series: in.SeriesColumn, Time: in.TimeColumn, Clock: in.ClockColumn,
		Variable: in.VariableColumn, Values: in.ValueColumns, Missing: in.Missing, TimeUnit: timeUnit(in.TimeUnit),
	}
}

func jsonFormat(c *config.Config) format.JSONConfig {
	in := c.Input.JSON
	return format.JSONConfig{
		Series: in.SeriesField, Tags: in.Tags, Time: in.TimeField, Variable: in.VariableField, Values: in.ValuesField, Long: in.Layout == "long",
		TimeUnit: timeUnit(in.TimeUnit), MaxDim: c.Pipeline.MaxDim, Zone: zoneOf(c),
	}
}

func influxFormat(c *config.Config) format.InfluxConfig {
	in := c.Input.Influx
	return format.InfluxConfig{
		Series: in.Series, Ignore: in.Ignore, Fields: in.Fields, TimeUnit: timeUnit(in.TimeUnit), MaxDim: c.Pipeline.MaxDim,
	}
}

// NewDecoder makes the decoder of messages from Kafka.
func NewDecoder(c *config.Config) (stream.Decoder, error) {
	switch c.Input.DataFormat {
	case "csv":
		f := csvFormat(c)
		f.Apart = true // A restart begins behind messages that this decoder has not seen
		f.MaxBytes = int(c.Input.Kafka.MaxMessageLen)
		return format.NewCSV(f)
	case "influx":
		f := influxFormat(c)
		f.MaxBytes = int(c.Input.Kafka.MaxMessageLen)
		return format.NewInflux(f)
	}
	f := jsonFormat(c)
	f.MaxBytes = int(c.Input.Kafka.MaxMessageLen)
	return format.NewJSON(f)
}

// OpenFile opens the input file, or standard input.
func OpenFile(c *config.Config) (*file.Source, error) { return file.OpenSource(fileSource(c)) }

func fileSource(c *config.Config) (path string, sc file.SourceConfig) {
	sc = file.SourceConfig{CSV: csvFormat(c), JSON: jsonFormat(c), Influx: influxFormat(c)}
	path = "-"
	if f := c.Input.File; f != nil {
		path, sc.Format, sc.Series, sc.Sort, sc.Strict = f.Path, f.Format, f.Series, f.Sort, f.Strict
		sc.CSV.OneOrder = true
		sc.DropEqual = c.Pipeline.Interval == 0 // an interval takes the mean or the sum of equal rows, too
	} else {
		sc.Format, sc.Series = cmp.Or(c.Input.Stdin.Format, "jsonl"), c.Input.Stdin.Series
	}
	return path, sc
}

// Assumed returns one line about what the first lines of a file have decided about its format,
// "" when that was nothing.
func Assumed(src *file.Source) string {
	var texts []string
	for _, a := range src.Assumptions() {
		texts = append(texts, a.Text)
	}
	return strings.Join(texts, ", ")
}

// outputs are where the results of a partition go.
type outputs struct {
	Sink    tee
	Letters stream.DeadLetters // nil when none are kept
	Drop    []stream.Reason
	Influx  *influx.Sink // nil without InfluxDB
}

// troubled is an output whose requests can fail for a while. Problem returns why the
// last one did, "" after a success. Any goroutine may call it.
type troubled interface{ Problem() string }

// Problem returns why an output does not accept what it gets; "" = all do.
func (o *outputs) Problem() string {
	for _, s := range o.Sink {
		if t, ok := s.(troubled); ok && t.Problem() != "" {
			return t.Problem()
		}
	}
	if t, ok := o.Letters.(troubled); ok {
		return t.Problem()
	}
	return ""
}

// OpenOutputs opens what is configured; taps see every batch first.
func OpenOutputs(c *config.Config, log *slog.Logger, taps ...stream.Sink) (*outputs, error) {
	if err := CheckPaths(c); err != nil {
		return nil, err
	}
	letters, drop, err := openDeadLetters(c, log)
	if err != nil {
		return nil, err
	}
	o := &outputs{Sink: slices.Clone(tee(taps)), Letters: letters, Drop: drop}
	if err := o.openSinks(c, log); err != nil {
		_ = o.Close() // nothing was written
		return nil, err
	}
	return o, nil
}

func (o *outputs) openSinks(c *config.Config, log *slog.Logger) error {
	if f := c.Output.File; f != nil {
		s, err := openFileSink(f, c.Model)
		if err != nil {
			return err
		}
		o.Sink = append(o.Sink, s)
	}
	if i := c.Output.InfluxDB; i != nil {
		s, err := NewInfluxDB(i, c.Model.Levels, o.Letters, log)
		if err != nil {
			return err
		}
		o.Influx, o.Sink = s, append(o.Sink, s)
	}
	if k := c.Output.Kafka; k != nil {
		connection, err := OutputConnection(c)
		if err != nil {
			return err
		}
		encoder, err := kafkaEncoder(c)
		if err != nil {
			return err
		}
		s, err := kafka.NewSink(connection, k.Topic, encoder, log)
		if err != nil {
			return err
		}
		o.Sink = append(o.Sink, s)
		if k.AnomalyTopic != "" {
			s, err := kafka.NewAnomalySink(connection, k.AnomalyTopic, log)
			if err != nil {
				return err
			}
			o.Sink = append(o.Sink, s)
		}
	}
	return nil
}

// kafkaEncoder makes the messages of forecasts in the format of the input, so that who reads
// that reads them, too. CSV and long JSON have no columns for them.
func kafkaEncoder(c *config.Config) (kafka.Encoder, error) {
	levels := c.Model.Levels
	switch kind := formatOf(c.Input); {
	case kind == "influx":
		return lineproto.Encoder{Levels: levels, Long: c.Output.Kafka.Layout == "long"}, nil
	case c.Output.Kafka.Layout == "long" || c.Input.JSON.Layout == "long":
		return kafka.LongJSON{Levels: levels}, nil
	case kind == "json" || kind == "jsonl":
		return format.NewForecastJSON(jsonFormat(c), levels)
	}
	return format.NewForecastJSON(format.JSONConfig{Series: "series"}, levels)
}

// Close closes them all.
func (o *outputs) Close() error {
	err := o.Sink.Close()
	if o.Letters != nil {
		err = errors.Join(err, o.Letters.Close())
	}
	return err
}

// openFileSink opens an output file.
func openFileSink(f *config.FileOutput, m config.Model) (stream.Sink, error) {
	columns, err := file.ParseColumns(f.Columns)
	if err != nil {
		return nil, fmt.Errorf("output.file.columns: %w", err)
	}
	var s stream.Sink
	if f.Kind() == "parquet" {
		columns.Y = true
		s, err = file.CreateParquet(f.Path, m.Levels)
	} else {
		s, err = file.CreateSink(f.Path, encoderOf(f, m, columns))
	}
	if err == nil && columns.Y {
		s = file.AwaitTargets(s)
	}
	return s, err
}

func encoderOf(f *config.FileOutput, m config.Model, columns file.Columns) file.Encoder {
	switch f.Kind() {
	case "influx":
		return lineproto.Encoder{Levels: m.Levels}
	case "jsonl":
		return file.JSONLines{Levels: m.Levels, Columns: columns}
	}
	return file.CSV{TimeUnit: timeUnit(f.TimeUnit), Levels: m.Levels, Joint: m.Joint, Columns: columns}
}

// WriteForecasts writes the forecasts of a batch into the output file of c.
func WriteForecasts(ctx context.Context, c *config.Config, b *stream.Batch) error {
	s, err := openFileSink(c.Output.File, c.Model)
	if err != nil {
		return err
	}
	return errors.Join(s.Write(ctx, b), s.Close())
}

// openDeadLetters opens what keeps the dead letters; nil when nothing is
// configured.
func openDeadLetters(c *config.Config, log *slog.Logger) (letters stream.DeadLetters, drop []stream.Reason, err error) {
	d := c.Output.DeadLetters
	if d == nil {
		return nil, nil, nil
	}
	for _, r := range d.Drop {
		drop = append(drop, stream.Reason(r))
	}
	if d.Path != "" {
		letters, err = file.OpenDeadLetters(d.Path)
	} else {
		var connection kafka.Connection
		if connection, err = KafkaConnection(c.Input.Kafka); err == nil {
			letters, err = kafka.NewDeadLetters(connection, d.Topic, log)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return letters, drop, nil
}
