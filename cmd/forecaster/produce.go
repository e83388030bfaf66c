package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka"
)

func (a *app) produceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE",
		Short: "Publish a file to Kafka, as JSON messages",
		Long: `produce publishes each row of a file (.csv, .jsonl, either with .gz; - is
standard input) as one message:

  key    the series
  value  {"time": "2026-01-01T00:00:00Z", "values": {"cpu": 0.5, "mem": null}}`,
		Example: `  forecaster produce data.csv --brokers localhost:9092 --topic metrics
  forecaster produce data.csv --topic metrics --rate 50
  forecaster produce data.csv --topic metrics --rate 1 --now --loop`,
		Args: cobra.ExactArgs(1),
	}
	a.configFlags(cmd)
	fileFlags(cmd)
	f := cmd.Flags()
	f.StringSlice("brokers", []string{"localhost:9092"}, "host:port of one or more brokers")
	f.String("topic", "metrics", "topic to publish to")
	var p producing
	f.StringVar(&p.series, "series", "", "name of the series of lines that do not say (default: the file's name)")
	f.Float64Var(&p.rate, "rate", 0, "rows a second; 0 = as fast as possible")
	f.Float64Var(&p.speed, "speed", 0, "pace by the time stamps: 1 = as they say, 60 = an hour a minute")
	f.BoolVar(&p.now, "now", false, "stamp each row with the present time")
	f.BoolVar(&p.loop, "loop", false, "begin again at the end of the file (needs --now)")
	f.IntVar(&p.partitions, "partitions", 1, "create the topic with so many partitions if it does not exist; 0 = do not")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if p.rate < 0 || p.speed < 0 || p.rate > 0 && p.speed > 0 {
			return &usageError{errors.New("--rate and --speed must be >= 0, and not both given")}
		}
		if p.loop && !p.now {
			return &usageError{errors.New("--loop needs --now: the same time stamps again would be late")}
		}
		settings := []setting{{"brokers", "input.kafka.brokers"}, {"topic", "input.kafka.topics"}}
		zone := setting{"time-zone", "input.time_zone"}
		if len(a.files) == 0 { // then the defaults of the flags hold
			for _, s := range settings {
				f.Lookup(s.flag).Changed = true
			}
		}
		cfg, err := a.load(cmd, append(settings, zone))
		if err != nil {
			return err
		}
		if cfg.Input.Kafka == nil {
			return &usageError{errors.New("the configuration has no input.kafka to publish to")}
		}
		p.path = args[0]
		p.sort, _ = f.GetBool("sort")
		p.strict, _ = f.GetBool("strict")
		p.maxRefused, _ = f.GetFloat64(maxRefusedFlag)
		return a.produce(cmd.Context(), cfg, &p)
	}
	return cmd
}

// producing says how a file is published.
type producing struct {
	path, series string
	sort, strict bool
	maxRefused   float64
	rate, speed  float64
	now, loop    bool
	partitions   int
}

func (a *app) produce(ctx context.Context, cfg *config.Config, p *producing) error {
	log := a.logger(cfg.Log)
	connection, err := build.KafkaConnection(cfg.Input.Kafka)
	if err != nil {
		return err
	}
	if err := connection.Ping(ctx); err != nil {
		return err
	}
	topic := cfg.Input.Kafka.Topics[0]
	if p.partitions > 0 {
		if err := connection.CreateTopic(ctx, topic, p.partitions); err != nil {
			return err
		}
	}
	producer, err := kafka.NewProducer(connection, topic, log)
	if err != nil {
		return err
	}
	defer producer.Close()
	var sent int64
	var refusals build.Refusals
	start := time.Now()
	for {
		n, err := a.produceFile(ctx, cfg, p, producer, &refusals)
		sent += n
		if err != nil && ctx.Err() == nil {
			return err
		}
		if ctx.Err() != nil || !p.loop {
			break
		}
		if n == 0 {
			return fmt.Errorf("%s: no usable rows", p.path)
		}
	}
	elapsed := time.Since(start).Seconds()
	if a.output == "json" {
		err := writeJSON(a.stdout, map[string]any{
			"topic": topic, "messages": sent, "refused": refusals.Total(), "seconds": report.Number(elapsed),
		})
		if err != nil {
			return err
		}
		return refusals.Check(sent+refusals.Total(), p.maxRefused)
	}
	fmt.Fprintf(a.stdout, "%s messages to topic %s in %.2f s", report.Thousands(sent), topic, elapsed)
	fmt.Fprintln(a.stdout)
	if text := refusals.String(); text != "" {
		fmt.Fprintln(a.stdout, text)
	}
	return refusals.Check(sent+refusals.Total(), p.maxRefused)
}

// produceFile publishes the file once.
func (a *app) produceFile(ctx context.Context, cfg *config.Config, p *producing, producer *kafka.Producer, refusals *build.Refusals) (sent int64, err error) {
	var published atomic.Int64
	c := *cfg
	c.Input.File = &config.FileInput{Path: p.path, Series: p.series, Sort: p.sort, Strict: p.strict}
	src, err := build.OpenFile(&c)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	a.assumed(src)
	var (
		dec    = src.Decoder()
		paced  = job.Paced(src, dec, p.speed)
		in     = make([]stream.Message, 256)
		out    = make([]stream.Message, 0, len(in))
		record stream.Record
		pacer  = job.NewPacer(p.rate)
	)
	if p.rate > 0 {
		in = in[:1]
	}
	bar := a.progressBar("publishing", src.Progress, published.Load)
	defer bar.Finish()
	for {
		n, err := paced.Read(ctx, in)
		if err != nil && !errors.Is(err, io.EOF) {
			return sent, err
		}
		out = out[:0]
		for i := range n {
			if derr := dec.Decode(&record, &in[i]); derr != nil {
				var refusal *stream.DataError
				if !errors.As(derr, &refusal) {
					return sent, derr
				}
				refusals.Add(&in[i], refusal)
				continue
			}
			if p.now {
				record.Time = time.Now().UnixNano()
			}
			out = append(out, stream.Message{Key: []byte(record.Series), Value: job.AppendRecordJSON(nil, &record)})
		}
		if err := pacer.Wait(ctx, len(out)); err != nil {
			return sent, err
		}
		if err := producer.Send(ctx, out); err != nil {
			return sent, err
		}
		sent += int64(len(out))
		published.Store(sent)
		if err != nil {
			return sent, nil
		}
	}
}
