package wire

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/format/sniff"
	"github.com/orffvar/forecaster/stream/format/timestamp"
)

var fileInput = kind[input]{name: "file", about: "one pass over a file", settings: func() input { return new(FileInput) }}

// FileInput is a file that is read once from start to end.
type FileInput struct {
	// file (`.csv`, `.tsv`, `.txt`, `.jsonl`, `.ndjson`, `.lp`, each also with `.gz`, `.zst` or `.zip`;
	// `.parquet`, `.arrow`, `.feather`, `.xlsx`, `.tsf`), folder or pattern such as `data/*.csv`
	Path string `yaml:"path"`

	More []string `yaml:"more"` // further files, folders or patterns of the same data set

	SeriesPerFile bool `yaml:"series_per_file"` // each of several files is a series with its name

	Format string `yaml:"format"` // `csv`, `jsonl`, `influx`, `parquet`, `arrow`, `xlsx` or `tsf`; empty = by the extension

	Sheet string `yaml:"sheet"` // sheet of a workbook; empty = the only one with cells

	// sort the lines by time, in memory; assumed when the newest line comes first; without
	// `pipeline.interval`, copies of rows are left out
	Sort bool `yaml:"sort"`

	// refuse a file that needs an assumption, and name the settings that state it; `noted:` readings of
	// ordinary data are accepted
	Strict bool `yaml:"strict"`

	Last  int    `yaml:"last"`  // number of last lines to read, in memory; 0 = all
	Since string `yaml:"since"` // time of the first row to read: `2026-01-31`, `2026-01-31T12:00:00Z` or Unix time

	Series string `yaml:"series"` // series name for rows without one; empty = the file's name

	// multiple of real time: 60 = an hour per minute, 0 = as fast as possible
	Speed float64 `yaml:"speed"`
}

// InputFile returns the settings of input.file; nil unless they are given.
func InputFile(c *config.Config) *FileInput { return config.Of[FileInput](c.Input.Kinds) }

// Check implements config.Settings.
func (f *FileInput) Check(v *config.Checker, path string, _ *config.Config) {
	v.Need(f.Path != "", path+".path", "must name a file")
	if f.Format != "" {
		v.OneOf(path+".format", f.Format, formatNames(func(f dataFormat) bool { return f.read != nil })...)
	}
	config.AtLeast(v, path+".speed", f.Speed, 0)
	config.AtLeast(v, path+".last", f.Last, 0)
	_, err := f.since(time.UTC)
	v.Need(err == nil, path+".since", "must be a time, such as 2026-01-31 or 2026-01-31T12:00:00Z, got %q", f.Since)
}

// since returns Since in ns since 1970 UTC; 0: all rows. A time without a zone is in zone, as those of the rows are.
func (f *FileInput) since(zone *time.Location) (int64, error) {
	if f.Since == "" {
		return 0, nil
	}
	times := timestamp.NewReader(timestamp.Auto, timestamp.YearFirst, zone, false)
	t, err := times.Parse([]byte(f.Since), "")
	if t == 0 {
		t = -1 // 1970-01-01 itself: 0 means all rows
	}
	return t, err
}

func (f *FileInput) formatName(*config.Config) string {
	if f.Format != "" {
		return f.Format
	}
	if file.IsSeveral(f.Path) {
		return file.FormatOfSeveral(f.Path, readable()...)
	}
	return file.FormatOf(f.Path, readable()...)
}

// Rereadable reports whether the file can be read more than once. A pipe cannot.
func (f *FileInput) Rereadable() bool {
	info, err := os.Stat(f.Path)
	return file.IsSeveral(f.Path) || err == nil && info.Mode().IsRegular()
}

func (f *FileInput) file() *string { return &f.Path }

func (f *FileInput) try(_ context.Context, path string, c *config.Config) (string, error) {
	src, err := OpenFile(c)
	if err != nil {
		return "", fmt.Errorf("%s.path: %w", path, err)
	}
	return "", src.Close()
}

func (f *FileInput) open(c *config.Config) (*Opened, error) {
	return openLines(c, Opened{Name: "file", Speed: f.Speed})
}

// openLines adds the source of a file or of standard input to o.
func openLines(c *config.Config, o Opened) (*Opened, error) {
	src, err := OpenFile(c)
	if err != nil {
		return nil, err
	}
	o.Source, o.Decoder = src, src.Decoder()
	o.Assumed, o.Noted = Assumed(src)
	return &o, nil
}

// OpenFile opens the input file, or standard input.
func OpenFile(c *config.Config) (*file.Source, error) { return file.OpenSource(fileSource(c)) }

// pipedSeries is the member that names the series in JSON lines of standard input. The columns of a file are found in
// its first lines, but a pipe may wait for the answer to its first line.
const pipedSeries = "series"

func fileSource(c *config.Config) (path string, sc file.SourceConfig) {
	sc = file.SourceConfig{CSV: decodedCSV(c), JSON: decodedJSON(c), Influx: decodedInflux(c), Formats: readable(), Names: settingName}
	path = "-"
	if f := InputFile(c); f != nil {
		path = f.Path
		sc.Format, sc.Series, sc.Sort, sc.Strict = f.Format, f.Series, f.Sort, f.Strict
		sc.CSV.OneOrder = true
		sc.Last, sc.Missing = f.Last, len(c.Pipeline.Missing) > 0
		sc.More, sc.PerFile, sc.Sheet = f.More, f.SeriesPerFile, f.Sheet
		sc.Since, _ = f.since(zoneOf(c))        // Check returns the error
		sc.DropEqual = c.Pipeline.Interval == 0 // with an interval, equal rows go into the mean or the sum
	} else {
		in := config.Of[StdinInput](c.Input.Kinds)
		sc.Format, sc.Series = in.Format, in.Series
	}
	if path == "-" {
		sc.JSON.Keyless = pipedSeries
	}
	return path, sc
}

// Assumed returns two lines with the assumptions about the format of a file: those that strict reading refuses, and the
// usual ones that it accepts; "": none.
func Assumed(src *file.Source) (assumed, noted string) {
	var texts, usual []string
	for _, a := range src.Assumptions() {
		if a.Usual {
			usual = append(usual, a.Text)
		} else {
			texts = append(texts, a.Text)
		}
	}
	return strings.Join(texts, ", "), strings.Join(usual, ", ")
}

// WithoutClock reports whether the times of a file are numbers of rows or steps, which were taken for seconds.
func WithoutClock(src *file.Source) bool {
	return slices.ContainsFunc(src.Assumptions(), func(a sniff.Assumption) bool { return a.Field == "CSVConfig.TimeUnit" && a.Value == "s" })
}
