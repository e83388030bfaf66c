package config_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/wire"
)

// sets loads settings in the form key=value, separated by semicolons.
func sets(text string) (*config.Config, error) {
	var src config.Sources
	for s := range strings.SplitSeq(text, ";") {
		if path, value, ok := strings.Cut(s, "="); ok {
			src.Set = append(src.Set, config.Setting{Path: path, Value: value, From: "--set"})
		}
	}
	return config.Load(src)
}

// TestBoundsOfSettings: each setting accepts values up to its bounds. The error for the first value beyond a bound has
// the path and the allowed values. with has other settings that the value needs.
func TestBoundsOfSettings(t *testing.T) {
	for _, c := range []struct{ path, with, good, bad, want string }{ // bars separate values
		{"pipeline.max_gap", "", "0", "-1", "must be >= 0, got -1"},
		{"pipeline.max_ahead", "", "0s", "-1ns", "must be >= 0s, got -1ns"},
		{"pipeline.schema_change_after", "", "0", "-1", "must be >= 0, got -1"},
		{"pipeline.max_series", "", "1", "0", "must be >= 1, got 0"},
		{"pipeline.max_dim", "", "1|1024", "0|1025", "must lie in [1, 1024], got "},
		{"pipeline.max_abs", "", "1e-9", "0|-1", "must be > 0, got "},
		{"pipeline.emit", "model.horizon=5", "1|5|1,5", "0|6|1,6", "must lie in [1, model.horizon = 5], got "},
		{"pipeline.emit", "model.horizon=5", "2,3", "3,2", "must ascend, got 2 after 3"},
		{"pipeline.emit", "model.horizon=5", "2,3", "3,3", "must ascend, got 3 after 3"},
		{"pipeline.wait", "pipeline.interval=1s", "0s|10000s|10000.5s", "10001s|-1s", "must lie between 0 and 10000 intervals, got "},
		{"pipeline.aggregate", "pipeline.interval=1s;pipeline.wait_for_late=true", "latest|mean", "sum", "must be one of "},
		{"pipeline.aggregate", "pipeline.interval=1s", "latest", "mean", "needs pipeline.wait_for_late: true with mean"},
		{"pipeline.fill", "pipeline.interval=1s", "none|last", "zero", "must be one of "},
		{"pipeline.scope", "", "series|shared", "both", "must be one of "},
		{"pipeline.variables", "", "a,b", "a,,b", "must not contain an empty name"},
		{"pipeline.variables", "", "a,b", "a,b,a", `has "a" twice`},
		{"pipeline.missing", "", "-999,0", "x", ""},
		{"pipeline.rate", "", "a,b", "a,", "must not contain an empty name"},
		{"pipeline.rate", "", "a,b", "a,b,b", `has "b" twice`},
		{"pipeline.rate", "pipeline.variables=a,b", "a,b", "a,c", `has "c", which is none of pipeline.variables`},
		{"pipeline.rate", "model.exogenous=u", "a", "a,u", `has "u", which is one of model.exogenous`},
		{"pipeline.rate", "pipeline.interval=1s;pipeline.wait_for_late=true;pipeline.aggregate=mean", "", "a", "excludes pipeline.aggregate: mean"},
		{"model.order", "", "1", "0", "must be >= 1, got 0"},
		{"model.horizon", "", "1|10000", "0|10001", "must lie in [1, 10000], got "},
		{"model.horizon", "model.intervals=quantile", "500", "501", "must be <= 500 with intervals: quantile, which keep all forecasts that wait for their targets, got 501"},
		{"model.levels", "", "0.001,0.999", "0|1|0.5,1", "must lie in (0, 1), got "},
		{"model.levels", "", "0.5,0.9", "0.5,0.5", "has 0.5 twice"},
		{"model.season", "", "0|20160", "-1|20161", "must lie in [0, 20160], got "},
		{"model.season_time", "pipeline.interval=1h", "2h|20160h", "1h|90m|20161h|month", "must be 2 to 20160 times pipeline.interval, which is 1h, got "},
		{"model.season_time", "pipeline.interval=month", "quarter|year", "month", "must be 2 to 20160 times pipeline.interval, which is month, got "},
		{"model.season_time", "pipeline.interval=month", "year", "24h", "must be 2 to 20160 times pipeline.interval, which is month, got "},
		{"model.season_time", "", "0", "24h", "needs pipeline.interval"},
		{"model.season_time", "pipeline.interval=1h;model.season=24", "24h", "48h", "is 48 steps, and model.season 24; keep one of them"},
		{"model.frequencies", "", "1", "0", "must be >= 1, got 0"},
		{"model.bandwidth", "", "0", "-1", "must be >= 0, got -1"},
		{"model.ridge", "model.forgetting=1", "0.1", "auto", "auto needs a memory, model.forgetting < 1"},
		{"model.forgetting", "model.ridge=1", "1e-9|1", "0|1.001|-1", "must lie in (0, 1], got "},
		{"model.intervals", "", "model|quantile", "none", "must be one of "},
		{"model.joint", "model.levels=0.9", "true", "", ""},
		{"model.joint", "model.levels=[]", "false", "true", "needs model.levels"},
		{"model.drift.action", "model.drift.detect=true", "none|forget|reset_scaler|restart", "x", "must be one of "},
		{"model.drift.action", "model.drift.detect=false", "none", "forget", "has no effect without model.drift.detect: true"},
		{"model.drift.false_alarms", "", "1e-9|0.0999", "0|0.1|-1", "must lie in (0, 0.1), got "},
		{"model.anomaly.false_alarms", "", "1e-9|0.1", "0|0.1001|-1", "must lie in (0, 0.1], got "},
		{"model.anomaly.alarms", "", "1 per day|0.5 per year", "x|0 per day|1 per second", ""},
		{"model.anomaly.normal_after", "", "1", "0", "must be >= 1, got 0"},
		{"model.anomaly.min_duration", "", "1", "0", "must be >= 1, got 0"},
		{"model.anomaly.rules", "", "a 5", "a", "element 0 "},
		{"model.exogenous", "", "u,v", "u,", "must not contain an empty name"},
		{"model.exogenous", "", "u,v", "u,v,u", `has "u" twice`},
		{"model.exogenous", "pipeline.variables=a", "u", "u,a", `has "a", which is one of pipeline.variables`},
		{"model.calendar", "", "hour|weekday|month|month,hour", "day|hour,day", "must be one of hour, weekday, month, got "},
		{"model.calendar", "", "hour,month", "hour,month,hour", `has "hour" twice`},
		{"model.time_zone", "", "UTC|Europe/Rome", "Local|Mars", "must be a time zone such as UTC or Europe/Rome, got "},
		{"input.time_zone", "", "UTC|Europe/Rome", "Local|Mars", "must be a time zone such as UTC or Europe/Rome, got "},
		{"model.bounds", "", "a >= 0", "a > b", "element 0 "},
		{"model.bounds", "", "a >= 0,b >= 0", "a >= 0,a >= 1", ""},
		{"model.limits", "", "a >= 0", "a > b", "element 0 "},
		{"model.kernel.parameter", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.plus.parameter", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.times.parameter", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.coefficients", "", "0,1", "0,-1", "must be >= 0, or the kernel is not positive definite, got -1"},
		{"model.kernel.coefficients", "", strings.Repeat("1,", 20) + "1", strings.Repeat("1,", 21) + "1", "must be at most 21, up to degree 20, got 22"},
		{"model.kernel.inputs", "", "auto|standardised|common|ranged", "x", "must be one of "},
		{"model.kernel.plus.weight", "model.kernel.plus.name=gaussian", "1e-9|0.999", "0|1", "must lie in (0, 1), got "},
		{"model.kernel.plus.weight", "", "0|1", "", ""},
		{"model.kernel.landmarks", "", "1|2000", "0|2001", "must lie in [1, 2000], got "},
		{"model.kernel.window", "", "2|5000", "1|5001", "must lie in [2, 5000], got "},
		{"model.kernel.terms", "", "1|100000", "0|100001", "must lie in [1, 100000], got "},
		{"model.kernel.degree", "", "2|3", "1|4", "must be 2 or 3, got "},
		{"model.kernel.lambda", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.operator.form", "", "bounded|unbounded", "x", "must be one of "},
		{"model.kernel.operator.rank", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.operator.eta", "", "0", "-1", "must be >= 0, got -1"},
		{"model.kernel.operator.length", "", "1e-9", "0|-1", "must be > 0, got "},
		{"model.kernel.operator.mix", "", "0|1", "-0.1|1.1", "must lie in [0, 1], got "},
		{"model.kernel.operator.groups", "", "0", "-1", "must be >= 0, got -1"},
		{"model.loss.parameter", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.step", "", "newton|plain|adagrad", "x", "must be one of "},
		{"model.optimiser.schedule", "", "auto|constant|inverse_time|inverse_scaling|inverse_root", "x", "must be one of "},
		{"model.optimiser.rate", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.power", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.batch", "", "1|10000", "0|10001", "must lie in [1, 10000], got "},
		{"model.optimiser.blocks", "model.frequencies=6", "1|3|6", "0|4|7", "must divide model.frequencies = 6, got "},
		{"model.optimiser.decay", "", "all|block", "x", "must be one of "},
		{"model.optimiser.clip", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.warm", "", "0|100000", "-1|100001", "must lie in [0, 100000], got "},
		{"model.optimiser.solver", "", "auto|ridge|cg|lbfgs", "x", "must be one of "},
		{"model.optimiser.features", "", "keep|redraw", "x", "must be one of "},
		{"model.optimiser.redraw", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.grow", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.most_blocks", "", "0|100000", "-1|100001", "must lie in [0, 100000], got "},
		{"model.optimiser.manifold", "", "0", "-1", "must be >= 0, got -1"},
		{"model.optimiser.manifold_batches", "", "1|100", "0|101", "must lie in [1, 100], got "},
		{"model.optimiser.group_lasso", "", "0", "-1", "must be >= 0, got -1"},
		{"evaluate.window", "", "0|8", "1|7|-1", "must be 0 (all) or >= 8, got "},
		{"evaluate.interval", "", "1", "0", "must be >= 1, got 0"},
		{"state.interval", "", "1ns", "0s|-1s", "must be > 0, got "},
		{"state.records", "", "1", "0", "must be >= 1, got 0"},
		{"state.rebuild", "", "0", "-1", "must be >= 0, got -1"},
		{"state.stall_timeout", "", "0s|1s", "999ms|-1s", "must be 0 or at least 1s, got "},
		{"log.level", "", "debug|info|warn|error", "loud", "must be one of "},
		{"log.format", "", "auto|text|json", "xml", "must be one of "},
		{"server.listen", "server.enabled=true", "127.0.0.1:1|[::1]:65535|localhost:1", "localhost|localhost:65536", "must be host:port, got "},
		{"server.token", "server.enabled=true;server.listen=0.0.0.0:1", "t", "", ""},
		// Units, at their bounds.
		{"model.seed", "", "0|18446744073709551615|1_000|0x10", "-1|1.5|18446744073709551616", "must be a whole number of at least 0, got "},
		{"model.order", "", "1_0|0x2", "1.5|x", "must be a whole number, got "},
		{"model.bandwidth", "", "1e3", "inf|-inf|nan|x", "must be a finite number, got "},
		{"model.joint", "model.levels=0.9", "1|0|T", "yes", `must be true or false, got "yes"`},
		{"model.memory", "", "0|1|1KiB|8796093022207MiB|1 kB|9223372036GB", "-1|8796093022208MiB|9223372037GB|1TiB|KiB", "must be a size such as 64KiB or 1MiB, got "},
		{"pipeline.interval", "", "0|5s|month|quarter|year", "-5s|5|week", "must be a duration such as 5s or 1h30m, or month, quarter or year, got "},
		{"pipeline.max_ahead", "", "0|1h30m", "5|x", "must be a duration such as 5s or 1h30m, got "},
		{"model.ridge", "", "auto|1e-300", "0|-1|inf|nan|x", "must be a number > 0, or auto, got "},
	} {
		if c.want == "must be one of " {
			c.want += strings.ReplaceAll(c.good, "|", ", ") + ", got "
		}
		for _, value := range strings.Split(c.good, "|") {
			if _, err := sets(c.with + ";" + c.path + "=" + value); err != nil && c.good != "" {
				t.Errorf("%s=%s is good: %v", c.path, value, err)
			}
		}
		for _, value := range strings.Split(c.bad, "|") {
			if c.bad == "" {
				continue
			}
			_, err := sets(c.with + ";" + c.path + "=" + value)
			if err == nil || !strings.Contains(err.Error(), "--set: "+c.path+": ") || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "%!") {
				t.Errorf("%s=%s: %v, want %s", c.path, value, err, c.want)
			}
		}
	}
	for text, want := range map[string]string{
		"state.dir=a;state.topic=b":                                    "state: needs one of dir and topic, not both",
		"server.enabled=true;server.listen=0.0.0.0:1":                  `server.token: must be given when server.listen is not on loopback, got listen "0.0.0.0:1"`,
		"server.enabled=true;server.tls_cert=c":                        "server.tls_cert: and tls_key must be given together",
		"output.dead_letters.path=a;output.dead_letters.topic=b":       "output.dead_letters: needs one of path and topic",
		"input.kafka.topics=t":                                         "--set: input.kafka.brokers: must name at least one broker",
		"input.simulated.rows=1;input.stdin.format=csv":                "input: has ",
		"pipeline.wait=1s":                                             "pipeline.interval: must be given as a duration with pipeline.wait: the rows are its multiples",
		"pipeline.wait_for_late=true":                                  "with pipeline.wait_for_late",
		"pipeline.fill=last":                                           "with pipeline.fill: last",
		"pipeline.wait=1s;pipeline.interval=month":                     "must be given as a duration with pipeline.wait",
		"model.order.x=1":                                              `model.order: is a value and has no key "x"`,
		"model.kernel=x":                                               "model.kernel: is a block; set one of its keys, such as model.kernel.",
		"output.discard=x":                                             "output.discard: is a block; it has no keys: set it to {}",
		"model.horizn=1":                                               `model: unknown key "horizn", did you mean "horizon"?`,
		"model.exogenous=\"a,b\",c;pipeline.variables=\"a,b\"":         `has "a,b", which is one of pipeline.variables`,
		"server.tls_cert=none;server.tls_key=none;server.enabled=true": "server.tls_cert: ",
		"model.events=none.csv":                                        "model.events: ",
		"model.bandwidth=x;model.order=0":                              "model.order: must be >= 1, got 0",
	} {
		if _, err := sets(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"state.dir=a", "state.topic=b", "server.enabled=true;server.listen=0.0.0.0:1;server.token=t", "output.dead_letters.path=a", "server.listen=nothing", "output.discard={};output.discard=null"} {
		if _, err := sets(text); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestUnitsAsText: sizes, intervals and durations are printed in a form that can be parsed.
func TestUnitsAsText(t *testing.T) {
	for text, size := range map[string]config.Size{"0": 0, "512": 512, "1KiB": 1 << 10, "1025": 1025, "3MiB": 3 << 20, "1GiB": 1 << 30, "1536MiB": 3 << 29} {
		if got, err := config.ParseSize(text); err != nil || got != size || size.String() != text {
			t.Errorf("%s is %d, written %s, error %v", text, got, size, err)
		}
	}
	for text, size := range map[string]config.Size{"1kB": 1000, "1KB": 1000, "2 MB": 2e6, "3GB": 3e9, "7B": 7, " 7 ": 7} {
		if got, err := config.ParseSize(text); err != nil || got != size {
			t.Errorf("%s is %d, error %v", text, got, err)
		}
	}
	for d, want := range map[time.Duration]string{0: "0s", time.Second: "1s", time.Minute: "1m", 90 * time.Minute: "1h30m", time.Hour: "1h", time.Hour + time.Second: "1h0m1s", 10 * time.Second: "10s"} {
		if got := config.ShortDuration(d); got != want {
			t.Errorf("%v is %s, want %s", d, got, want)
		}
	}
	c, err := sets("pipeline.interval=quarter;model.season_time=year;model.ridge=auto;model.forgetting=0.99")
	if err != nil {
		t.Fatal(err)
	}
	if i := c.Pipeline.Interval; i.Months() != 3 || i.Fixed() != 0 || i.String() != "quarter" || i.Short() != "quarter" || c.Model.Season != 4 {
		t.Errorf("a quarter is %d months, %v; a year %d of them", i.Months(), i.Fixed(), c.Model.Season)
	}
	if p := c.Model.Ridge.Penalty(.75); p != 2 || c.Model.Ridge.String() != "auto" || config.Ridge(3).Penalty(.75) != 3 || config.Ridge(.5).String() != "0.5" {
		t.Errorf("the penalty of auto is %v", p)
	}
	if c, err = sets("pipeline.interval=90m;model.season_time=24h"); err != nil || c.Model.Season != 16 || c.Pipeline.Interval.Short() != "1h30m" || c.Pipeline.Interval.Months() != 0 {
		t.Errorf("%v, a season of %d, error %v", c.Pipeline.Interval, c.Model.Season, err)
	}
}

// TestKindsAreSet: Set replaces settings of the same type, and adds settings of other types. Copies do not change.
func TestKindsAreSet(t *testing.T) {
	c, err := sets("input.simulated.rows=7;output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	was := *c
	c.Input.Set(&wire.SimulatedInput{Rows: 8, Dim: 3})
	if got := config.Of[wire.SimulatedInput](c.Input.Kinds); got.Rows != 8 {
		t.Errorf("%+v", got)
	}
	if got := config.Of[wire.SimulatedInput](was.Input.Kinds); got.Rows != 7 {
		t.Errorf("the copy has changed: %+v", got)
	}
	if n, ok := c.Dim(); n != 3 || !ok {
		t.Errorf("%d variables, known %t", n, ok)
	}
	c.Model.Order = 4
	if n, ok := c.Lags(); n != 12 || !ok {
		t.Errorf("%d lags, known %t", n, ok)
	}
	c.Pipeline.Variables = []string{"a", "b"}
	if n, _ := c.Dim(); n != 2 {
		t.Errorf("%d variables, two are named", n)
	}
	c.Pipeline.Variables = []string{"a"}
	if n, ok := c.Dim(); n != 1 || !ok {
		t.Errorf("%d variables, known %t, one is named", n, ok)
	}
	if n, ok := config.Default().Dim(); n != 0 || ok {
		t.Errorf("nobody knows, yet %d, %t", n, ok)
	}
	var k config.Kinds // without slots
	k.Set(&wire.SimulatedInput{Rows: 9})
	if got := config.Of[wire.SimulatedInput](k); got == nil || got.Rows != 9 || len(k.Given()) != 1 || config.Of[wire.FileInput](k) != nil {
		t.Errorf("%+v, %d given", got, len(k.Given()))
	}
	if c.Output.Empty() || !config.Default().Output.Empty() {
		t.Error("an output that discards is one, none is none")
	}
	if err := config.Default().Runnable(); err == nil || !strings.Contains(err.Error(), "input: one of ") || !strings.Contains(err.Error(), "output: one of ") {
		t.Errorf("nothing runs: %v", err)
	}
	if err := c.Runnable(); err != nil {
		t.Error(err)
	}
}

// TestErrorsOfUse: an error known only from the data keeps its cause, a missing file has a remedy, and a list of errors
// contains each error.
func TestErrorsOfUse(t *testing.T) {
	cause := errors.New("cause")
	if err := error(&config.UsageError{Err: cause}); !errors.Is(err, cause) || err.Error() != "cause" {
		t.Errorf("%v", err)
	}
	none := filepath.Join(t.TempDir(), "none.yaml")
	_, err := config.Load(config.Sources{Files: []string{none}})
	if err == nil || !strings.HasSuffix(err.Error(), ": correct the path, or begin with  forecaster create > "+none) {
		t.Errorf("%v", err)
	}
	_, folder := config.Load(config.Sources{Files: []string{t.TempDir()}})
	if folder == nil || strings.Contains(folder.Error(), "forecaster create") {
		t.Errorf("a folder: %v", folder)
	}
	for _, err := range []error{err, folder} {
		if all := (config.Errors)(nil); !errors.As(err, &all) || !all.Unread() {
			t.Errorf("%v is no file that was not read", err)
		}
	}
	if all := (config.Errors{cause, fs.ErrExist}); !errors.Is(all, cause) || !errors.Is(all, fs.ErrExist) || all.Unread() || all.Error() != "cause\nfile already exists" {
		t.Errorf("%v", all)
	}
}

// TestYAMLOfLists: host:port in brackets is a text; any other pair is an error.
func TestYAMLOfLists(t *testing.T) {
	for text, want := range map[string]string{
		"input: {kafka: {brokers: [a:1, b:2], topics: [t]}}":                "a:1 b:2",
		"input:\n  kafka:\n    brokers:\n    - a:1\n    topics: [t]":        "a:1",
		"input: {kafka: {brokers: [{a: 1}], topics: [t]}}":                  "input.kafka.brokers: must be a value, got a block of keys",
		"input: {kafka: {brokers: [{a:1}], topics: [t]}}":                   "input.kafka.brokers: must be a value, got a block of keys",
		"input: {kafka: {brokers: [a: 1], topics: [t]}}":                    "input.kafka.brokers: must be a value, got a block of keys",
		"input: {kafka: {brokers: [[a]], topics: [t]}}":                     "input.kafka.brokers: must be a value, got a ",
		"model: {order: [1, 2]}":                                            "model.order: must be one value, got a list",
		"model: 3":                                                          "model: must be a block of keys",
		"model: {order: ${NO_SUCH}}":                                        "model.order: environment variable NO_SUCH is not set; set it or write ${NO_SUCH:default}",
		"model: {order: 1}\n---\nmodel: {order: 2}":                         "a second document in the file; one is read",
		"input: {kafka: {brokers: ['${A:x}:2', '${B}:3'], topics: [t]}}":    "x:2 b:3",
		"x: &anchor [a:1]\ninput: {kafka: {brokers: *anchor, topics: [t]}}": `unknown key "x"`,
	} {
		name := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(name, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := config.Load(config.Sources{Files: []string{name}, Environ: []string{"B=b"}})
		got := fmt.Sprint(err)
		if err == nil {
			got = strings.Join(wire.InputKafka(c).Brokers, " ")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestSecretsOfFiles: a secret is the content of its file without line ends. SecretFiles lists the files of live secrets.
func TestSecretsOfFiles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(name, []byte("s e\r\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := sets("output.influxdb.url=http://h:1;output.influxdb.bucket=b;output.influxdb.token_file=" + name)
	if err != nil || wire.OutputInfluxDB(c).Token.Reveal() != "s e" {
		t.Fatalf("error %v", err)
	}
	want := []string{name}
	if !slices.Contains(config.Live(), "output.influxdb.token") {
		want = nil
	}
	if files := config.SecretFiles(c); !slices.Equal(files, want) || want == nil {
		t.Errorf("%q, want %q", files, want)
	}
	if _, err := sets("output.influxdb.token=x;output.influxdb.token_file=" + name); err == nil || !strings.Contains(err.Error(), "output.influxdb.token: is set, and so is output.influxdb.token_file; keep one of them") {
		t.Errorf("%v", err)
	}
	if _, err := sets("output.influxdb.token_file=/none"); err == nil || !strings.Contains(err.Error(), "--set: output.influxdb.token_file: ") {
		t.Errorf("%v", err)
	}
}

// TestErrorsInTheOrderOfTheFiles: errors of two files are ordered by file and line, before those of the command line. A
// list may have blanks around it.
func TestErrorsInTheOrderOfTheFiles(t *testing.T) {
	dir := t.TempDir()
	var files []string
	for i, text := range []string{"model:\n  order: 0\n  horizon: 0\n", "log:\n  level: loud\nmodel:\n  frequencies: 0\n", "evaluate: {interval: 0}\n"} {
		files = append(files, filepath.Join(dir, fmt.Sprint(9-i, ".yaml")))
		if err := os.WriteFile(files[i], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := config.Load(config.Sources{Files: files, Set: []config.Setting{{Path: "model.season", Value: "-1", From: "--season"}, {Path: "model.levels", Value: " [0.5, 2] ", From: "--set"}}})
	var got []string
	for line := range strings.SplitSeq(fmt.Sprint(err), "\n") {
		where, rest, _ := strings.Cut(strings.TrimPrefix(line, dir+string(filepath.Separator)), ": ")
		path, _, _ := strings.Cut(rest, ":")
		got = append(got, where+" "+path)
	}
	want := []string{"9.yaml:2 model.order", "9.yaml:3 model.horizon", "8.yaml:2 log.level", "8.yaml:4 model.frequencies", "7.yaml:1 evaluate.interval", "--set model.levels", "--season model.season"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for text, want := range map[string]int{" [0.5, 0.9] ": 2, " 0.5 ": 1, " [] ": 0, "": 0} {
		if c, err := sets("model.levels=" + text); err != nil || len(c.Model.Levels) != want {
			t.Errorf("%q: %v, error %v", text, c.Model.Levels, err)
		}
	}
}
