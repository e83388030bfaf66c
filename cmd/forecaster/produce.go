package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/orffvar/forecaster/internal/job"
	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/internal/report"
	"github.com/orffvar/forecaster/internal/wire"
)

func (a *app) produceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE",
		Short: "Publish a file to Kafka, as JSON messages",
		Long: `produce publishes each row of a file (.csv, .jsonl, .lp, .parquet and others,
see forecaster forecast -h; - is standard input) as one message:

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
	var p job.Produce
	f.StringVar(&p.Series, "series", "", "series name for rows without one (default: the file's name)")
	f.Float64Var(&p.Rate, "rate", 0, "rows per second; 0 = as fast as possible")
	f.Float64Var(&p.Speed, "speed", 0, "multiple of real time by the time stamps: 1 = real time, 60 = an hour per minute")
	f.BoolVar(&p.Now, "now", false, "replace the time of each row by the present time")
	f.BoolVar(&p.Loop, "loop", false, "start again at the end of the file (needs --now)")
	f.IntVar(&p.Partitions, "partitions", 1, "number of partitions for a new topic; 0 = the topic must exist")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if p.Rate < 0 || p.Speed < 0 || p.Rate > 0 && p.Speed > 0 {
			return &usageError{errors.New("--rate and --speed must be >= 0, and not both given")}
		}
		if p.Partitions < 0 {
			return &usageError{fmt.Errorf("--partitions: must be >= 0, got %d", p.Partitions)}
		}
		if p.Loop && !p.Now {
			return &usageError{errors.New("--loop needs --now: records with the same times again would be refused as late")}
		}
		settings := []setting{{"brokers", "input.kafka.brokers"}, {"topic", "input.kafka.topics"}, {"time-zone", "input.time_zone"}}
		if len(a.files) == 0 {
			a.defaults = settings[:2]
		}
		cfg, err := a.load(cmd, settings)
		if err != nil {
			return err
		}
		if wire.InputKafka(cfg) == nil {
			return &usageError{errors.New("the configuration has no input.kafka to publish to")}
		}
		p.Path = args[0]
		p.Sort, _ = f.GetBool("sort")
		p.Strict, _ = f.GetBool("strict")
		p.Log, p.Watch = a.notices(cfg.Log), a.watch("publishing")
		done, err := p.Run(cmd.Context(), cfg)
		if err != nil {
			return err
		}
		if err := a.printProduced(done); err != nil {
			return err
		}
		if done.Cut {
			return errors.New("interrupted: the rows behind these are not published")
		}
		return checkRefused(cmd, &done.Refusals, done.Messages+done.Refusals.Total())
	}
	return cmd
}

func (a *app) printProduced(p *job.Produced) error {
	if a.output == "json" {
		return writeJSON(a.stdout, map[string]any{
			"topic": p.Topic, "messages": p.Messages, "refused": p.Refusals.Total(), "seconds": report.Number(p.Elapsed.Seconds()),
		})
	}
	fmt.Fprintf(a.stdout, "%s messages to topic %s in %.2f s\n", plural.Thousands(p.Messages), p.Topic, p.Elapsed.Seconds())
	if text := p.Refusals.String(); text != "" {
		fmt.Fprintln(a.stdout, text)
	}
	return nil
}
