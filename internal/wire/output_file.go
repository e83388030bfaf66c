package wire

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

var fileOutput = kind[output]{
	name: "file", about: "file of forecasts", settings: func() output { return &FileOutput{TimeUnit: "auto"} },
}

// FileOutput is a file of forecasts.
type FileOutput struct {
	Path string `yaml:"path"` // path; `-` = standard output; `{topic}` and `{partition}` are replaced

	// `csv`, `jsonl`, `parquet` (forecasts, `replay` only) or `influx` (line protocol, everything); empty = by
	// the extension
	Format string `yaml:"format"`

	// more columns of `csv` and `jsonl`: `origin` (time of the last sample before the forecast), `y`
	// (observed; only with a file as input and without a state), or `nixtla` alone: `unique_id`, `ds`,
	// `cutoff`, `y`, `yhat`, `yhat-lo-90`, `yhat-hi-90`. Parquet always has `origin` and `y`
	Columns []string `yaml:"columns"`

	// times in `csv`: `auto` = RFC 3339; `s`, `ms`, `us`, `ns` = numbers; `s` also writes integer steps
	TimeUnit string `yaml:"time_unit"`
}

// OutputFile returns the settings of output.file; nil unless they are given.
func OutputFile(c *config.Config) *FileOutput { return config.Of[FileOutput](c.Output.Kinds) }

// format returns the format of the file: Format, or else the format of the extension. Standard output is CSV.
func (f *FileOutput) format() (dataFormat, bool) {
	if f.Format == "" && f.Path != "-" {
		ext := strings.ToLower(filepath.Ext(f.Path))
		return find(formats, func(f dataFormat) []string { return f.endings }, ext)
	}
	return formatNamed(cmp.Or(f.Format, "csv"))
}

// Waits reports whether forecasts wait for their observed value, because the file has the column y. Checkpoints do not
// contain waiting forecasts.
func (f *FileOutput) Waits() bool {
	kind, _ := f.format()
	return kind.targets || slices.Contains(f.Columns, "y") || slices.Contains(f.Columns, "nixtla")
}

// Check implements config.Settings.
func (f *FileOutput) Check(v *config.Checker, path string, c *config.Config) {
	v.Need(f.Path != "", path+".path", "must name a file")
	kind, ok := f.format()
	if f.Format != "" {
		v.OneOf(path+".format", f.Format, formatNames(func(f dataFormat) bool { return f.create != nil })...)
	}
	v.Need(f.Path == "" || ok || f.Format != "", path+".path", "%q ends with none of %s; name the format with %s.format", f.Path, strings.Join(endings(), ", "), path)
	again := InputFile(c) != nil && c.State.Dir == "" && c.State.Topic == ""
	v.Need(!kind.targets || again, path+".format",
		"%s is complete only at the end of the input: it needs input.file, and no state; csv or jsonl can go on after a restart", kind.name)
	v.OneOf(path+".time_unit", f.TimeUnit, timeUnits...)

	const columns = ".columns"
	for _, name := range f.Columns {
		v.OneOf(path+columns, name, "origin", "y", "nixtla")
	}
	nixtla := slices.Contains(f.Columns, "nixtla")
	v.Need(!nixtla || len(f.Columns) == 1, path+columns, "nixtla stands alone, it has origin (cutoff) and y")
	v.Need(kind.plain == "" || len(f.Columns) == 0, path+columns, "is for csv and jsonl; %s", kind.plain)
	v.Need(!kind.targets || !nixtla, path+columns, "nixtla is for csv and jsonl; %s always has origin and y", kind.name)
	v.Need(!f.Waits() || kind.targets || again, path+columns,
		"y is written when it was observed, and what waits for that is in no checkpoint: it needs input.file, and no state")
}

func (f *FileOutput) file() *string { return &f.Path }

func (f *FileOutput) try(_ context.Context, path string, c *config.Config) (string, error) {
	if err := tryWritten(path+".path", f.Path); err != nil {
		return "", err
	}
	if c.State.Dir+c.State.Topic != "" {
		return "", nil // a job that resumes from a checkpoint appends to the file
	}
	return "", CheckForecasts(path+".path", f.Path)
}

// tryWritten checks that a file can be written, unless its folder contains {topic}, which is known later.
func tryWritten(key, path string) error {
	if strings.Contains(filepath.Dir(path), "{") {
		return nil
	}
	return CheckOutput(key, path, "")
}

func (f *FileOutput) open(c *config.Config, _ stream.DeadLetters, _ *slog.Logger) ([]stream.Sink, error) {
	columns, err := filesink.ParseColumns(f.Columns)
	if err != nil {
		return nil, fmt.Errorf("output.file.columns: %w", err)
	}
	kind, _ := f.format()
	s, err := kind.create(f, c.Model, &columns)
	if err != nil {
		return nil, err
	}
	if columns.Y {
		s = filesink.AwaitTargets(s)
	}
	return []stream.Sink{s}, nil
}

// WriteForecasts writes the forecasts of a batch into the output file of c.
func WriteForecasts(ctx context.Context, c *config.Config, b *stream.Batch) error {
	sinks, err := OutputFile(c).open(c, nil, nil)
	if err != nil {
		return err
	}
	return errors.Join(sinks[0].Write(ctx, b), sinks[0].Close())
}
