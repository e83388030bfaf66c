package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/internal/devbroker"
	"github.com/orffvar/forecaster/internal/tools/recorded"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/delivery"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/kafka/cluster"
)

// TestUsesOfKafka: each key with a topic has the topics, their use and the group.
func TestUsesOfKafka(t *testing.T) {
	const input = "input.kafka.brokers=a:1 input.kafka.topics=t,u input.kafka.consumer_group=g "
	read, write := []cluster.Right{cluster.Read}, []cluster.Right{cluster.Write}
	in := kafkaUse{key: "input.kafka", topics: []string{"t", "u"}, rights: read, group: "g"}
	for _, c := range []struct {
		sets string
		want []kafkaUse
	}{
		{"input.simulated.rows=1 output.discard={}", nil},
		{input + "output.discard={}", []kafkaUse{in}},
		{input + "output.kafka.topic=o", []kafkaUse{in, {key: "output.kafka", topics: []string{"o"}, rights: write}}},
		{input + "output.kafka.topic=o output.kafka.anomaly_topic=n", []kafkaUse{in, {key: "output.kafka", topics: []string{"o", "n"}, rights: write}}},
		{input + "output.discard={} output.dead_letters.topic=d", []kafkaUse{in, {key: "output.dead_letters", topics: []string{"d"}, rights: write}}},
		{input + "output.discard={} state.topic=s", []kafkaUse{in, {
			key: "state.topic", topics: []string{"s"}, rights: []cluster.Right{cluster.Read, cluster.Write, cluster.DescribeConfigs}, state: []string{"t", "u"},
		}}},
	} {
		cfg, err := loaded(t, "", strings.Fields(c.sets)...)
		if err != nil {
			t.Fatal(err)
		}
		got := kafkaUses(cfg)
		for i := range got {
			if connection, err := got[i].connect(); err != nil || !slices.Equal(connection.Brokers, []string{"a:1"}) {
				t.Errorf("%s: connects to %v, error %v", c.sets, connection.Brokers, err)
			}
			got[i].connect = nil
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s:\n%+v, want\n%+v", c.sets, got, c.want)
		}
	}
	cfg, err := loaded(t, "", strings.Fields(input+"output.discard={} input.kafka.join=j")...)
	if err != nil {
		t.Fatal(err)
	}
	for _, u := range kafkaUses(cfg) {
		if u.key == "input.kafka.join" && (!slices.Equal(u.topics, []string{"j"}) || !slices.Equal(u.rights, []cluster.Right{cluster.Read, cluster.Write}) || u.group != "g") {
			t.Errorf("%+v", u)
		}
	}
	for err, want := range map[error]string{
		&cluster.RightsError{Lacking: []string{"Read topic t"}, User: "User:me"}: "kafka: the brokers do not let User:me Read topic t; add the ACL (kafka-acls.sh --add --allow-principal User:me --operation OPERATION ...; docs/howto/kafka-rights.md lists all)",
		errors.New("x"): "x",
	} {
		if got := advised(err).Error(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestTryOfOneTopic: one partition is one, a topic that is missing comes with the commands that make it, and the
// state topic waits for the topics of the input. A coordinator that is not there yet is awaited, and a right that is denied is an error.
func TestTryOfOneTopic(t *testing.T) {
	b, err := devbroker.Start(1, []string{"one"})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.Cluster().Fault( // a new cluster chooses the coordinator at the first request
		kfake.Fault{Keys: []kmsg.Key{kmsg.FindCoordinator}, Err: kerr.CoordinatorNotAvailable},
		kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Err: kerr.NotCoordinator},
		kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Err: kerr.CoordinatorLoadInProgress},
	)
	for _, c := range []struct{ topic, sets, found, fails string }{
		{"one", "", "input.kafka: topic one has 1 partition", ""},
		{"none", "", "", "input.kafka: the brokers answer, but there is no topic none: create it (kafka-topics.sh --create --topic none, or: forecaster produce FILE --topic none --partitions 1), or correct the name"},
		{"none", " state.topic=s", "state.topic: topic s has not been looked at: it needs those that are read", "input.kafka: the brokers answer, but there is no topic none"},
		{"one", " state.topic=s", "input.kafka: topic one has 1 partition|state.topic: topic s does not exist; the job will create it with 1 partition", ""},
	} {
		cfg, err := loaded(t, "", strings.Fields("output.discard={} input.kafka.brokers="+b.Addr()+" input.kafka.topics="+c.topic+c.sets)...)
		if err != nil {
			t.Fatal(err)
		}
		found, errs := Try(t.Context(), cfg)
		if got := strings.Join(found, "|"); got != c.found || len(errs) != min(1, len(c.fails)) || len(errs) > 0 && !strings.HasPrefix(errs[0].Error(), c.fails) {
			t.Errorf("%s%s: found %q, errors %v", c.topic, c.sets, got, errs)
		}
	}
	b.Cluster().Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Err: kerr.GroupAuthorizationFailed})
	cfg, err := loaded(t, "", strings.Fields("output.discard={} input.kafka.consumer_group=g input.kafka.topics=one input.kafka.brokers="+b.Addr())...)
	if err != nil {
		t.Fatal(err)
	}
	if err := CheckKafkaRights(t.Context(), cfg); err == nil || !strings.HasPrefix(err.Error(), "input.kafka: kafka: the brokers do not let this client Read group g; add the ACL") {
		t.Error(err)
	}
}

// TestBuildInfo: the version comes from the linker, else from the module; the rest comes from the build.
func TestBuildInfo(t *testing.T) {
	build, ok := debug.ReadBuildInfo()
	if !ok {
		t.Fatal("a test has no build info")
	}
	level := ""
	for _, s := range build.Settings {
		if s.Key == "GOAMD64" || s.Key == "GOARM64" {
			level = s.Value
		}
	}
	want := Info{Version: build.Main.Version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Level: level}
	if got := ReadInfo(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	defer func(was string) { version = was }(version)
	version, want.Version = "v7", "v7"
	if got := ReadInfo(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// TestSimulatedTimes: the samples are an interval apart, as messages and as a data set; at half of real time they
// come twice as slowly.
func TestSimulatedTimes(t *testing.T) {
	cfg, err := loaded(t, "", "input.simulated.rows=4", "input.simulated.interval=20ms", "input.simulated.speed=0.5", "input.simulated.dim=2", "output.discard={}")
	if err != nil {
		t.Fatal(err)
	}
	in, err := OpenInput(cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	begun, messages := time.Now(), make([]stream.Message, 4)
	var rows [][]float64
	for n := 0; n < 4; {
		k, err := in.Read(t.Context(), messages)
		if k == 0 && err != nil {
			t.Fatal(err)
		}
		for i := range messages[:k] {
			var r stream.Record
			if err := in.Decoder.Decode(&r, &messages[i]); err != nil || r.Time != simulatedStart.Add(time.Duration(n)*20*time.Millisecond).UnixNano() {
				t.Errorf("sample %d is at %d, error %v", n, r.Time, err)
			}
			rows = append(rows, slices.Clone(r.Values))
			n++
		}
	}
	if d := time.Since(begun); d < 3*40*time.Millisecond {
		t.Errorf("three intervals of 40 ms took %v", d)
	}
	set := Simulate(config.Of[SimulatedInput](cfg.Input.Kinds)).Series[0]
	if len(set.Rows) != 4 || len(set.Times) != 4 || set.Times[3] != simulatedStart.Add(60*time.Millisecond).UnixNano() || !reflect.DeepEqual(set.Rows, rows) {
		t.Errorf("the data set %v, the messages %v", set.Rows, rows)
	}
}

// TestTryModel: a kernel model of known size is made, so that lint names parts that exclude each other.
func TestTryModel(t *testing.T) {
	for _, c := range []struct{ sets, want string }{
		{"model.type=kernelvar input.simulated.dim=3", ""},
		{"model.type=persistence input.simulated.dim=3", ""},
		{"model.type=okvar input.simulated.dim=2 model.kernel.operator.gamma=graph model.kernel.operator.matrix=0,-1,-1,0", "model: "},
		{"model.type=okvar model.kernel.operator.gamma=graph model.kernel.operator.matrix=0,-1,-1,0", ""}, // of unknown size
		{"model.type=okvar input.simulated.dim=2 model.kernel.operator.gamma=matrix model.kernel.operator.matrix=1,2,2,1", "model: "},
	} {
		cfg, err := loaded(t, "", strings.Fields(c.sets)...)
		if err != nil {
			t.Fatal(err)
		}
		if err := TryModel(cfg); (err != nil) != (c.want != "") || err != nil && !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.sets, err, c.want)
		}
	}
	cfg, err := loaded(t, "", "model.type=kernelvar", "input.simulated.dim=3")
	if err != nil {
		t.Fatal(err)
	}
	cfg.Model.Order = 0
	if err := TryModel(cfg); err == nil {
		t.Error("a model without lags was made")
	}
}

// TestTrialsAreListed: kernel compare tries all of these, in this order.
func TestTrialsAreListed(t *testing.T) {
	var names strings.Builder
	for _, trial := range Trials() {
		fmt.Fprintf(&names, "%s | %s | %t\n", trial.Name, trial.Sets, trial.Groups)
	}
	recorded.Check(t, filepath.Join("testdata", "trials.txt"), names.String())
}

// TestProposedInterval: a file of a variable a line proposes the step that nine of ten of its times have.
func TestProposedInterval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.csv")
	lines := func(steps ...int) string {
		text, at := "time,variable,value\n", 0
		for _, step := range append(steps, 0) {
			for _, name := range []string{"x", "y"} {
				text += fmt.Sprintf("%s,%s,1\n", time.Unix(1.7e9+int64(at), 0).UTC().Format(time.RFC3339), name)
			}
			at += step
		}
		return text
	}
	for _, c := range []struct{ text, sets, want string }{
		{lines(slices.Repeat([]int{60}, 10)...), "", "are 1m apart: --set pipeline.interval=1m"},
		{lines(append(slices.Repeat([]int{60}, 9), 90)...), "", "are 1m apart: --set pipeline.interval=1m"},
		{lines(append(slices.Repeat([]int{60}, 8), 90)...), "", ""},
		{lines(slices.Repeat([]int{60}, 10)...), " pipeline.interval=1m", ""},
		{lines(), "", ""},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := loaded(t, "", strings.Fields("input.file.path="+path+" input.csv.variable_column=variable input.csv.time_column=time output.discard={}"+c.sets)...)
		if has := err != nil && strings.Contains(err.Error(), "apart: --set"); has != (c.want != "") || has && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60q: %v, want %q", c.text, err, c.want)
		}
	}
}

// TestForLabels: a file of labels is read as the data, but for what names variables.
func TestForLabels(t *testing.T) {
	cfg, err := loaded(t, "type: var1", "input.file.path=x.csv", "output.discard={}", "input.csv.value_columns=a,b", "input.csv.time_unit=ms", "pipeline.variables=a,b", "pipeline.interval=1m",
		"model.exogenous=u", "model.bounds=a >= 0", "model.limits=a >= 0", "model.non_negative=b", "model.anomaly.rules=a 5", "input.csv.time_column=t")
	if err != nil {
		t.Fatal(err)
	}
	of := ForLabels(cfg)
	m := of.Model
	if f := csvOf(of); f.ValueColumns != nil || f.TimeColumn != "t" || of.Pipeline.Variables != nil || of.Pipeline.Interval != 0 ||
		len(m.Exogenous)+len(m.Bounds)+len(m.Limits)+len(m.NonNegative)+len(m.Anomaly.Rules) != 0 {
		t.Errorf("%+v, %+v, %+v", f, of.Pipeline, m)
	}
	if f := csvOf(cfg); len(f.ValueColumns) != 2 || len(cfg.Pipeline.Variables) != 2 || len(cfg.Model.Exogenous) != 1 {
		t.Error("the configuration of the data has changed")
	}
	if got := TimeUnit(cfg); got != timestamp.Unit("ms") {
		t.Errorf("the unit of times is %v", got)
	}
}

// troubles is an output with given problems.
type troubles struct {
	problem  string
	rejected int64
	stats    delivery.Stats
}

func (troubles) Write(context.Context, *stream.Batch) error { return nil }

func (troubles) Close() error { return errors.New("closed") }

func (s troubles) Problem() string { return s.problem }

func (s troubles) Rejected() int64 { return s.rejected }

func (s troubles) Stats() delivery.Stats { return s.stats }

func (troubles) WriteDeadLetters(context.Context, []stream.DeadLetter) error { return nil }

// TestOutputsSayWhatFails: the problem is the first of an output, or else of the dead letters; the requests of
// all outputs are summed.
func TestOutputsSayWhatFails(t *testing.T) {
	o := &Outputs{Sink: tee{
		stream.Discard{}, troubles{rejected: 2, stats: delivery.Stats{Rejected: 3, Retries: map[string]int64{"timeout": 1, "busy": 2}}},
		troubles{rejected: 4, stats: delivery.Stats{Retries: map[string]int64{"busy": 5}}},
	}}
	if got := o.Problem(); got != "" {
		t.Errorf("problem %q", got)
	}
	if err := o.Close(); err == nil || strings.Count(err.Error(), "closed") != 2 {
		t.Errorf("closing two outputs: %v", err)
	}
	o.Letters = troubles{problem: "letters"}
	if got := o.Problem(); got != "letters" {
		t.Errorf("problem %q", got)
	}
	o.Sink = append(o.Sink, troubles{problem: "third"}, troubles{problem: "fourth"})
	if got := o.Problem(); got != "third" {
		t.Errorf("problem %q", got)
	}
	if retries, rejected := o.Requests(); rejected != 2+3+4 || !reflect.DeepEqual(retries, map[string]int64{"timeout": 1, "busy": 7}) {
		t.Errorf("%d rejected, retries %v", rejected, retries)
	}
	if err := o.Close(); err == nil || strings.Count(err.Error(), "closed") != 5 {
		t.Errorf("closing all: %v", err)
	}
	if got := config.Size(ModelMemory(&config.Config{Model: config.Model{Memory: 1}})); got != 1 {
		t.Errorf("a memory of one byte is %v", got)
	}
}
