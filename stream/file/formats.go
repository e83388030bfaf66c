package file

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// Format is a file format. A format without Table and Lines is CSV.
type Format struct {
	Name       string
	Extensions []string // in lower case, without .gz or .zst

	// Table reads a regular binary file of size bytes as lines of CSV with a header. It sets the fields of c
	// that the format determines, so that they are not guessed.
	Table func(f *os.File, size int64, c *SourceConfig) (io.Reader, error)

	// Lines returns the decoder of the lines.
	Lines func(c *SourceConfig) (stream.Decoder, error)

	check func(s *Source, c *SourceConfig) error // examines the first lines of a regular file
}

// The formats that this package reads.
var (
	CSVFormat       = Format{Name: "csv", Extensions: []string{".csv", ".tsv"}}
	JSONLinesFormat = Format{
		Name: "jsonl", Extensions: []string{".jsonl", ".ndjson", ".json"}, check: (*Source).sniffJSON,
		Lines: func(c *SourceConfig) (stream.Decoder, error) {
			c.JSON.MaxBytes = c.MaxBytes
			return format.NewJSON(c.JSON)
		},
	}
	InfluxFormat = Format{
		Name: "influx", Extensions: []string{".lp", ".influx", ".line"},
		Lines: func(c *SourceConfig) (stream.Decoder, error) {
			c.Influx.MaxBytes = c.MaxBytes
			return format.NewInflux(c.Influx)
		},
	}
	ParquetFormat = Format{Name: "parquet", Extensions: []string{".parquet", ".pq"}, Table: readParquet}
)

// formats are the formats for a SourceConfig without Formats.
var formats = []Format{CSVFormat, JSONLinesFormat, InfluxFormat, ParquetFormat, ArrowFormat, TSFFormat, XLSXFormat}

// FormatOf returns the name of the format with the extension of path; "": none. Without formats, all formats of
// this package count.
func FormatOf(path string, formats ...Format) string {
	ext := extension(path)
	for _, f := range formats {
		if slices.Contains(f.Extensions, ext) {
			return f.Name
		}
	}
	return ""
}

// extension returns the extension of a path in lower case, without .gz, .zst or .zip.
func extension(path string) string {
	ext := strings.ToLower(filepath.Ext(path))
	if isPacked(ext) {
		ext = strings.ToLower(filepath.Ext(path[:len(path)-len(ext)]))
	}
	return ext
}

// formatOf returns the format that c names, or the format with the extension of the file. If there is neither,
// standard input is JSON lines, and any other file has a format with the name "".
func (s *Source) formatOf(c *SourceConfig) (Format, error) {
	name := c.Format
	if name == "" {
		name = FormatOf(cmp.Or(s.packedName, s.path), c.Formats...)
	}
	if name == "" && extension(cmp.Or(s.packedName, s.path)) == ".txt" && s.live == nil {
		name = s.textFormat()
	}
	if name == "" && s.file == os.Stdin {
		name, s.guessed = JSONLinesFormat.Name, true
	}
	for _, f := range c.Formats {
		if f.Name == name {
			return f, nil
		}
	}
	if name == "" {
		return Format{}, nil
	}
	return Format{}, fmt.Errorf("%s: the format must be %s, got %q", s.path, either(c.Formats), name)
}

// either lists formats in words: "a, b or c".
func either(formats []Format) string {
	var names []string
	for _, f := range formats {
		names = append(names, f.Name)
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// noFormat returns the error of an extension that no format has. The error proposes the likely format.
func (s *Source) noFormat(ext string, formats []Format) error {
	kind := CSVFormat.Name
	if b, err := s.lines.Peek(1); err == nil && s.live == nil && b[0] == '{' {
		kind = JSONLinesFormat.Name
	}
	return fmt.Errorf("%s: the extension %q does not say whether this is %s: name it with %s", s.path, ext, either(formats), s.setting.Set("SourceConfig.Format", kind))
}

// readTable makes s read the rows of a table as lines of CSV.
func (s *Source) readTable(f Format, c *SourceConfig) error {
	if s.live != nil {
		return fmt.Errorf("%s: %s can be read from a regular file only, its index is at the end", s.path, f.Name)
	}
	if command, name := s.unpackFirst(); command != "" {
		return fmt.Errorf("%s is packed, and %s is read from a file of its own: unpack it with  %s > %s  and name that", s.path, f.Name, command, shell.Quote(name))
	}
	r, err := f.Table(s.file, s.size, c)
	for _, text := range c.said {
		s.assumptions = append(s.assumptions, sniff.Assumption{Text: text, Usual: true})
	}
	c.said = nil
	if err == nil {
		r, err = addPartitions(r, s.path, c)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", s.path, err)
	}
	s.lines, s.size = bufio.NewReaderSize(r, sampleBytes), 0 // size 0: the progress in bytes is not known
	_, err = s.peek()
	return err
}

// unpackFirst returns the command that decompresses a table, and the name of the result; "": the table is not
// compressed.
func (s *Source) unpackFirst() (command, name string) {
	if s.packedName != "" {
		return "unzip -p " + shell.Quote(s.path) + " " + shell.Quote(s.packedName), path.Base(s.packedName)
	}
	var begin [4]byte
	if _, err := s.file.ReadAt(begin[:], 0); err != nil {
		return "", ""
	}
	name = filepath.Base(s.path)
	if isPacked(strings.ToLower(filepath.Ext(name))) {
		name = strings.TrimSuffix(name, filepath.Ext(name))
	}
	switch {
	case string(begin[:2]) == "\x1f\x8b":
		return "gzip -dc " + shell.Quote(s.path), name
	case string(begin[:]) == "\x28\xb5\x2f\xfd":
		return "zstd -dc " + shell.Quote(s.path), name
	}
	return "", ""
}

// textFormat returns the format of a .txt file: JSON lines if the first byte begins an object, otherwise CSV.
func (s *Source) textFormat() string {
	if b, _ := s.lines.Peek(1); len(b) == 1 && b[0] == '{' {
		return JSONLinesFormat.Name
	}
	return CSVFormat.Name
}
