package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/segmentio/kafka-go"

	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
)

const (
	ratioTurns = 5
	// ratioSlower is the smallest ratio of instructions, or else of processor times, that needs a line in the changelog:
	// "slower: `run`", and why.
	ratioSlower = 1.03

	ratioMessages = 200_000
	ratioTopic    = "metrics"
	ratioPatience = 2 * time.Minute // time limit of one run
)

// wholeRun is a run of the program in the way of a user.
type wholeRun struct {
	name      string
	run       func(program string) (spent, error)
	arguments []string // of a run whose instructions can be counted
}

func (r *wholeRun) keepBest(best *spent, program string) error {
	s, err := r.run(program)
	if err != nil {
		return fmt.Errorf("%s of %s: %w", r.name, program, err)
	}
	if *best == (spent{}) {
		*best = s
	}
	*best = spent{min(best.clock, s.clock), min(best.processor, s.processor), min(best.memory, s.memory)}
	return nil
}

// spent holds the wall time, processor time and peak memory of a run.
type spent struct{ clock, processor, memory float64 } // units: s, s, MB

// printRatios runs the programs before and now alternately, and prints the ratios now / before. The error names the
// slower runs without a line in the changelog.
func printRatios(before, now, changelog string) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	runs, done := wholeRuns(dir)
	defer done()
	table(fmt.Sprintf("Runs of %s over runs of %s, the fastest of %d in turns", now, before, ratioTurns),
		"run", "clock, s:", "ratio:", "processor time, s:", "ratio:", "memory, MB:", "ratio:", "million instructions:", "ratio:")
	_, err = exec.LookPath(counter)
	counts := err == nil
	var slower []string
	for _, r := range runs {
		var b, n spent
		for range ratioTurns {
			if err := errors.Join(r.keepBest(&b, before), r.keepBest(&n, now)); err != nil {
				return err
			}
		}
		ratio := func(n, b float64) string { return fmt.Sprintf("%.2f", n/b) }
		cells := []string{
			r.name, fmt.Sprintf("%.3f", n.clock), ratio(n.clock, b.clock), fmt.Sprintf("%.3f", n.processor), ratio(n.processor, b.processor),
			fmt.Sprintf("%.0f", n.memory), ratio(n.memory, b.memory), "-", "-",
		}
		work, workBefore := n.processor, b.processor
		if counts && r.arguments != nil {
			var errBefore error
			work, err = instructions(now, r.arguments)
			workBefore, errBefore = instructions(before, r.arguments)
			if err = errors.Join(err, errBefore); err != nil {
				return err
			}
			cells[7], cells[8] = fmt.Sprintf("%.0f", work/1e6), fmt.Sprintf("%.3f", work/workBefore)
		}
		row(cells...)
		if work > ratioSlower*workBefore && !strings.Contains(changelog, "slower: `"+r.name+"`") {
			slower = append(slower, r.name)
		}
	}
	if len(slower) > 0 {
		return fmt.Errorf("slower, and not in the changelog (slower: `run`, because …): %s", strings.Join(slower, ", "))
	}
	return nil
}

// wholeRuns returns the runs, and writes their data to dir. Call done after the last run.
func wholeRuns(dir string) (runs []wholeRun, done func()) {
	// A count is exact, and takes fifty times as long as the run: it needs fewer rows.
	write := func(name string, timed, counted fleet) [2]string {
		paths := [2]string{filepath.Join(dir, name+".csv"), filepath.Join(dir, name+"_counted.csv")}
		timed.writeTo(paths[0])
		counted.writeTo(paths[1])
		return paths
	}
	one := write("one", fleet{1, 20_000, variables}, fleet{1, 4000, variables})
	many := write("many", fleet{200, 500, variables}, fleet{200, 60, variables})
	short := write("short", fleet{1, 60, variables}, fleet{1, 60, variables})
	add := func(name, verb string, data [2]string, options ...string) {
		arguments := func(path string) []string { return append([]string{verb, path}, options...) }
		runs = append(runs, wholeRun{name, func(program string) (spent, error) {
			return finish(exec.Command(program, arguments(data[0])...))
		}, arguments(data[1])})
	}
	add("start", "forecast", short)
	add("persistence", "replay", one, "--model", "persistence")
	add("light", "replay", one, "--set", "model.tier=light")
	add("full", "replay", one, "--set", "model.tier=full")
	add("full, 12 steps", "replay", one, "--set", "model.tier=full", "--horizon", "12")
	add("full, 48 steps", "replay", one, "--set", "model.tier=full", "--horizon", "48")
	for _, h := range []string{"1", "12", "48"} {
		add("evaluate, "+h+" steps", "evaluate", one, "--horizon", h)
	}
	add("200 series, light", "replay", many, "--set", "model.tier=light")
	add("200 series, full", "replay", many, "--set", "model.tier=full")
	var broker *devbroker.Broker
	group := 0
	runs = append(runs, wholeRun{"Kafka to nowhere, light", func(program string) (spent, error) { // last: see mostMemory
		if broker == nil {
			broker = filledBroker()
		}
		group++
		return readTopic(program, broker.Addr(), fmt.Sprint("ratio", group), filepath.Join(dir, fmt.Sprint("state", group)))
	}, nil})
	return runs, func() {
		if broker != nil {
			broker.Close()
		}
	}
}

// finish runs a command to its end, and returns its costs.
func finish(c *exec.Cmd) (spent, error) {
	begin := time.Now()
	if out, err := c.CombinedOutput(); err != nil {
		return spent{}, fmt.Errorf("%w: %s", err, out)
	}
	return spentBy(c.ProcessState, begin), nil
}

func spentBy(p *os.ProcessState, begin time.Time) spent {
	memory, _ := strconv.ParseFloat(mostMemory(p), 64) // 0 on systems without peak memory
	return spent{time.Since(begin).Seconds(), (p.UserTime() + p.SystemTime()).Seconds(), memory}
}

// filledBroker starts a broker in this process, filled with the messages of one series.
func filledBroker() *devbroker.Broker {
	broker, err := devbroker.Start(1, []string{ratioTopic})
	check(err)
	p, err := kafkasink.NewProducer(cluster.Connection{Brokers: []string{broker.Addr()}}, ratioTopic, slog.New(slog.DiscardHandler))
	check(err)
	s := newSeries()
	messages := make([]stream.Message, ratioMessages)
	for t := range messages {
		value := s.json[t%samples]
		_, values, _ := strings.Cut(string(value), ",")
		messages[t] = stream.Message{Key: []byte("s"), Value: fmt.Appendf(nil, `{"time":%d,%s`, 1767225600+60*t, values)}
	}
	check(errors.Join(p.Send(context.Background(), messages), p.Close()))
	return broker
}

// readTopic runs a job until it has committed all messages, and returns its costs.
func readTopic(program, broker, group, state string) (spent, error) {
	ctx, cancel := context.WithTimeout(context.Background(), ratioPatience)
	defer cancel()
	job := exec.CommandContext(ctx, program, "run", "--set", "input.kafka.brokers="+broker, "--set", "input.kafka.topics="+ratioTopic,
		"--set", "input.kafka.consumer_group="+group, "--set", "model.tier=light", "--set", "output.discard={}", "--set", "state.dir="+state)
	var out strings.Builder
	job.Stdout, job.Stderr = &out, &out
	begin := time.Now()
	if err := job.Start(); err != nil {
		return spent{}, err
	}
	client := &kafka.Client{Addr: kafka.TCP(broker)}
	for ctx.Err() == nil {
		r, err := client.OffsetFetch(ctx, &kafka.OffsetFetchRequest{GroupID: group, Topics: map[string][]int{ratioTopic: {0}}})
		if err == nil && slices.ContainsFunc(r.Topics[ratioTopic], func(p kafka.OffsetFetchPartition) bool { return p.CommittedOffset == ratioMessages }) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	err := errors.Join(ctx.Err(), job.Process.Signal(syscall.SIGTERM))
	if err = errors.Join(err, job.Wait()); err != nil {
		return spent{}, fmt.Errorf("%w: %s", err, out.String())
	}
	return spentBy(job.ProcessState, begin), nil
}
