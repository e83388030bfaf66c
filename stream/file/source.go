package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"

	"github.com/orffvar/forecaster/internal/plural"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// SourceConfig describes the format of a file and the part of it that is read.
type SourceConfig struct {
	// Format is the name of a format; "": the format with the extension of the file, JSON lines for standard
	// input. A further extension .gz or .zst does not matter: the first bytes show the compression of a text.
	Format string

	// Formats are the formats that the file may have; nil: all formats of this package.
	Formats []Format

	// MaxBytes is the largest length of a line; 0: 1 MiB.
	MaxBytes int

	// Names are the names of these fields, and of those of CSV and JSON, in errors and assumptions.
	Names format.Names

	// Series is the series of messages that do not name one; "": the name of the file without its extensions,
	// "stdin" for standard input.
	Series string

	// CSV is the format of lines of CSV. If its Header is nil, the first line of the file is the header. The
	// first lines of a regular file decide the fields that are left open: see sniff.CSV and Source.Assumptions.
	CSV format.CSVConfig

	// Strict refuses a file whose format needs an assumption.
	Strict bool

	// Missing declares that all numbers that stand for a missing value are configured: the first lines are not
	// searched for more.
	Missing bool

	// Sort sorts the lines by time; it holds all of them in memory. Sort is assumed when the newest line comes
	// first.
	Sort bool

	// DropEqual makes Sort drop lines that equal another one.
	DropEqual bool

	// Last is the number of lines that are read, the last ones of a regular file; 0: all. They are held in
	// memory.
	Last int

	// Since is the time of the earliest record that is read, ns since 1970 UTC; 0: all records.
	Since int64

	// Sheet is the name of the sheet in a workbook; "": the only sheet with cells.
	Sheet string

	// JSON is the format of lines of JSON.
	JSON format.JSONConfig

	// Influx is the format of line protocol. A message is one line: a newline within a string ends it, too.
	Influx format.InfluxConfig

	// More are further files, folders or patterns with the same format and the same columns. All files together
	// are one data set in the order of time.
	More []string

	// PerFile makes each file a series with the name of the file.
	PerFile bool

	said       []string // assumptions of a Format.Table, in words
	asIs       bool     // keeps the order of the lines, even if the newest comes first
	partitions []string // columns in the names of folders

	set  *set // data set whose lines Sort sorts together; nil: this file alone
	read *atomic.Int64
}

// Source reads the lines of a file as messages with offset = line number - 1 and partition = -1. Blank lines are
// skipped. It implements stream.Source and checkpoint.Seeker.
type Source struct {
	path    string
	file    *os.File
	size    int64
	read    *atomic.Int64
	live    *live // standard input or a pipe; nil for a regular file
	lines   *bufio.Reader
	decoder stream.Decoder
	csv     *format.CSVConfig // nil once the header was read
	local   []*format.CSV     // decoders of local times, which depend on the lines before
	blanks  string            // characters that a blank line may have
	names   []byte            // header line: concatenated files repeat it
	key     []byte

	packedName string // name of the file within a zip archive

	set   *set         // nil: one file
	found SourceConfig // the configuration with all decisions about the format

	comments           bool // lines of CSV that begin with # are comments
	setting            format.Names
	strict, sort, asIs bool
	dropEqual, missing bool
	part               *part // nil: all records
	guessed            bool  // JSON lines on standard input are a guess until the first line was read
	doubt              func(error)
	assumptions        []sniff.Assumption

	next     int64  // offset of the next line
	began    bool   // a line of data was read, or skipped by Seek
	line     []byte // the next line, as far as it was read
	longest  int    // number of bytes that are kept of a line
	messages []byte // memory of the messages that the last Read returned
}

// OpenSource opens the file at path; "-" is standard input. Standard input cannot be rewound: after a restart its
// lines count as new.
//
// OpenSource reads the header of a regular CSV file; the first Read reads the header of standard input or a pipe.
func OpenSource(path string, c SourceConfig) (*Source, error) {
	s, err := openAll(path, c)
	if err != nil {
		return nil, err
	}
	if err = s.checkLines(path, c); err == nil {
		err = s.keepPart(c)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openAll opens one file, or several files as one Source.
func openAll(path string, c SourceConfig) (*Source, error) {
	if c.Formats == nil {
		c.Formats = formats
	}
	if len(c.More) == 0 && !IsSeveral(path) {
		return openAs(path, c)
	}
	files, err := expand(append([]string{path}, c.More...), &c)
	if err != nil {
		return nil, err
	}
	return openSet(path, files, c)
}

func openAs(path string, c SourceConfig) (*Source, error) {
	if c.read == nil {
		c.read = new(atomic.Int64)
	}
	s, err := open(path, &c)
	if err != nil {
		return nil, err
	}
	s.set = c.set
	s.setting, c.CSV.Names, c.JSON.Names = c.Names, c.Names, c.Names
	if err := s.configure(c); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func open(path string, c *SourceConfig) (*Source, error) {
	if path == "-" {
		s := &Source{path: "stdin", file: os.Stdin, live: newLive(os.Stdin), read: c.read}
		s.lines = bufio.NewReaderSize(s.live, 1<<16)
		return s, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, explainMissing(path, c.Formats, err)
	}
	s := &Source{path: path, file: f, read: c.read}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	r := io.Reader(&counter{r: f, n: s.read})
	if !info.Mode().IsRegular() {
		s.live = newLive(r)
		s.lines = bufio.NewReaderSize(s.live, 1<<16)
		return s, nil
	}
	s.size = info.Size()
	s.lines = bufio.NewReaderSize(r, sampleBytes)
	if begin, _ := s.lines.Peek(4); string(begin) == "PK\x03\x04" {
		var text *bufio.Reader
		if text, s.packedName, err = unzip(f, s.size, s.read); text != nil {
			s.lines = text
		} else if !strings.EqualFold(filepath.Ext(path), ".zip") {
			err = nil // a workbook, perhaps damaged: checkText reports it
		}
	} else {
		s.lines, err = decompress(s.lines, s.read)
	}
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	s.lines = decodeUTF16(s.lines)
	return s, nil
}

// counter counts the bytes that are read through it.
type counter struct {
	r io.Reader
	n *atomic.Int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n.Add(int64(n))
	return n, err
}

// Variables returns the names of the variables in the header. It returns nil if each line names its variables,
// and before the header of a pipe was read.
func (s *Source) Variables() []string {
	if d, ok := s.decoder.(*format.CSV); ok {
		return d.Variables()
	}
	return nil
}

// Progress returns the number of bytes read, and the length of the file in bytes (0: unknown). It may be called
// from any goroutine.
func (s *Source) Progress() (read, total int64) {
	if read = s.read.Load(); s.size > 0 {
		read = min(read, s.size) // the directory of an archive, and the head of some files, are read twice
	}
	return read, s.size
}

// ErrOtherFile is wrapped by the error of Seek when the file does not begin with the processed lines.
var ErrOtherFile = errors.New("it is not the file it was")

// Once implements checkpoint.OnceOnly: standard input and pipes cannot be rewound.
func (s *Source) Once() bool { return s.live != nil }

// Seek implements checkpoint.Seeker. It does not check the earlier lines of standard input or a pipe.
func (s *Source) Seek(ctx context.Context, next int64, last stream.Mark) error {
	s.began = true
	if s.live != nil {
		s.next = next
		if s.csv != nil {
			s.next-- // the header counts as a line, too
		}
		return nil
	}
	for s.next < next {
		err := s.readLine(ctx)
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%s has %s, but %d were already processed: %w", s.path, plural.Count(s.next, "line"), next, ErrOtherFile)
		}
		if err != nil {
			return err
		}
		if m := s.message(); s.next-1 == last.Offset && !last.None() && m.Mark() != last {
			return fmt.Errorf("%s: line %d is not the one that was processed before: %w", s.path, s.next, ErrOtherFile)
		} else if !s.isEmpty(m.Value) {
			for _, d := range s.local {
				var r stream.Record
				_ = d.Decode(&r, &m) // a line that was refused is refused again
			}
		}
		s.line = s.line[:0]
	}
	return nil
}

// message returns the last line as a message, which shares the memory of the line.
func (s *Source) message() stream.Message {
	m := stream.Message{
		Topic: s.path, Partition: -1, Offset: s.next - 1, Key: s.key, Value: bytes.TrimRight(s.line, "\r\n"),
	}
	if s.set != nil {
		m.Topic, m.Place = s.set.name, fmt.Sprintf("%s:%d", s.path, s.next-s.set.lines)
	}
	return m
}

// OnDoubt sets the function that is called if the first line of standard input is no JSON although no format was named.
// Without it, Read returns the error; with it, the line is read like later ones.
func (s *Source) OnDoubt(f func(error)) { s.doubt = f }

// Read implements stream.Source.
func (s *Source) Read(ctx context.Context, dst []stream.Message) (int, error) {
	if s.csv != nil {
		if err := s.configureCSV(ctx); err != nil {
			return 0, err
		}
	}
	s.messages = s.messages[:0]
	n := 0
	for n < len(dst) && (n == 0 || s.waiting()) {
		err := s.readLine(ctx)
		if err != nil {
			if n > 0 {
				return n, nil // the next Read reports the error
			}
			switch end := errors.Is(err, io.EOF); {
			case end && !s.began:
				return 0, fmt.Errorf("%s has no data", s.path)
			case end && s.part != nil && !s.part.some:
				return 0, s.part.none(s.path)
			}
			return 0, err
		}
		if err := s.checkPipe(); err != nil {
			return 0, err
		}
		s.began = true
		if m := s.message(); !s.isEmpty(m.Value) {
			if s.guessed && !bytes.HasPrefix(bytes.TrimSpace(m.Value), []byte("{")) {
				err := fmt.Errorf("%s: line 1 is no JSON object: name the format with %s (or influx)", s.path, s.setting.Set("SourceConfig.Format", "csv"))
				if s.doubt == nil {
					return 0, err
				}
				s.doubt(err)
			}
			s.guessed = false
			if s.part != nil && !s.part.has(&m) {
				s.line = s.line[:0]
				continue
			}
			from := len(s.messages)
			s.messages = append(s.messages, m.Value...)
			dst[n] = m
			dst[n].Value = s.messages[from:len(s.messages):len(s.messages)]
			n++
		}
		s.line = s.line[:0]
	}
	return n, nil
}

// isEmpty reports whether a line has no data: it is blank, has only separators (the empty row of a spreadsheet),
// is a comment, or repeats the header.
func (s *Source) isEmpty(line []byte) bool {
	return len(bytes.Trim(line, s.blanks)) == 0 || s.comments && line[0] == '#' || len(s.names) > 0 && bytes.Equal(line, s.names)
}

// waiting reports whether the next line can be read without blocking.
func (s *Source) waiting() bool {
	if s.live == nil {
		return true
	}
	b, _ := s.lines.Peek(s.lines.Buffered())
	return bytes.IndexByte(b, '\n') >= 0
}

// readLine appends to s.line up to a newline or the end of the file. If ctx ends before, the next call continues
// the line. Only the first s.longest bytes of a line are kept.
func (s *Source) readLine(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if s.live != nil {
		s.live.ctx = ctx
	}
	for {
		b, err := s.lines.ReadSlice('\n')
		s.line = append(s.line, b[:min(len(b), s.longest-len(s.line))]...)
		switch {
		case err == nil || errors.Is(err, io.EOF) && len(s.line) > 0:
			s.next++
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			if err := s.nextFile(); err != nil {
				return err
			}
		case ctx.Err() != nil:
			return err
		default:
			return fmt.Errorf("%s:%d: %w", s.path, s.next+1, err)
		}
	}
}

// Close implements stream.Source.
func (s *Source) Close() error {
	if s.live != nil {
		s.live.close()
	}
	if s.file == os.Stdin {
		return nil
	}
	return s.file.Close()
}
