package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
	"github.com/orffvar/forecaster/stream/kafka/kafkasink"
	"github.com/orffvar/forecaster/stream/refuse"
)

// Outputs are the open outputs of a partition.
type Outputs struct {
	Sink    tee
	Letters stream.DeadLetters // nil: dead letters are not kept
	Drop    []refuse.Reason

	opened map[string][]stream.Sink // by the path of the settings
}

// OpenOutputs opens the configured outputs. taps get each batch first.
func OpenOutputs(c *config.Config, log *slog.Logger, taps ...stream.Sink) (*Outputs, error) {
	if err := CheckPaths(c); err != nil {
		return nil, err
	}
	letters, drop, err := openDeadLetters(c, log)
	if err != nil {
		return nil, err
	}
	o := &Outputs{Sink: slices.Clone(tee(taps)), Letters: letters, Drop: drop, opened: make(map[string][]stream.Sink)}
	for _, out := range givenOutputs(c) {
		sinks, err := out.settings.open(c, letters, log)
		o.Sink, o.opened[out.path] = append(o.Sink, sinks...), sinks
		if err != nil {
			_ = o.Close() // nothing was written yet
			return nil, err
		}
	}
	return o, nil
}

// Reload applies the settings of c that can change while the outputs are open.
func (o *Outputs) Reload(c *config.Config) {
	for _, out := range givenOutputs(c) {
		if r, ok := out.settings.(reloaded); ok {
			r.reload(o.opened[out.path])
		}
	}
}

// troubled is an output whose requests can fail temporarily. Problem returns the failure of the last request; "": it
// succeeded. Any goroutine may call it.
type troubled interface{ Problem() string }

// Problem returns the failure of an output; "": all outputs work.
func (o *Outputs) Problem() string {
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

// Requests returns the number of repeated requests by reason, and the number of rejected points.
func (o *Outputs) Requests() (retries map[string]int64, rejected int64) {
	retries = make(map[string]int64)
	for _, s := range o.Sink {
		if s, ok := s.(interface{ Rejected() int64 }); ok {
			rejected += s.Rejected()
		}
		if s, ok := s.(interface{ Stats() delivery.Stats }); ok {
			stats := s.Stats()
			rejected += stats.Rejected
			for reason, n := range stats.Retries {
				retries[reason] += n
			}
		}
	}
	return retries, rejected
}

// Close closes all outputs.
func (o *Outputs) Close() error {
	err := o.Sink.Close()
	if o.Letters != nil {
		err = errors.Join(err, o.Letters.Close())
	}
	return err
}

// checkDeadLetters checks the keys below output.dead_letters.
func checkDeadLetters(v *config.Checker, c *config.Config) {
	d := c.Output.DeadLetters
	if d == nil {
		return
	}
	v.Need(d.Topic == "" || InputKafka(c) != nil, "output.dead_letters.topic", "needs input.kafka, whose brokers it is written to")
	var reasons []string
	for _, r := range refuse.Reasons {
		reasons = append(reasons, string(r))
	}
	for _, reason := range d.Drop {
		v.OneOf("output.dead_letters.drop", reason, reasons...)
	}
}

// openDeadLetters opens the file or topic of dead letters; nil: none is configured.
func openDeadLetters(c *config.Config, log *slog.Logger) (letters stream.DeadLetters, drop []refuse.Reason, err error) {
	d := c.Output.DeadLetters
	if d == nil {
		return nil, nil, nil
	}
	for _, r := range d.Drop {
		drop = append(drop, refuse.Reason(r))
	}
	if d.Path != "" {
		letters, err = filesink.OpenDeadLetters(d.Path)
	} else {
		var connection cluster.Connection
		if connection, err = InputKafka(c).Connection(); err == nil {
			letters, err = kafkasink.NewDeadLetters(connection, d.Topic, log)
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return letters, drop, nil
}

// tryTimeout limits the wait for one server.
const tryTimeout = 10 * time.Second

// unreached adds the remedy to the error of a server that does not answer.
func unreached(path string, err error) error {
	if nobody := new(net.OpError); errors.As(err, &nobody) && !nobody.Timeout() {
		return fmt.Errorf("%s: %w; start the server, or correct %s.url", path, err, path)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// Unanswered adds the remedy to the error of a server that does not answer in time.
func Unanswered(err error) error {
	if timeout := (interface{ Timeout() bool })(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return fmt.Errorf("%w; check the address, and whether the server expects TLS", err)
	}
	return err
}

// Try opens the files of c and connects to its servers. It returns a line for each server that
// works, and an error for each file or server that does not.
func Try(ctx context.Context, c *config.Config) (found []string, errs config.Errors) {
	try := func(path string, f func(context.Context, string, *config.Config) (string, error)) {
		ctx, cancel := context.WithTimeout(ctx, tryTimeout)
		defer cancel()
		text, err := f(ctx, path, c)
		if err != nil {
			errs = append(errs, Unanswered(err))
		} else if text != "" {
			found = append(found, text)
		}
	}
	for _, in := range given(inputs, "input", c.Input.Kinds) {
		try(in.path, in.settings.try)
	}
	if f := formatOf(c); f.try != nil {
		try("input."+f.name, func(ctx context.Context, _ string, c *config.Config) (string, error) { return f.try(ctx, c) })
	}
	for _, out := range givenOutputs(c) {
		try(out.path, out.settings.try)
	}
	if d := c.Output.DeadLetters; d != nil && d.Path != "" {
		try("output.dead_letters.path", func(_ context.Context, key string, _ *config.Config) (string, error) {
			return "", tryWritten(key, d.Path)
		})
	}
	if c.State.Dir != "" {
		try("state.dir", func(_ context.Context, key string, c *config.Config) (string, error) {
			return "", tryDirectory(key, c.State.Dir)
		})
	}
	for _, u := range ownUses(c) {
		try(u.key, func(ctx context.Context, _ string, _ *config.Config) (string, error) { return u.try(ctx) })
	}
	return found, errs
}

// tryDirectory checks that directories can be made in a directory, or in the nearest parent that exists. It leaves nothing
// behind.
func tryDirectory(key, path string) error {
	for {
		_, err := os.Stat(path)
		up := filepath.Dir(path)
		if !errors.Is(err, fs.ErrNotExist) || up == path {
			break
		}
		path = up
	}
	made, err := os.MkdirTemp(path, "lint-")
	if cause := (*fs.PathError)(nil); errors.As(err, &cause) {
		return fmt.Errorf("%s: the job could make no directory in %s: %w; name another directory, or give this user the right to write", key, path, cause.Err)
	}
	return cmp.Or(err, os.Remove(made))
}
