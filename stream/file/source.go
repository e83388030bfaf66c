package file

import (
	"context"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
)

// SourceConfig says how a file is read.
type SourceConfig struct {
	// Format is "csv" or "jsonl"; "" = by the extension (.csv, .tsv, .jsonl,
	// .ndjson, .json, each with .gz if compressed), or jsonl for standard input.
	Format string

	// Series is the name of the series of messages that have none; "" = the
	// name of the file without its extensions, "stdin" for standard input.
	Series string

	// CSV is the format of lines of CSV; when its Header is nil, the first line
	// of the file is the header.
	CSV format.CSVConfig

	// JSON is the format of lines of JSON.
	JSON format.JSONConfig
}

// Source reads the lines of a file as messages: offset = line - 1. It implements
// stream.Source and stream.Seeker.
type Source struct{}

// OpenSource opens the file at path; "-" is standard input, which cannot be
// rewound: after a restart its lines are taken to be new.
func OpenSource(path string, c SourceConfig) (*Source, error) { panic("file: not yet") }

// Decoder returns the decoder of the messages.
func (s *Source) Decoder() stream.Decoder { panic("file: not yet") }

// Header returns the names of the columns of a CSV file, nil for JSON lines.
func (s *Source) Header() []string { panic("file: not yet") }

// Progress returns how many bytes of the file were read, and how many it has (0
// = unknown). It may be called from any goroutine.
func (s *Source) Progress() (read, total int64) { panic("file: not yet") }

// Seek implements stream.Seeker.
func (s *Source) Seek(ctx context.Context, next int64) error { panic("file: not yet") }

// Read implements stream.Source.
func (s *Source) Read(ctx context.Context, dst []stream.Message) (int, error) {
	panic("file: not yet")
}

// Close implements stream.Source.
func (s *Source) Close() error { panic("file: not yet") }
