package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/engine"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/refuse"
	"github.com/orffvar/forecaster/stream/streamtest"
)

// A new input, output or format is one file and one row. This file is such a file for each of
// them, and TestOneRowIsEnough adds the rows.

// mirrorInput repeats a line.
type mirrorInput struct {
	Line  string `yaml:"line"`  // text of every message
	Times int    `yaml:"times"` // number of messages
}

func (m *mirrorInput) Check(v *config.Checker, path string, _ *config.Config) {
	config.AtLeast(v, path+".times", m.Times, 1)
}

func (m *mirrorInput) formatName(*config.Config) string { return "words" }

func (m *mirrorInput) try(_ context.Context, path string, _ *config.Config) (string, error) {
	return path + ": mirrors " + m.Line, nil
}

func (m *mirrorInput) open(c *config.Config) (*Opened, error) {
	decoder, err := formatOf(c).messages(c, 0, slog.Default())
	if err != nil {
		return nil, err
	}
	d, err := decoder(context.Background())
	return &Opened{Source: &mirror{mirrorInput: *m}, Decoder: d, Name: "mirror"}, err
}

type mirror struct {
	mirrorInput
	next int
}

func (m *mirror) Read(_ context.Context, dst []stream.Message) (int, error) {
	if m.next == m.Times {
		return 0, io.EOF
	}
	dst[0] = stream.Message{Topic: "mirror", Partition: -1, Offset: int64(m.next), Value: []byte(m.Line)}
	m.next++
	return 1, nil
}

func (m *mirror) Close() error { return nil }

// wordsFormat has the settings of the format words: values behind a word.
type wordsFormat struct {
	Word string `yaml:"word"` // begins each line
}

func (w *wordsFormat) Check(v *config.Checker, path string, _ *config.Config) {
	v.Need(w.Word != "", path+".word", "must not be empty")
}

type wordsDecoder struct {
	word string
	at   int64
}

func (d *wordsDecoder) Decode(r *stream.Record, m *stream.Message) error {
	text, ok := bytes.CutPrefix(m.Value, []byte(d.word+" "))
	if !ok {
		return &refuse.Error{Reason: refuse.Malformed, Detail: "no " + d.word}
	}
	d.at += 1e9
	*r = stream.Record{Message: m, Series: "words", Time: d.at, Names: []string{"x"}, Values: []float64{float64(len(text))}}
	return nil
}

func wordsOf(c *config.Config) *wordsDecoder {
	return &wordsDecoder{word: config.Of[wordsFormat](c.Input.Kinds).Word}
}

var wordsRow = dataFormat{
	name: "words", about: "lengths of words",
	settings: func() config.Settings { return &wordsFormat{Word: "len"} },
	messages: func(c *config.Config, _ int, _ *slog.Logger) (decoders, error) {
		return func(context.Context) (stream.Decoder, error) { return wordsOf(c), nil }, nil
	},
	read: &file.Format{Name: "words", Extensions: []string{".words"}, Lines: func(*file.SourceConfig) (stream.Decoder, error) {
		return &wordsDecoder{word: "len"}, nil
	}},
	endings: []string{".words"},
	create: func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error) {
		return filesink.Create(f.Path, filesink.CSV{TimeUnit: timestamp.Seconds, Levels: m.Levels})
	},
}

// countOutput counts forecasts.
type countOutput struct {
	Most int `yaml:"most"` // limit of the count
}

func (o *countOutput) Check(v *config.Checker, path string, _ *config.Config) {
	config.AtLeast(v, path+".most", o.Most, 1)
}

func (o *countOutput) try(_ context.Context, path string, _ *config.Config) (string, error) {
	return "", errors.New(path + ": nobody counts")
}

func (o *countOutput) open(*config.Config, stream.DeadLetters, *slog.Logger) ([]stream.Sink, error) {
	return []stream.Sink{&counter{most: o.Most}}, nil
}

type counter struct{ most, n int }

func (c *counter) Write(_ context.Context, b *stream.Batch) error {
	c.n = min(c.n+len(b.Forecasts), c.most)
	return nil
}

func (c *counter) Close() error { return nil }

func TestOneRowIsEnough(t *testing.T) {
	in, out, all := inputs, outputs, formats
	t.Cleanup(func() { inputs, outputs, formats = in, out, all; declare() })
	inputs = append(slices.Clip(in), kind[input]{"mirror", "a line", func() input { return &mirrorInput{Times: 7} }})
	outputs = append(slices.Clip(out), kind[output]{"count", "number of forecasts", func() output { return &countOutput{Most: 100} }})
	formats = append(slices.Clip(all), wordsRow)
	declare()

	// Loading: a file, --set and the defaults.
	path := filepath.Join(t.TempDir(), "c.yaml")
	write := func(text string) config.Sources {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return config.Sources{Files: []string{path}, Environ: []string{"FORECASTER_INPUT_WORDS_WORD=size"}, Set: []config.Setting{{Path: "output.count.most", Value: "5", From: "--set"}}}
	}
	c, err := Load(write("input: {mirror: {line: size four}}\nmodel: {type: persistence}\noutput: {file: {path: x.words}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	text, err := c.YAML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"mirror:\n    line: size four\n    times: 7\n", "words:\n    word: size\n", "count:\n    most: 5\n"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}

	// Validation, with the line.
	_, err = Load(write("input:\n  mirror:\n    times: 0\n  words: {word: \"\"}\n  data_format: wrods\noutput: {count: {moist: 1}}\n"))
	for _, want := range []string{":3: input.mirror.times: must be >= 1, got 0", "input.data_format: must be one of json, csv, influx, avro, otlp_proto, otlp_json, words, got \"wrods\"", `output.count: unknown key "moist", did you mean "most"?`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if err := new(config.Config).Runnable(); err == nil || !strings.Contains(err.Error(), "simulated, mirror must be given") || !strings.Contains(err.Error(), "discard, count must be given") {
		t.Errorf("no input and no output: %v", err)
	}

	// Documentation.
	for table, want := range map[string]string{
		kindTable(t, "input", inputs):   "- `input.mirror` *: a line\n- `input.mirror.line`: text of every message\n- `input.mirror.times` (`7`): number of messages\n",
		kindTable(t, "output", outputs): "- `output.count.most` (`100`): limit of the count\n",
		formatSettings(t):               "- `input.words.word` (`len`): begins each line\n",
		formatTable():                   "| `words` | lengths of words | yes | `.words` | `.words` |\n",
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}

	// lint --connect.
	found, errs := Try(t.Context(), c)
	if !slices.Contains(found, "input.mirror: mirrors size four") || len(errs) == 0 || errs[len(errs)-1].Error() != "output.count: nobody counts" {
		t.Errorf("found %q, errors %v", found, errs)
	}

	// Wiring: from the input through the format and the engine to the outputs.
	OutputFile(c).Path = filepath.Join(t.TempDir(), "x.words")
	src, err := OpenInput(c)
	if err != nil {
		t.Fatal(err)
	}
	outs, err := OpenOutputs(c, logtest.Discard())
	if err != nil {
		t.Fatal(err)
	}
	e, b, r, m := engineOf(t, c), new(engine.Results), new(stream.Record), make([]stream.Message, 1)
	for {
		if _, err := src.Read(t.Context(), m); errors.Is(err, io.EOF) {
			break
		}
		if err := errors.Join(src.Decoder.Decode(r, &m[0]), streamtest.Apply(e, b, r)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(outs.Sink.Write(t.Context(), &b.Batch), outs.Close()); err != nil {
		t.Fatal(err)
	}
	if n := outs.opened["output.count"][0].(*counter).n; n != 5 {
		t.Errorf("counted %d forecasts, want 5, which is the most", n)
	}
	if lines, err := os.ReadFile(OutputFile(c).Path); err != nil || bytes.Count(lines, []byte("words,x,")) != 6 {
		t.Errorf("%v, written:\n%s", err, lines)
	}

	// The format of a file by its extension, and of messages.
	name := filepath.Join(t.TempDir(), "in.words")
	if err := os.WriteFile(name, []byte("len a\nlen bb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Input = config.Default().Input
	c.Input.Set(&FileInput{Path: name})
	lines, err := OpenFile(c)
	if err != nil {
		t.Fatal(err)
	}
	defer lines.Close()
	if n, err := lines.Read(t.Context(), make([]stream.Message, 9)); n != 2 || err != nil {
		t.Errorf("%d lines, %v", n, err)
	}
	c.Input.Set(&KafkaInput{MaxMessageLen: 1})
	c.Input.DataFormat = "words"
	newDecoder, err := NewDecoders(c, slog.Default())
	if err != nil {
		t.Fatal(err)
	}
	if d, err := newDecoder(t.Context()); err != nil || d.(*wordsDecoder).word != "len" {
		t.Errorf("decoder %v, %v", d, err)
	}
}
