package job

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// connectTimeout limits the wait for one server.
const connectTimeout = 10 * time.Second

// tryInput looks for the input file.
func tryInput(cfg *config.Config) error {
	f := cfg.Input.File
	if f == nil {
		return nil
	}
	src, err := wire.OpenFile(cfg)
	if err != nil {
		return fmt.Errorf("input.file.path: %w", err)
	}
	return src.Close()
}

// TryServers looks for the input file, opens the output files, and connects to the servers of cfg. It returns one
// line per server that works, and one error per file or server that does not.
func TryServers(ctx context.Context, cfg *config.Config) (found []string, errs config.Errors) {
	try := func(name string, f func(context.Context) (string, error)) {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		text, err := f(ctx)
		if err != nil {
			if timeout := (interface{ Timeout() bool })(nil); errors.As(err, &timeout) && timeout.Timeout() {
				err = fmt.Errorf("%w; check the address, and whether the server expects TLS", err)
			}
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
			return
		}
		found = append(found, name+": "+text)
	}
	if err := tryInput(cfg); err != nil {
		errs = append(errs, err)
	}
	output := func(key, path string) {
		if strings.Contains(filepath.Dir(path), "{") {
			return // {topic} is known later
		}
		if err := wire.CheckOutput(key, path, ""); err != nil {
			errs = append(errs, err)
		}
	}
	if f := cfg.Output.File; f != nil {
		output("output.file.path", f.Path)
		if err := wire.CheckForecasts("output.file.path", f.Path); err != nil && cfg.State.Dir+cfg.State.Topic == "" {
			errs = append(errs, err) // a job that goes on from a checkpoint appends to the file
		}
	}
	if d := cfg.Output.DeadLetters; d != nil {
		output("output.dead_letters.path", d.Path)
	}
	for _, use := range kafkaUses(cfg) {
		try(use.key, use.try)
	}
	if i := cfg.Output.InfluxDB; i != nil {
		try("output.influxdb", func(ctx context.Context) (string, error) { return tryInfluxDB(ctx, i) })
	}
	return found, errs
}

// tryInfluxDB checks that the server accepts writes to the bucket.
func tryInfluxDB(ctx context.Context, i *config.InfluxDB) (string, error) {
	s, err := wire.NewInfluxDB(i, nil, nil, slog.New(slog.DiscardHandler))
	if err != nil {
		return "", err
	}
	defer s.Close()
	if err := s.Check(ctx); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s accepts writes to %s", i.URL, i.Bucket), nil
}
