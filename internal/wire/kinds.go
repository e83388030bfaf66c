package wire

import (
	"cmp"
	"context"
	"log/slog"
	"reflect"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
)

// input is the settings of a kind of input.
type input interface {
	config.Settings
	// formatName returns the name of the format of the records; "": they have none.
	formatName(c *config.Config) string
	// try checks the files or servers in the block at path, for lint --connect. found describes them.
	try(ctx context.Context, path string, c *config.Config) (found string, err error)
}

// opener is an input that one process reads completely. An input without it has partitions that come and go.
type opener interface {
	open(c *config.Config) (*Opened, error)
}

// Opened is an open input.
type Opened struct {
	stream.Source
	Decoder stream.Decoder
	Name    string
	Speed   float64 // multiple of real time, by the time stamps; 0: as fast as possible
	Assumed string  // assumptions about the format; "": none
	Noted   string  // assumptions that are safe for ordinary data; "": none
}

// output is the settings of a kind of output.
type output interface {
	config.Settings
	// open opens the output. Refused points go to letters, unless it is nil. Sinks that are returned with an
	// error are open, too.
	open(c *config.Config, letters stream.DeadLetters, log *slog.Logger) ([]stream.Sink, error)
	// try has the meaning of input.try.
	try(ctx context.Context, path string, c *config.Config) (found string, err error)
}

// Optional interfaces of inputs and outputs.
type (
	// filed has a file; the path of an output may contain {topic} and {partition}.
	filed interface{ file() *string }
	// patient has requests, which last at most the time patience.
	patient interface{ patience() time.Duration }
	// user uses Kafka topics.
	user interface {
		use(path string, c *config.Config) kafkaUse
	}
	// reloaded applies changed settings to its open sinks.
	reloaded interface{ reload(sinks []stream.Sink) }
)

// kind is a row of the tables of inputs and of outputs.
type kind[T config.Settings] struct {
	name     string   // name of the block below input or output
	about    string   // line of the documentation
	settings func() T // returns the settings with their defaults
}

// inputs is the table. A new input is a file, and a row.
var inputs = []kind[input]{kafkaInput, fileInput, stdinInput, simulatedInput}

// outputs is the table. A new output is a file, and a row.
var outputs = []kind[output]{influxDBOutput, remoteWriteOutput, fileOutput, kafkaOutput, discardOutput}

func init() { declare() }

// declare declares the rows of the tables to package config.
func declare() {
	var in, out []config.Kind
	for _, k := range inputs {
		in = append(in, config.Kind{Name: k.name, Settings: func() config.Settings { return k.settings() }})
	}
	for _, f := range formats {
		if f.settings != nil {
			in = append(in, config.Kind{Name: cmp.Or(f.block, f.name), Settings: f.settings, Always: true})
		}
	}
	for _, k := range outputs {
		out = append(out, config.Kind{Name: k.name, Settings: func() config.Settings { return k.settings() }})
	}
	config.Declare(in, out)
}

// at is settings and the path of their block.
type at[T any] struct {
	path     string
	settings T
}

// given returns the inputs or outputs that are configured.
func given[T config.Settings](rows []kind[T], block string, k config.Kinds) (all []at[T]) {
	for _, s := range k.Given() {
		for _, r := range rows {
			if reflect.TypeOf(r.settings()) == reflect.TypeOf(s) {
				all = append(all, at[T]{block + "." + r.name, s.(T)})
			}
		}
	}
	return all
}

func givenOutputs(c *config.Config) []at[output] { return given(outputs, "output", c.Output.Kinds) }

// inputOf returns the configured input; nil: none.
func inputOf(c *config.Config) input {
	for _, in := range given(inputs, "input", c.Input.Kinds) {
		return in.settings
	}
	return nil
}

// OpenInput opens an input that one process reads completely.
func OpenInput(c *config.Config) (*Opened, error) { return inputOf(c).(opener).open(c) }

// written returns the paths of the files that c writes, and their keys.
func written(c *config.Config) (all []at[*string]) {
	for _, out := range givenOutputs(c) {
		if f, ok := out.settings.(filed); ok {
			all = append(all, at[*string]{out.path + ".path", f.file()})
		}
	}
	if d := c.Output.DeadLetters; d != nil && d.Path != "" {
		all = append(all, at[*string]{"output.dead_letters.path", &d.Path})
	}
	return all
}

// FillPaths returns a copy of c whose output paths have values in place of {partition} and the other names, and these paths.
func FillPaths(c *config.Config, fill *strings.Replacer) (filled *config.Config, paths []string) {
	filled = c.Clone()
	for _, f := range written(filled) {
		*f.settings = fill.Replace(*f.settings)
		paths = append(paths, *f.settings)
	}
	return filled, paths
}

// Patience returns the longest time that a request to an output of c may take.
func Patience(c *config.Config) (longest time.Duration) {
	for _, out := range givenOutputs(c) {
		if p, ok := out.settings.(patient); ok {
			longest = max(longest, p.patience())
		}
	}
	return longest
}
