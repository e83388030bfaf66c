package job

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/build"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// nameCheck looks for the variables that the configuration names in the records of a file.
type nameCheck struct {
	cfg     *config.Config
	missing []configured // names that no record had so far
	found   []string     // variables of the file
	has     map[string]bool
	targets bool // a variable is no exogenous input
	unnamed bool // a record has no names, which makes every name possible
}

// configured is a name and the key that has it. A file must have the required ones.
type configured struct {
	key, name string
	required  bool
}

func newNameCheck(c *config.Config) *nameCheck {
	n := &nameCheck{cfg: c, has: make(map[string]bool)}
	add := func(key string, required bool, names ...string) {
		for _, name := range names {
			n.missing = append(n.missing, configured{key, name, required})
		}
	}
	add("pipeline.variables", true, c.Pipeline.Variables...)
	add("model.exogenous", true, c.Model.Exogenous...)
	add("model.non_negative", false, c.Model.NonNegative...)
	for _, text := range c.Model.Bounds {
		if b, err := config.ParseBound(text); err == nil && b.Variable != "*" {
			add("model.bounds", false, b.Variable)
		}
	}
	for _, text := range c.Model.Anomaly.Rules {
		if r, err := config.ParseAnomalyRule(text); err == nil {
			add("model.anomaly.rules", false, r.Variable)
		}
	}
	return n
}

// done reports whether further records cannot change the result.
func (n *nameCheck) done() bool {
	return n.unnamed || len(n.missing) == 0 && (n.targets || len(n.cfg.Model.Exogenous) == 0)
}

func (n *nameCheck) add(r *stream.Record) {
	n.unnamed = n.unnamed || r.Names == nil
	for _, name := range r.Names {
		if n.has[name] {
			continue
		}
		n.has[name], n.found = true, append(n.found, name)
		n.missing = slices.DeleteFunc(n.missing, func(c configured) bool { return c.name == name })
		n.targets = n.targets || !slices.Contains(n.cfg.Model.Exogenous, name)
	}
}

// record is add until done, when it returns io.EOF.
func (n *nameCheck) record(r *stream.Record, refusal *stream.DataError) error {
	if refusal == nil {
		n.add(r)
	}
	if n.done() {
		return io.EOF
	}
	return nil
}

// mostNamed is the number of variables that result lists.
const mostNamed = 10

// result returns an error for a required name that the file lacks, and warns of the others:
// a configuration may serve several files.
func (n *nameCheck) result(log *slog.Logger) error {
	if n.done() || len(n.found) == 0 {
		return nil
	}
	path, listed := n.cfg.Input.File.Path, strings.Join(n.found[:min(len(n.found), mostNamed)], ", ")
	if more := len(n.found) - mostNamed; more > 0 {
		listed += fmt.Sprintf(" and %d more", more)
	}
	for _, c := range n.missing {
		text := fmt.Sprintf("%s: %s: there is no variable %q; the file has %s", path, c.key, c.name, listed)
		if c.required {
			return errors.New(text)
		}
		log.Warn(text)
	}
	if len(n.cfg.Model.Exogenous) > 0 && !n.targets {
		return fmt.Errorf("%s: model.exogenous: all columns are inputs, nothing is left to forecast", path)
	}
	return nil
}

// checkNames is nameCheck for a file that can be read twice. It reads until all names were found.
func checkNames(ctx context.Context, cfg *config.Config, log *slog.Logger) error {
	n := newNameCheck(cfg)
	if n.done() || !isRegular(cfg.Input.File.Path) {
		return nil // OpenFile explains the error
	}
	if err := firstRecords(ctx, cfg, n.record); err != nil {
		return err
	}
	return n.result(log)
}

// firstRecords calls f with the records of the input file, and its refusals, until f returns io.EOF.
func firstRecords(ctx context.Context, cfg *config.Config, f func(*stream.Record, *stream.DataError) error) error {
	src, err := build.OpenFile(cfg)
	if err != nil {
		return err
	}
	defer src.Close()
	messages := make([]stream.Message, 256)
	var all stream.Decoded
	for {
		all.Reset()
		n, end := src.Read(ctx, messages)
		for i := range n {
			all.Decode(src.Decoder(), &messages[i])
			err := all.Parts(i, f)
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
		}
		if errors.Is(end, io.EOF) {
			return nil
		}
		if end != nil {
			return end
		}
	}
}

// namedSource makes the check of checkNames at the end of a source that is read once.
type namedSource struct {
	stream.Source
	decoder stream.Decoder
	names   *nameCheck
	log     *slog.Logger
	all     stream.Decoded
}

// withNames returns src, which checks its names when it is standard input or a pipe.
func withNames(cfg *config.Config, log *slog.Logger, src stream.Source, dec stream.Decoder) stream.Source {
	n := newNameCheck(cfg)
	if n.done() || isRegular(cfg.Input.File.Path) {
		return src
	}
	return &namedSource{Source: src, decoder: dec, names: n, log: log}
}

// Read implements stream.Source.
func (s *namedSource) Read(ctx context.Context, dst []stream.Message) (int, error) {
	n, err := s.Source.Read(ctx, dst)
	s.all.Reset()
	for i := 0; i < n && !s.names.done(); i++ {
		s.all.Decode(s.decoder, &dst[i])
		_ = s.all.Parts(i, s.names.record) // the runner decodes again, and returns the error
	}
	if errors.Is(err, io.EOF) {
		err = cmp.Or(s.names.result(s.log), err)
	}
	return n, err
}

// Seek implements stream.Seeker where the source does.
func (s *namedSource) Seek(ctx context.Context, next int64, last stream.Mark) error {
	if seeker, ok := s.Source.(stream.Seeker); ok {
		return seeker.Seek(ctx, next, last)
	}
	return nil
}
