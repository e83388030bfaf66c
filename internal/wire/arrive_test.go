package wire

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/orffvar/forecaster/eval/simulate"
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/refuse"
)

// setting is a key with another value than its default, and what else has to be set.
type setting struct{ with, set string }

const (
	fromKafka = "input.kafka.brokers=a:1 input.kafka.topics=t output.discard={}"
	fromFile  = "input.file.path=in.csv output.discard={}"
	fromStdin = "input.stdin={} output.discard={}"
	simulated = "input.simulated.rows=10 output.discard={}"
	onGrid    = fromKafka + " pipeline.interval=1m"
	fromAvro  = fromKafka + " input.data_format=avro input.avro.registry=http://r:1"
	toRemote  = "input.simulated.rows=10 output.remote_write.url=http://h:1/w"
	toInflux  = "input.simulated.rows=10 output.influxdb.url=http://h:1 output.influxdb.bucket=b output.influxdb.token=t"
	toFile    = "input.simulated.rows=10 output.file.path=out.csv"
	toKafka   = "input.simulated.rows=10 output.kafka.topic=f output.kafka.brokers=b:1"
	loudKafka = fromKafka + " input.kafka.sasl_mechanism=PLAIN input.kafka.sasl_username=u input.kafka.sasl_password=p"
	bearer    = fromKafka + " input.kafka.sasl_mechanism=OAUTHBEARER input.kafka.sasl_token_file=f"
	client    = fromKafka + " input.kafka.sasl_mechanism=OAUTHBEARER input.kafka.sasl_username=u input.kafka.sasl_password=p input.kafka.sasl_token_url=https://a"
	bearerOut = toKafka + " output.kafka.sasl_mechanism=OAUTHBEARER output.kafka.sasl_token_file=f"
	clientOut = toKafka + " output.kafka.sasl_mechanism=OAUTHBEARER output.kafka.sasl_username=u output.kafka.sasl_password=p output.kafka.sasl_token_url=https://a"
	loudOut   = toKafka + " output.kafka.sasl_mechanism=PLAIN output.kafka.sasl_username=u output.kafka.sasl_password=p"
)

// arrivals has another value for the keys of what this package builds.
var arrivals = []setting{
	{fromKafka, "input.kafka.brokers=b:2"},
	{fromKafka, "input.kafka.client_id=other"},
	{loudKafka, "input.kafka.sasl_mechanism=SCRAM-SHA-256"},
	{loudKafka, "input.kafka.sasl_username=v"},
	{loudKafka, "input.kafka.sasl_password=q"},
	{bearer, "input.kafka.sasl_token_file=g"},
	{fromKafka + " input.kafka.sasl_mechanism=OAUTHBEARER input.kafka.sasl_token_command=x", "input.kafka.sasl_token_command=x,y"},
	{client, "input.kafka.sasl_token_url=https://b"},
	{client, "input.kafka.sasl_scopes=r"},
	{fromKafka, "input.kafka.tls_enable=true"},
	{fromKafka + " input.kafka.tls_enable=true", "input.kafka.tls_server_name=other"},
	{fromKafka + " input.kafka.tls_enable=true", "input.kafka.insecure_skip_verify=true"},
	{fromKafka, "input.kafka.max_message_len=2KiB"},
	{fromKafka + " input.data_format=influx", "input.kafka.max_message_len=2KiB"},
	{fromKafka + " input.data_format=csv input.csv.header=time,a", "input.kafka.max_message_len=2KiB"},
	{fromKafka + " input.data_format=otlp_proto", "input.kafka.max_message_len=2KiB"},
	{fromKafka + " input.data_format=otlp_json", "input.kafka.max_message_len=2KiB"},
	{fromAvro, "input.kafka.max_message_len=2KiB"},
	{fromKafka, "input.data_format=influx"},
	{fromFile, "input.file.path=other.csv"},
	{fromFile, "input.file.format=jsonl"},
	{fromFile, "input.file.series=x"},
	{fromFile, "input.file.sort=true"},
	{fromFile, "input.file.strict=true"},
	{fromFile, "input.file.more=b.csv"},
	{fromFile, "input.file.series_per_file=true"},
	{fromFile, "input.file.sheet=x"},
	{fromFile, "input.file.last=10"},
	{fromFile, "input.file.since=2026-01-31"},
	{fromStdin, "input.stdin.format=influx"},
	{fromStdin, "input.stdin.series=x"},
	{simulated, "input.simulated.setting=linear"},
	{simulated, "input.simulated.noise=toeplitz"},
	{simulated, "input.simulated.dim=3"},
	{simulated, "input.simulated.rows=20"},
	{simulated, "input.simulated.seed=2"},
	{simulated, "input.simulated.interval=1m"},
	{fromFile, "input.time_zone=Europe/Berlin"},
	{fromKafka, "input.series_tags={dc}/{host}"},
	{onGrid, "input.json.layout=long"},
	{fromKafka, "input.json.series_field=s"},
	{fromKafka, "input.json.tags=dc,host"},
	{fromKafka, "input.json.time_field=ts"},
	{onGrid + " input.json.layout=long", "input.json.variable_field=name"},
	{fromKafka, "input.json.values_field=v"},
	{fromKafka, "input.json.time_unit=ms"},
	{fromKafka + " input.data_format=influx", "input.influx.series=host"},
	{fromKafka + " input.data_format=influx", "input.influx.ignore=host"},
	{fromKafka + " input.data_format=influx", "input.influx.fields=usage"},
	{fromKafka + " input.data_format=influx", "input.influx.time_unit=s"},
	{fromKafka + " input.data_format=otlp_proto", "input.otlp.series=host.name"},
	{fromKafka + " input.data_format=otlp_proto", "input.otlp.ignore=host.name"},
	{fromKafka + " input.data_format=otlp_json pipeline.interval=10s", "input.otlp.rates=true"},
	{fromAvro, "input.avro.registry=http://r:2"},
	{fromAvro + " input.avro.registry_username=u input.avro.registry_password=p", "input.avro.registry_username=v"},
	{fromAvro + " input.avro.registry_username=u input.avro.registry_password=p", "input.avro.registry_password=q"},
	{fromAvro, "input.avro.registry_token=t"},
	{fromAvro, "input.avro.tags=dc,host"},
	{fromAvro, "input.avro.series_field=s"},
	{fromAvro, "input.avro.time_field=ts"},
	{fromAvro, "input.avro.values_field=v"},
	{fromAvro, "input.avro.time_unit=ms"},
	{fromKafka + " input.data_format=csv input.csv.header=time,a", "input.csv.header=time,b"},
	{fromFile, "input.csv.comma=;"},
	{fromFile, "input.csv.decimal=,"},
	{fromFile, "input.csv.thousands=."},
	{fromFile, "input.csv.date_order=dmy"},
	{fromFile, "input.csv.series_column=s"},
	{fromFile, "input.csv.time_column=ts"},
	{fromFile + " input.csv.time_column=day", "input.csv.clock_column=clock"},
	{fromFile, "input.csv.value_columns=a,b"},
	{fromFile, "input.csv.missing=-999"},
	{fromFile, "input.csv.time_unit=ms"},
	{fromFile + " pipeline.interval=1m input.csv.value_columns=v", "input.csv.variable_column=name"},
	{fromKafka, "pipeline.interval=1m"},
	{fromKafka, "pipeline.interval=month"},
	{onGrid, "pipeline.wait=5m"},
	{onGrid + " pipeline.wait=5m", "pipeline.wait_for_late=true"},
	{onGrid + " pipeline.wait=5m pipeline.wait_for_late=true", "pipeline.aggregate=mean"},
	{onGrid, "pipeline.fill=last"},
	{fromKafka, "pipeline.variables=a,b"},
	{fromKafka, "pipeline.rate=a"},
	{fromKafka, "pipeline.missing=-999"},
	{onGrid, "pipeline.max_gap=7"},
	{fromKafka, "pipeline.max_ahead=1h"},
	{fromKafka + " model.type=var1", "pipeline.scope=shared"},
	{fromKafka + " model.horizon=4", "pipeline.emit=1,4"},
	{fromKafka, "pipeline.schema_change_after=7"},
	{fromKafka, "pipeline.max_series=7"},
	{fromKafka, "pipeline.max_dim=7"},
	{fromKafka, "pipeline.max_abs=7"},
	{fromKafka, "evaluate.window=80"},
	{fromKafka, "evaluate.interval=7"},
	{toRemote, "output.remote_write.url=http://h:2/w"},
	{toRemote, "output.remote_write.time=target"},
	{toRemote + " output.remote_write.username=u output.remote_write.password=p", "output.remote_write.username=v"},
	{toRemote + " output.remote_write.username=u output.remote_write.password=p", "output.remote_write.password=q"},
	{toRemote, "output.remote_write.token=u"},
	{toRemote, "output.remote_write.batch_size=7"},
	{toRemote, "output.remote_write.timeout=7s"},
	{toRemote, "output.remote_write.settle=7s"},
	{toRemote, "output.remote_write.layout=long"},
	{toRemote, "output.remote_write.include=forecasts"},
	{toRemote, "output.remote_write.every=7"},
	{toInflux, "output.influxdb.url=http://h:2"},
	{toInflux, "output.influxdb.token=u"},
	{toInflux, "output.influxdb.org=o"},
	{toInflux, "output.influxdb.bucket=c"},
	{toInflux, "output.influxdb.batch_size=7"},
	{toInflux, "output.influxdb.timeout=7s"},
	{toInflux, "output.influxdb.settle=7s"},
	{toInflux, "output.influxdb.layout=long"},
	{toInflux, "output.influxdb.include=forecasts"},
	{toInflux, "output.influxdb.every=7"},
	{toFile, "output.file.format=jsonl"},
	{toFile, "output.file.columns=origin"},
	{toFile, "output.file.time_unit=s"},
	{toKafka, "output.kafka.layout=long"},
	{toKafka, "output.kafka.brokers=c:1"},
	{loudOut, "output.kafka.sasl_mechanism=SCRAM-SHA-512"},
	{loudOut, "output.kafka.sasl_username=v"},
	{loudOut, "output.kafka.sasl_password=q"},
	{bearerOut, "output.kafka.sasl_token_file=g"},
	{toKafka + " output.kafka.sasl_mechanism=OAUTHBEARER output.kafka.sasl_token_command=x", "output.kafka.sasl_token_command=x,y"},
	{clientOut, "output.kafka.sasl_token_url=https://b"},
	{clientOut, "output.kafka.sasl_scopes=r"},
	{toKafka, "output.kafka.tls_enable=true"},
	{toKafka + " output.kafka.tls_enable=true", "output.kafka.tls_server_name=other"},
	{toKafka + " output.kafka.tls_enable=true", "output.kafka.insecure_skip_verify=true"},
}

// elsewhere are the keys of other tests, by what they begin with.
var elsewhere = map[string]string{
	"model.":                            "TestSettings",
	"state.":                            "internal/job, TestSettingsArrive",
	"server.":                           "internal/job, TestServerTLS; cmd/forecaster, TestServerOfARun",
	"log.":                              "cmd/forecaster, TestReload and the script run",
	"input.kafka.topics":                "internal/job, TestSettingsArrive",
	"input.kafka.join":                  "internal/job, TestSettingsArrive",
	"input.kafka.consumer_group":        "internal/job, TestSettingsArrive",
	"input.kafka.offset":                "internal/job, TestSettingsArrive",
	"input.kafka.isolation_level":       "internal/job, TestSettingsArrive",
	"input.kafka.session_timeout":       "internal/job, TestSettingsArrive",
	"input.kafka.sasl_password_file":    "internal/config, TestSecretFile",
	"input.kafka.tls_c":                 "TestFilesOfTLSArrive",
	"input.kafka.tls_key":               "TestFilesOfTLSArrive",
	"output.kafka.sasl_password_file":   "internal/config, TestSecretFile",
	"output.kafka.tls_c":                "TestFilesOfTLSArrive",
	"input.avro.registry_tls":           "TestFilesOfTLSArrive",
	"input.avro.schema_file":            "TestFilesOfTLSArrive",
	"input.avro.registry_password_file": "internal/config, TestSecretFile",
	"input.avro.registry_token_file":    "internal/config, TestSecretFile",
	"output.kafka.tls_key":              "TestFilesOfTLSArrive",
	"output.kafka.topic":                "cmd/forecaster, TestFault67_NotReady",
	"output.kafka.anomaly_topic":        "cmd/forecaster, TestRealAnomaliesHaveATopic",
	"output.remote_write.password_file": "internal/config, TestSecretFile",
	"output.remote_write.token_file":    "internal/config, TestSecretFile",
	"output.remote_write.tls":           "TestFilesOfTLSArrive",
	"output.influxdb.token_file":        "internal/config, TestSecretFile",
	"output.file.path":                  "cmd/forecaster, TestFault64_OutputsChange",
	"output.dead_letters":               "cmd/forecaster, TestFault64_OutputsChange",
	"input.file.speed":                  "cmd/forecaster, the script replay",
	"input.simulated.speed":             "cmd/forecaster, TestReload",
}

// arrived is everything that is built from a configuration, but for models, which learn.
func arrived(t *testing.T, c *config.Config) (all []any) {
	t.Helper()
	add := func(v any, err error) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	ec := EngineConfig(c, "pool")
	if ec.Tags != nil {
		all = append(all, ec.Tags("eu/host-1"))
	}
	all = append(all, withoutFunctions(ec))
	if s := config.Of[SimulatedInput](c.Input.Kinds); s != nil {
		source, err := s.open(c)
		if err != nil {
			t.Fatal(err)
		}
		messages := make([]stream.Message, 2)
		n, err := source.Read(t.Context(), messages)
		add(messages[:n], err)
		all = append(all, fmt.Sprintf("%T", source.Decoder), s.Rows)
		all = append(all, simulate.Collect("s", s.generator(), 3))
	}
	if InputFile(c) != nil || config.Of[StdinInput](c.Input.Kinds) != nil {
		path, sc := fileSource(c)
		sc.Formats = nil // they have functions, which cannot be compared
		all = append(all, path, withoutFunctions(sc))
	}
	if k := InputKafka(c); k != nil {
		add(k.Connection())
		newDecoder, err := NewDecoders(c, slog.Default())
		if err != nil {
			t.Fatal(err)
		}
		decoder, err := newDecoder(t.Context())
		add(fmt.Sprintf("%T", decoder), err)
		var r stream.Record
		large := stream.Message{Value: bytes.Repeat([]byte(" "), 3<<10)}
		refusal := new(refuse.Error)
		if !errors.As(decoder.Decode(&r, &large), &refusal) {
			t.Error("blanks are a record")
		}
		if refusal.Reason != refuse.TooLarge {
			refusal.Detail = "" // of a library
		}
		all = append(all, refusal, withoutFunctions(decodedJSON(c)), withoutFunctions(decodedCSV(c)), withoutFunctions(decodedInflux(c)), withoutFunctions(avroOf(c).record(c)), withoutFunctions(avroOf(c).reach()), withoutFunctions(decodedOTLP(c)))
	}
	if i := OutputInfluxDB(c); i != nil {
		all = append(all, i.sink(c.Model.Levels, nil, nil))
	}
	if o := config.Of[RemoteWriteOutput](c.Output.Kinds); o != nil {
		all = append(all, o.sink(c.Model.Levels, nil, nil))
	}
	if f := OutputFile(c); f != nil {
		f.Path = filepath.Join(t.TempDir(), filepath.Base(f.Path))
		b := stream.Batch{Forecasts: []stream.Forecast{{Series: &stream.Series{Name: "s", Variables: []string{"x"}}, Model: "m", Time: 2e9, Origin: 1e9, Horizon: 1, Yhat: []float64{1}, Lower: []float64{0}, Upper: []float64{2}}}}
		if err := WriteForecasts(t.Context(), c, &b); err != nil {
			t.Fatal(err)
		}
		add(os.ReadFile(f.Path))
	}
	if k := OutputKafka(c); k != nil {
		add(k.reach(c))
		add(k.encoder(c))
	}
	return all
}

// withoutFunctions returns a copy of a struct whose functions are nil: others can be compared.
func withoutFunctions[T any](c T) T {
	clearFunctions(reflect.ValueOf(&c).Elem())
	return c
}

func clearFunctions(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Func:
			f.SetZero()
		case reflect.Struct:
			clearFunctions(f)
		case reflect.Slice:
			if f.Type().Elem().Kind() == reflect.Struct {
				f.Set(reflect.AppendSlice(reflect.Zero(f.Type()), f))
				for k := range f.Len() {
					clearFunctions(f.Index(k))
				}
			}
		}
	}
}

// TestSettingsArrive sets every key of the configuration to another value. testdata/arrivals.txt lists the fields of
// the built parts that each key changes; no other field may change. UPDATE_GATES=1 writes the list, for a reader
// to compare the value of each key with the value at its consumer.
func TestSettingsArrive(t *testing.T) {
	tried := make(map[string]bool)
	var list strings.Builder
	for _, s := range arrivals {
		key, _, _ := strings.Cut(s.set, "=")
		tried[key] = true
		was, err := loaded(t, "", strings.Fields(s.with)...)
		if err != nil {
			t.Errorf("%s: %v", s.with, err)
			continue
		}
		now, err := loaded(t, "", append(strings.Fields(s.with), s.set)...)
		if err != nil {
			t.Errorf("%s: %v", s.set, err)
			continue
		}
		if !reflect.DeepEqual(arrived(t, was), arrived(t, was)) {
			t.Fatalf("%s: the same configuration builds two things", s.with)
		}
		changed := differences(arrived(t, was), arrived(t, now))
		if len(changed) == 0 {
			t.Errorf("%s changes nothing", s.set)
		}
		fmt.Fprintf(&list, "%s\n%s", s.set, strings.Join(changed, ""))
	}
	recorded.Check(t, filepath.Join("testdata", "arrivals.txt"), list.String())
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "configuration.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^- `([a-z_]+[.][a-z_.]+)`( \\*)?(?: \\(.*?\\))?: ").FindAllStringSubmatch(string(page), -1)
	if len(rows) < 150 {
		t.Fatalf("the page has %d keys", len(rows))
	}
next:
	for _, r := range rows {
		if r[2] != "" || tried[r[1]] || strings.Count(r[1], ".") == 1 && r[1] != "input.data_format" && r[1] != "input.time_zone" && r[1] != "input.series_tags" &&
			(strings.HasPrefix(r[1], "input.") || strings.HasPrefix(r[1], "output.")) {
			continue // a block
		}
		for prefix := range elsewhere {
			if strings.HasPrefix(r[1], prefix) {
				continue next
			}
		}
		t.Errorf("no test sets %s to another value", r[1])
	}
}

// TestFilesOfTLSArrive: each file of a connection by TLS is read, so a missing one is named.
func TestFilesOfTLSArrive(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing.pem")
	for _, sets := range [][]string{{fromAvro, "registry_tls_ca=" + missing}, {fromAvro, "registry_tls_cert=" + missing, "registry_tls_key=" + missing}, {fromKafka + " input.data_format=avro", "schema_file=" + missing}} {
		all := strings.Fields(sets[0])
		for _, s := range sets[1:] {
			all = append(all, "input.avro."+s)
		}
		c, err := loaded(t, "", all...)
		if err == nil {
			_, err = NewDecoders(c, slog.Default())
		}
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", sets, err)
		}
	}
	for _, sets := range []string{"tls_ca=" + missing, "tls_cert=" + missing + " output.remote_write.tls_key=" + missing} {
		c, err := loaded(t, "", strings.Fields(toRemote+" output.remote_write."+sets)...)
		if err == nil {
			_, err = OpenOutputs(c, slog.Default())
		}
		if err == nil || !strings.Contains(err.Error(), missing) {
			t.Errorf("%s: %v", sets, err)
		}
	}
	for _, with := range []string{fromKafka, toKafka} {
		block := "input.kafka."
		if with == toKafka {
			block = "output.kafka."
		}
		for _, sets := range [][]string{{"tls_ca=" + missing}, {"tls_cert=" + missing, "tls_key=" + missing}} {
			all := append(strings.Fields(with), block+"tls_enable=true")
			for _, s := range sets {
				all = append(all, block+s)
			}
			c, err := loaded(t, "", all...)
			if err == nil {
				if with == toKafka {
					_, err = OutputKafka(c).reach(c)
				} else {
					_, err = InputKafka(c).Connection()
				}
			}
			if err == nil || !strings.Contains(err.Error(), missing) {
				t.Errorf("%s%s: %v", block, sets, err)
			}
		}
	}
}
