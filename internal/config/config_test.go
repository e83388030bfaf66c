package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/unicode"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// TestBadFiles loads each testdata/*.bad.yml. The errors must equal the "# want:" lines at the top of the file.
func TestBadFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yml")
	if err != nil || len(files) < 5 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	want := regexp.MustCompile(`(?m)^# want: (.*)$`)
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			_, err = wire.Load(config.Sources{Files: []string{name}})
			if err == nil {
				t.Fatal("no error")
			}
			got := filepath.ToSlash(err.Error())
			wanted := want.FindAllStringSubmatch(string(content), -1)
			lines := 0
			for _, w := range wanted {
				if !strings.Contains(got, w[1]) {
					t.Errorf("missing: %s", w[1])
				}
			}
			for _, at := range regexp.MustCompile(`(?m)\.yml:(\d+):`).FindAllStringSubmatch(got, -1) {
				line, err := strconv.Atoi(at[1])
				if err != nil || line < lines {
					t.Errorf("line %s comes after line %d", at[1], lines)
				}
				lines = line
			}
			if n := strings.Count(got, "\n") + 1; n != len(wanted) {
				t.Errorf("%d errors, want %d", n, len(wanted))
			}
			if t.Failed() {
				t.Logf("got:\n%s", got)
			}
		})
	}
}

// TestShippedFiles loads the example configurations for users.
func TestShippedFiles(t *testing.T) {
	files, err := filepath.Glob("../../configs/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d files: %v", len(files), err)
	}
	token := write(t, "t")
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			cfg, err := config.Load(config.Sources{Files: []string{name}, Environ: []string{"INFLUX_TOKEN=t", "INFLUX_TOKEN_FILE=" + token, "KAFKA_PASSWORD=p"}})
			if err != nil {
				t.Fatal(err)
			}
			if err := cfg.Runnable(); err != nil {
				t.Error(err)
			}
		})
	}
}

func write(t *testing.T, content string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestLayersInOrder(t *testing.T) {
	first := write(t, "model: {order: 2, horizon: 2, seed: 2, season: 2}\ninput: {kafka: {brokers: [a:1, b:1], topics: [x]}}\n")
	second := write(t, "model: {horizon: 3, seed: 3, season: 3}\ninput: {kafka: {brokers: [c:1]}}\n")
	cfg, err := config.Load(config.Sources{
		Files:   []string{first, second},
		Environ: []string{"FORECASTER_MODEL_SEED=4", "FORECASTER_MODEL_SEASON=4", "FORECASTER_PORT=tcp://1.2.3.4", "OTHER=1"},
		Set:     []config.Setting{{Path: "model.season", Value: "5", From: "--set"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	m := cfg.Model
	if m.Frequencies != config.Default().Model.Frequencies || m.Order != 2 || m.Horizon != 3 || m.Seed != 4 || m.Season != 5 {
		t.Errorf("got %+v", m)
	}
	k := wire.InputKafka(cfg)
	if !reflect.DeepEqual(k.Brokers, []string{"c:1"}) || !reflect.DeepEqual(k.Topics, []string{"x"}) || k.ConsumerGroup != "forecaster" {
		t.Errorf("lists must be replaced, blocks merged, defaults kept; got %+v", k)
	}
}

func TestEverySettingHasAVariableAndASet(t *testing.T) {
	cfg, err := config.Load(config.Sources{
		Environ: []string{
			"FORECASTER_INPUT_KAFKA_BROKERS=a:1,b:2", "FORECASTER_INPUT_KAFKA_TOPICS=x",
			"FORECASTER_PIPELINE_INTERVAL=90s", "FORECASTER_OUTPUT_INFLUXDB_TOKEN=s",
			"FORECASTER_OUTPUT_INFLUXDB_URL=http://h:1", "FORECASTER_OUTPUT_INFLUXDB_BUCKET=b",
		},
		Set: []config.Setting{
			{"input.kafka.max_message_len", "64KiB", "--set"},
			{"model.levels", "[0.5, 0.95]", "--set"},
			{"output.discard", "{}", "--set"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(wire.InputKafka(cfg).Brokers, []string{"a:1", "b:2"}) || cfg.Pipeline.Interval.Fixed() != 90*time.Second ||
		wire.InputKafka(cfg).MaxMessageLen != 64<<10 || !reflect.DeepEqual(cfg.Model.Levels, []float64{.5, .95}) ||
		config.Of[wire.DiscardOutput](cfg.Output.Kinds) == nil || wire.OutputInfluxDB(cfg).Token.Reveal() != "s" || wire.OutputInfluxDB(cfg).BatchSize != 5000 {
		t.Errorf("got %+v %+v %+v", wire.InputKafka(cfg), cfg.Pipeline, cfg.Model)
	}
}

func TestBadSettings(t *testing.T) {
	for _, tt := range []struct {
		environ []string
		set     []config.Setting
		want    string
	}{
		{set: []config.Setting{{"model.ordre", "4", "--set"}}, want: `--set: model: unknown key "ordre", did you mean "order"?`},
		{set: []config.Setting{{"model.precision", "float32", "--set"}}, want: `--set: model: unknown key "precision": removed, weights are float64`},
		{set: []config.Setting{{"model", "4", "--set"}}, want: `--set: model: is a block; set one of its keys, such as model.type`},
		{set: []config.Setting{{"model.order.x", "4", "--set"}}, want: `--set: model.order: is a value and has no key "x"`},
		{set: []config.Setting{{"model.order", "0", "--order"}}, want: `--order: model.order: must be >= 1, got 0`},
		{environ: []string{"FORECASTER_MODEL_ORDR=1"}, want: `environment: FORECASTER_MODEL_ORDR is no setting, did you mean FORECASTER_MODEL_ORDER?`},
		{environ: []string{"FORECASTER_MODEL_PRECISION=float32"}, want: `environment: FORECASTER_MODEL_PRECISION is no setting: removed, weights are float64`},
		{environ: []string{"FORECASTER_MODEL_ORDER=x"}, want: `environment FORECASTER_MODEL_ORDER: model.order: must be a whole number, got "x"`},
	} {
		_, err := config.Load(config.Sources{Environ: tt.environ, Set: tt.set})
		if err == nil || err.Error() != tt.want {
			t.Errorf("got %v, want %s", err, tt.want)
		}
	}
}

func TestReferences(t *testing.T) {
	name := write(t, `
input:
  kafka:
    brokers: [${HOST}:9092, "${OTHER:other}:9093"]
    topics: ${TOPICS}      # ${UNDEFINED} in a comment is nobody's business
    client_id: a$${HOST}b
    consumer_group: '${GROUP:a b}'
model:
  order: ${ORDER:4}
`)
	cfg, err := config.Load(config.Sources{Files: []string{name}, Environ: []string{"HOST=h", "TOPICS=x,y", "GROUP=tricky: \"#'\n- value"}})
	if err != nil {
		t.Fatal(err)
	}
	k := wire.InputKafka(cfg)
	if !reflect.DeepEqual(k.Brokers, []string{"h:9092", "other:9093"}) || !reflect.DeepEqual(k.Topics, []string{"x", "y"}) ||
		k.ClientID != "a${HOST}b" || k.ConsumerGroup != "tricky: \"#'\n- value" || cfg.Model.Order != 4 {
		t.Errorf("got %+v, order %d", k, cfg.Model.Order)
	}
}

func TestAnchorsAndEmptyValues(t *testing.T) {
	name := write(t, "model:\n  levels: &l [0.8]\n  order:\npipeline: {scope: &s shared}\noutput:\n  file: {path: *s, format: csv}\n  influxdb: {url: \"http://h:1\", bucket: b}\n")
	over := write(t, "output:\n  influxdb: null\n")
	cfg, err := config.Load(config.Sources{Files: []string{name, over}})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Model.Order != config.Default().Model.Order || wire.OutputFile(cfg).Path != "shared" || wire.OutputInfluxDB(cfg) != nil {
		t.Errorf("got %+v %+v", cfg.Model, cfg.Output)
	}
}

// TestByteOrderMarks: files of Windows begin with a byte order mark, and those of PowerShell are UTF-16.
func TestByteOrderMarks(t *testing.T) {
	for _, e := range []encoding.Encoding{unicode.UTF8BOM, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), unicode.UTF16(unicode.BigEndian, unicode.UseBOM)} {
		encode := func(text string) string {
			encoded, err := e.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			return write(t, encoded)
		}
		token := encode("é€\r\n")
		file := encode("output: {influxdb: {url: \"http://h:1\", bucket: été, token_file: " + strconv.Quote(token) + "}}\r\n")
		cfg, err := config.Load(config.Sources{Files: []string{file}})
		if err != nil {
			t.Errorf("%v: %v", e, err)
			continue
		}
		if c := wire.OutputInfluxDB(cfg); c.Bucket != "été" || c.Token.Reveal() != "é€" {
			t.Errorf("%v: got bucket %q, token %q", e, c.Bucket, c.Token.Reveal())
		}
	}
}

func TestSecretFile(t *testing.T) {
	token := write(t, "s3cret\n")
	base := []config.Setting{{"output.influxdb.url", "http://h:1", ""}, {"output.influxdb.bucket", "b", ""}, {"output.influxdb.token_file", token, "--set"}}
	cfg, err := config.Load(config.Sources{Set: base})
	if err != nil {
		t.Fatal(err)
	}
	if got := wire.OutputInfluxDB(cfg).Token.Reveal(); got != "s3cret" {
		t.Errorf("got %q", got)
	}
	text, err := cfg.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), "[redacted]") {
		t.Errorf("the printed configuration is not redacted:\n%s", text)
	}
	_, err = config.Load(config.Sources{Set: append(base, config.Setting{Path: "output.influxdb.token", Value: "x", From: ""})})
	if err == nil || !strings.Contains(err.Error(), "output.influxdb.token: is set, and so is output.influxdb.token_file") {
		t.Errorf("got %v", err)
	}
}

// TestPrintedConfigurationLoads: a configuration printed by YAML loads as an equal configuration.
func TestPrintedConfigurationLoads(t *testing.T) {
	text, err := config.Default().YAML()
	if err != nil {
		t.Fatal(err)
	}
	cfg, err := config.Load(config.Sources{Files: []string{write(t, string(text))}})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if !reflect.DeepEqual(cfg, config.Default()) {
		t.Errorf("printed:\n%s\nread back: %+v", text, cfg)
	}
}

func TestMissingFileIsOneOfTheErrors(t *testing.T) {
	_, err := config.Load(config.Sources{Files: []string{"nowhere.yaml"}, Set: []config.Setting{{"model.order", "0", "--order"}}})
	if err == nil || !strings.Contains(err.Error(), "nowhere.yaml") || !strings.Contains(err.Error(), "model.order: must be >= 1, got 0") {
		t.Errorf("got %v", err)
	}
	var errs config.Errors
	if !errors.As(err, &errs) || !errs.Unread() {
		t.Errorf("settings seem to be missing beside a file that is: %v", err)
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]config.Size{"0": 0, "512": 512, "64KiB": 64 << 10, "1 MiB": 1 << 20, "10MB": 10e6, "3B": 3, "2kB": 2000, "2KB": 2000, "1GB": 1e9, "2GiB": 2 << 30} {
		got, err := config.ParseSize(text)
		if err != nil || got != want {
			t.Errorf("ParseSize(%q) = %d, %v, want %d", text, got, err, want)
		}
		if back, err := config.ParseSize(got.String()); err != nil || back != got {
			t.Errorf("%q does not round-trip: %q", text, got.String())
		}
	}
	for _, text := range []string{"", "-1", "1.5MiB", "MiB", "9223372036854775807GiB", "1 2"} {
		if _, err := config.ParseSize(text); err == nil {
			t.Errorf("ParseSize(%q): no error", text)
		}
	}
}

// FuzzLoad: loading any content returns a Config or an error.
func FuzzLoad(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.yml")
	for _, name := range files {
		content, _ := os.ReadFile(name)
		f.Add(content)
	}
	f.Add([]byte("a: *b\nmodel: &x {order: *x}\n"))
	f.Add([]byte("model: !!int 3\n? [a]\n: 1\n<<: {}\n"))
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, content []byte) {
		name := filepath.Join(dir, "f.yaml")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if cfg, err := config.Load(config.Sources{Files: []string{name}}); cfg == nil {
			t.Fatal(err)
		}
	})
}

// TestSeasonTime: the time of a season is converted into steps.
func TestSeasonTime(t *testing.T) {
	for _, c := range []struct {
		content string
		season  int
		err     string
	}{
		{"model: {season_time: 24h}\npipeline: {interval: 15m}\n", 96, ""},
		{"model: {season_time: year}\npipeline: {interval: month}\n", 12, ""},
		{"model: {season_time: year}\npipeline: {interval: quarter}\n", 4, ""},
		{"model: {season_time: 24h, season: 24}\npipeline: {interval: 1h}\n", 24, ""},
		{"model: {season_time: 24h, season: 7}\npipeline: {interval: 1h}\n", 0, "is 24 steps, and model.season 7"},
		{"model: {season_time: 24h}\n", 0, "needs pipeline.interval"},
		{"model: {season_time: 24h}\npipeline: {interval: 7h}\n", 0, "times pipeline.interval, which is 7h, got"},
	} {
		cfg, err := config.Load(config.Sources{Files: []string{write(t, c.content)}})
		switch {
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%s: error %v, want %q", c.content, err, c.err)
		case c.err == "" && err != nil:
			t.Errorf("%s: %v", c.content, err)
		case c.err == "" && cfg.Model.Season != c.season:
			t.Errorf("%s: season %d, want %d", c.content, cfg.Model.Season, c.season)
		}
	}
}

// TestEverySettingIsDocumented compares docs/configuration.md with the fields and their defaults.
func TestEverySettingIsDocumented(t *testing.T) {
	text, err := os.ReadFile("../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^- `([a-z_]+[.][a-z_.]+)`( \\*)?(?: \\((.*?)\\))?: ").FindAllStringSubmatch(string(text), -1)
	documented := make(map[string]string)
	for _, r := range rows {
		if r[2] == "" {
			documented[r[1]] = strings.ReplaceAll(r[3], "`", "")
		}
	}
	for path, value := range config.DefaultSettings() {
		got, ok := documented[path]
		if !ok {
			t.Errorf("%s is not documented", path)
		} else if got != value {
			t.Errorf("%s: documented default %q, is %q", path, got, value)
		}
		delete(documented, path)
	}
	for path := range documented {
		t.Errorf("%s is documented and does not exist", path)
	}
}

// TestMeanings: the meaning of each name of another program is a key or a block.
func TestMeanings(t *testing.T) {
	keys := config.DefaultSettings()
	for name, key := range config.Meanings {
		known := false
		for k := range keys {
			known = known || k == key || strings.HasPrefix(k, key+".")
		}
		if !known {
			t.Errorf("%s: there is no key %s", name, key)
		}
	}
}
