package wire

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/orff/random"
	"github.com/orffvar/forecaster/stream"
)

// TestNamesOfModels: what a name of a model says: N lags, whether it has a kernel, whether the seed counts.
func TestNamesOfModels(t *testing.T) {
	for _, c := range []struct {
		name string
		n    int
		ok   bool
	}{{"var1", 1, true}, {"var999", 999, true}, {"var0", 0, false}, {"var1000", 1000, false}, {"var01", 1, false}, {"var", 0, false}, {"ar3", 0, false}, {"var-1", -1, false}} {
		if n, ok := numbered(c.name, "var"); ok != c.ok || ok && n != c.n {
			t.Errorf("%s: %d, %t", c.name, n, ok)
		}
	}
	for field, want := range map[[2]string]string{
		{"CSVConfig.Header", ""}: "input.csv.header", {"CSVConfig.Header", "a,b"}: "--set input.csv.header=a,b", {"CSVConfig.Series", "true"}: "--set input.csv.series_column=true",
		{"SourceConfig.Sort", "true"}: "--sort", {"SourceConfig.Sort", "false"}: "--set input.file.sort=false", {"CSVConfig.Comma", " "}: `--set "input.csv.comma= "`,
	} {
		if got := settingName(field[0], field[1]); got != want {
			t.Errorf("%q: %s, want %s", field, got, want)
		}
	}
	for want, names := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := listed(names); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	kernel, seeded := []string{"kernelvar", "krls", "nystroem", "okvar", "onorma"}, []string{"auto", "auto-light", "auto-tiny", "orffvar", "kernelvar", "krls", "nystroem"}
	for _, name := range append(slices.Clone(kernel), "auto", "auto-light", "auto-tiny", "orffvar", "ngrc", "var2", "ar6", "persistence", "seasonal", "none") {
		if got := IsKernelModel(name); got != slices.Contains(kernel, name) {
			t.Errorf("%s has a kernel: %t", name, got)
		}
		if got := IsRandom(name); got != slices.Contains(seeded, name) {
			t.Errorf("%s depends on the seed: %t", name, got)
		}
	}
	for name, baselines := range map[string]int{"persistence": 1, "var2": 1, Reference: 0} { // a model is no baseline of itself
		cfg, err := loaded(t, "", "model.type="+name, "model.season=24", "input.simulated.rows=1", "output.discard={}")
		if err != nil {
			t.Fatal(err)
		}
		if got := EngineConfig(cfg, "pool"); len(got.Baselines) != baselines || baselines == 1 && (got.Baselines[0].Name != "var1" || !got.Baselines[0].Reference) || got.Pool != "pool" {
			t.Errorf("%s: baselines %+v", name, got.Baselines)
		}
	}
}

// TestKnownSizes: the columns of a file and the simulated variables say how many there are.
func TestKnownSizes(t *testing.T) {
	for sets, want := range map[string]int{
		"input.file.path=x.csv": 0, "input.file.path=x.csv input.csv.value_columns=a,b,c": 3, "input.simulated.dim=4": 4,
		"input.simulated.dim=4 pipeline.variables=a,b": 2,
	} {
		cfg, err := loaded(t, "", strings.Fields(sets+" output.discard={}")...)
		if err != nil {
			t.Fatal(err)
		}
		if n, ok := cfg.Dim(); n != want || ok != (want > 0) {
			t.Errorf("%s: %d, %t", sets, n, ok)
		}
	}
}

// TestKeysOfPartitions: what brings all messages of a series into one partition.
func TestKeysOfPartitions(t *testing.T) {
	for format, want := range map[string]string{"json": "the producer must set it, or input.kafka.join joins them", "influx": "set routing_tag in Telegraf's outputs.kafka, or input.kafka.join"} {
		cfg, err := loaded(t, "", "input.kafka.brokers=a:1", "input.kafka.topics=t", "input.kafka.consumer_group=g", "input.kafka.join=j", "input.data_format="+format, "output.discard={}", "pipeline.interval=1s")
		if err != nil {
			t.Fatal(err)
		}
		if got := KeyAdvice(cfg); got != "all messages of a series must have one key: "+want {
			t.Errorf("%s: %s", format, got)
		}
		k := InputKafka(cfg)
		if k.Joining() != "g-merge" || !slices.Equal(k.Forecast(), []string{"j"}) {
			t.Errorf("the group %s joins into %v", k.Joining(), k.Forecast())
		}
		if u := k.use("input.kafka", cfg); u.group != "g-merge" || !slices.Equal(u.topics, []string{"t"}) {
			t.Errorf("%+v", u)
		}
	}
}

// TestMapsWithoutDraws: no operator makes a map of nothing, alone, in a sum or in a product.
func TestMapsWithoutDraws(t *testing.T) {
	for _, o := range operators {
		for _, c := range []struct{ sets, what string }{{"", "alone"}, {"model.kernel.plus.name=laplacian", "a sum"}, {"model.kernel.times.name=laplacian", "a product"}} {
			cfg, err := loaded(t, "", strings.Fields("model.order=1 model.kernel.linear=true "+c.sets)...)
			if err != nil {
				t.Fatal(err)
			}
			k := cfg.Model.Kernel
			k.Operator.Name, k.Operator.Groups = o.name, 1
			for _, size := range []struct{ dim, in, draws int }{{3, 3, 0}, {3, 0, 20}} {
				switch {
				case size.draws == 0 && (c.what == "a product" || o.name == "schur"): // they draw at least one
					continue
				case size.in == 0 && o.field: // it has as many inputs as outputs
					continue
				}
				if m, err := NewMap(k, size.dim, size.in, size.draws, random.New(1)); err == nil {
					t.Errorf("%s, %s: a map %T of %+v", o.name, c.what, m, size)
				}
			}
		}
	}
}

// TestLinesAheadOfTime: the inputs of all rows that are read ahead come with the first message, also where a message has
// several records, and in front of the rows of a file that is longer than one read.
func TestLinesAheadOfTime(t *testing.T) {
	var text strings.Builder
	const rows = 700
	for i := range rows {
		fmt.Fprintf(&text, "s,host=a x=%d,price=%d %d\n", i, 10*i, (1_700_000_000+60*int64(i))*1e9)
	}
	path := filepath.Join(t.TempDir(), "in.lp")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg, err := loaded(t, "", "input.file.path="+path, "output.discard={}", "model.type=var1", "model.exogenous=price", "model.horizon=2", "pipeline.interval=1m")
	if err != nil {
		t.Fatal(err)
	}
	src, err := OpenFile(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	source, decoder := Messages(src, cfg.Model, true)
	ahead, now := 0, 0
	eachMessage(t, source, 100, func(m *stream.Message) {
		for _, r := range decoded(t, decoder, m) {
			value, isAhead, _ := strings.Cut(r, " ")
			count := &now
			if isAhead == "true" {
				count = &ahead
			}
			if value != fmt.Sprint(*count) {
				t.Fatalf("%s is the record %d", r, *count)
			}
			*count++
		}
		if ahead < min(now+cfg.Model.Horizon, rows) {
			t.Fatalf("after %d rows the inputs of %d are known", now, ahead)
		}
	})
	if now != rows || ahead != rows {
		t.Errorf("%d rows, inputs of %d", now, ahead)
	}
}

// TestMessagesOfOutputs: forecasts have the format of the input; long messages are those of long layouts and of long inputs.
func TestMessagesOfOutputs(t *testing.T) {
	for sets, want := range map[string]string{
		"input.data_format=json": "*format.ForecastJSON", "input.data_format=json output.kafka.layout=long": "kafkasink.LongJSON",
		"input.data_format=json input.json.layout=long pipeline.interval=1s": "kafkasink.LongJSON",
		"input.data_format=influx pipeline.interval=1s":                      "lineproto.Encoder",
	} {
		cfg, err := loaded(t, "", strings.Fields("input.kafka.brokers=a:1 input.kafka.topics=t output.kafka.topic=o "+sets)...)
		if err != nil {
			t.Fatal(err)
		}
		encoder, err := OutputKafka(cfg).encoder(cfg)
		if got := fmt.Sprintf("%T", encoder); err != nil || got != want {
			t.Errorf("%s: %s, error %v", sets, got, err)
		}
	}
}

// TestOutputsThatCannotBeOpened: an output that fails is an error, and the outputs before it are closed.
func TestOutputsThatCannotBeOpened(t *testing.T) {
	dir := t.TempDir()
	first := filepath.Join(dir, "first.csv")
	for sets, want := range map[string]string{
		"output.file.path=" + dir + "/none/a.csv":                                                                                                              "none",
		"output.file.path=" + first + " output.dead_letters.path=" + dir + "/none/d.jsonl":                                                                     "none",
		"output.file.path=" + first + " output.remote_write.url=http://127.0.0.1:1 output.remote_write.tls_ca=" + dir + "/none.pem":                            "none.pem",
		"output.file.path=" + first + " input.kafka.brokers=a:1 input.kafka.topics=t output.kafka.topic=o input.kafka.tls_enable=true input.kafka.tls_ca=GONE": "gone.pem",
	} {
		gone := filepath.Join(dir, "gone.pem")
		sets = strings.ReplaceAll(sets, "GONE", gone)
		cfg, err := loaded(t, "", strings.Fields(sets)...)
		if err == nil {
			_, err = OpenOutputs(cfg, logtest.Discard())
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sets, err)
		}
	}
	cfg, err := loaded(t, "", "output.file.path="+first, "input.simulated.rows=1")
	if err != nil {
		t.Fatal(err)
	}
	o, err := OpenOutputs(cfg, logtest.Discard()) // nobody else has it
	if err != nil {
		t.Fatal(err)
	}
	if err := o.Close(); err != nil {
		t.Error(err)
	}
}
