package config

import (
	"crypto/tls"
	"errors"
	"net"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/events"
	"github.com/orffvar/forecaster/internal/secret"
)

// validate records every relation between settings that does not hold.
func (b *binder) validate(checks []Check) {
	c := b.cfg
	b.validateInput(&c.Input)
	b.validatePipeline(c)
	b.validateModel(c)
	for _, check := range checks {
		check(b.Checker, c)
	}
	b.validateOutput(c)
	b.validateServices(c)
}

// zone checks the name of a time zone.
func (b *binder) zone(path, name string) {
	_, err := time.LoadLocation(name)
	b.Need(err == nil && name != "Local", path, "must be a time zone such as UTC or Europe/Rome, got %q", name)
}

// units are those of times that are numbers.
var units = []string{"auto", "s", "ms", "us", "ns"}

func (b *binder) validateInput(in *Input) {
	given := in.kinds()
	b.Need(len(given) <= 1, "input", "has %s; keep one of them", strings.Join(given, " and "))
	b.OneOf("input.data_format", in.DataFormat, "json", "influx", "csv")
	b.OneOf("input.json.layout", in.JSON.Layout, "wide", "long")
	b.Need(in.JSON.VariableField == "" || in.JSON.Layout == "long", "input.json.variable_field", "needs input.json.layout: long")
	b.OneOf("input.influx.time_unit", in.Influx.TimeUnit, units[1:]...)
	for _, tag := range in.Influx.Ignore {
		b.Need(!slices.Contains(in.Influx.Series, tag), "input.influx.ignore", "has %q, which input.influx.series has, too", tag)
	}
	b.Need(len(in.JSON.Tags) == 0 || in.JSON.SeriesField == "", "input.json.tags", "make the series; remove input.json.series_field")
	b.OneOf("input.json.time_unit", in.JSON.TimeUnit, units...)
	b.OneOf("input.csv.time_unit", in.CSV.TimeUnit, append(slices.Clone(units), "year", "yyyymmdd")...)
	b.Need(len(in.CSV.Comma) <= 1 || in.CSV.Comma == "tab", "input.csv.comma", "must be one ASCII character, or tab, got %q", in.CSV.Comma)
	b.OneOf("input.csv.decimal", in.CSV.Decimal, "", ".", ",")
	b.Need(len(in.CSV.Thousands) <= 1 && (in.CSV.Thousands == "" || in.CSV.Thousands != in.CSV.Decimal), "input.csv.thousands",
		"must be one ASCII character other than input.csv.decimal, got %q", in.CSV.Thousands)
	b.OneOf("input.csv.date_order", in.CSV.DateOrder, "", "dmy", "mdy")
	b.zone("input.time_zone", in.TimeZone)
	if k := in.Kafka; k != nil {
		b.validateKafka(k)
		b.Need(in.DataFormat != "csv" || len(in.CSV.Header) > 0, "input.csv.header",
			"must name the columns, because messages of data_format csv have no header of their own")
	}
	if f := in.File; f != nil {
		b.Need(f.Path != "", "input.file.path", "must name a file")
		if f.Format != "" {
			b.OneOf("input.file.format", f.Format, "csv", "jsonl", "influx", "parquet")
		}
		atLeast(b.Checker, "input.file.speed", f.Speed, 0)
	}
	if s := in.Stdin; s != nil {
		b.OneOf("input.stdin.format", s.Format, "csv", "jsonl", "influx")
	}
	if s := in.Simulated; s != nil {
		b.OneOf("input.simulated.setting", s.Setting, "linear", "exponential", "sine")
		b.OneOf("input.simulated.noise", s.Noise, "white", "toeplitz")
		atLeast(b.Checker, "input.simulated.dim", s.Dim, 1)
		atLeast(b.Checker, "input.simulated.rows", s.Rows, 0)
		atLeast(b.Checker, "input.simulated.interval", s.Interval, time.Nanosecond)
		atLeast(b.Checker, "input.simulated.speed", s.Speed, 0)
	}
}

func (b *binder) validateKafka(k *Kafka) {
	b.Need(len(k.Brokers) > 0, "input.kafka.brokers", "must name at least one broker, such as localhost:9092")
	b.validateBrokers("input.kafka.brokers", k.Brokers)
	b.Need(len(k.Topics) > 0, "input.kafka.topics", "must name at least one topic")
	b.Need(!slices.Contains(k.Topics, ""), "input.kafka.topics", "must not contain an empty name")
	b.Need(k.ConsumerGroup != "", "input.kafka.consumer_group", "must not be empty")
	b.OneOf("input.kafka.offset", k.Offset, "oldest", "newest")
	b.OneOf("input.kafka.isolation_level", k.IsolationLevel, "read_committed", "read_uncommitted")
	b.validateAccess("input.kafka.", &k.KafkaAccess)
	b.Need(k.MaxMessageLen >= 1 && k.MaxMessageLen <= 1<<30, "input.kafka.max_message_len", "must lie in [1, 1GiB], got %v", k.MaxMessageLen)
	b.Need(k.SessionTimeout >= time.Second && k.SessionTimeout <= time.Hour, "input.kafka.session_timeout", "must lie in [1s, 1h], got %v", k.SessionTimeout)
}

// validateAccess checks who a client is and what it trusts.
func (b *binder) validateAccess(path string, k *KafkaAccess) {
	b.validateSASL(path+"sasl_", k)
	if !k.TLSEnable {
		for _, s := range []struct {
			path string
			set  bool
		}{
			{"tls_ca", k.TLSCA != ""},
			{"tls_cert", k.TLSCert != ""},
			{"tls_key", k.TLSKey != ""},
			{"tls_server_name", k.TLSServerName != ""},
			{"insecure_skip_verify", k.InsecureSkipVerify},
		} {
			b.Need(!s.set, path+s.path, "has no effect without tls_enable: true")
		}
	}
	b.Need((k.TLSCert == "") == (k.TLSKey == ""), path+"tls_cert", "and tls_key must be given together")
}

func (b *binder) validateSASL(path string, k *KafkaAccess) {
	var sources []string
	for key, given := range map[string]bool{"token_file": k.SASLTokenFile != "", "token_command": len(k.SASLTokenCommand) > 0, "token_url": k.SASLTokenURL != ""} {
		if given {
			sources = append(sources, path+key)
		}
	}
	slices.Sort(sources)
	bearer := k.SASLMechanism == "OAUTHBEARER"
	b.Need(bearer || len(sources) == 0, path+"mechanism", "must be OAUTHBEARER with %s", strings.Join(sources, ", "))
	b.Need(!bearer || len(sources) == 1, path+"token_file", "one of %[1]stoken_file, %[1]stoken_command and %[1]stoken_url must be given with OAUTHBEARER, got %[2]d", path, len(sources))
	b.Need(len(k.SASLScopes) == 0 || k.SASLTokenURL != "", path+"scopes", "needs %stoken_url", path)
	if k.SASLTokenURL != "" {
		u, err := url.Parse(k.SASLTokenURL)
		b.Need(err == nil && secret.CheckURL(k.SASLTokenURL) == nil && (u.Scheme == "https" || isLoopback(u.Hostname())), path+"token_url",
			"must be an https URL without user, password and query string: the password is sent there")
	}
	switch {
	case k.SASLMechanism == "":
		b.Need(k.SASLUsername == "", path+"mechanism", "must be given with %susername: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512 or OAUTHBEARER", path)
	case bearer && k.SASLTokenURL == "":
		b.Need(k.SASLUsername == "" && k.SASLPassword.IsZero(), path+"username", "and %spassword are for %stoken_url: a token has them", path, path)
	default:
		b.OneOf(path+"mechanism", k.SASLMechanism, "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER")
		b.Need(k.SASLUsername != "", path+"username", "must be given with %smechanism", path)
		b.Need(!k.SASLPassword.IsZero(), path+"password", "must be given with %smechanism", path)
	}
}

func (b *binder) validateBrokers(path string, brokers []string) {
	sasl := strings.TrimSuffix(path, "brokers") + "sasl_"
	for i, broker := range brokers {
		err := secret.CheckAddress(broker)
		b.Need(err == nil, path, "element %d %v; credentials belong in %s and %s", i, err, sasl+"username", sasl+"password")
	}
}

func (b *binder) validatePipeline(c *Config) {
	p := &c.Pipeline
	b.validateAssembly(c)
	atLeast(b.Checker, "pipeline.max_gap", p.MaxGap, 0)
	atLeast(b.Checker, "pipeline.max_ahead", p.MaxAhead, 0)
	b.OneOf("pipeline.scope", p.Scope, "series", "shared")
	for i, h := range p.Emit {
		b.Need(h >= 1 && h <= c.Model.Horizon, "pipeline.emit", "element %d must lie in [1, model.horizon = %d], got %d", i, c.Model.Horizon, h)
		b.Need(i == 0 || p.Emit[i-1] < h, "pipeline.emit", "must ascend, got %d after %d", h, p.Emit[max(i-1, 0)])
	}
	atLeast(b.Checker, "pipeline.schema_change_after", p.SchemaChangeAfter, 0)
	atLeast(b.Checker, "pipeline.max_series", p.MaxSeries, 1)
	b.Need(p.MaxDim >= 1 && p.MaxDim <= 1024, "pipeline.max_dim", "must lie in [1, 1024], got %d", p.MaxDim)
	b.Need(p.MaxAbs > 0, "pipeline.max_abs", "must be > 0, got %v", p.MaxAbs)
}

// validateAssembly checks what needs a grid of rows.
func (b *binder) validateAssembly(c *Config) {
	p := &c.Pipeline
	const why = "must be given as a duration with %s: the rows are its multiples"
	b.Need(p.Interval > 0 || c.Input.JSON.Layout != "long", "pipeline.interval", why, "input.json.layout: long")
	b.Need(p.Interval > 0 || c.Input.CSV.VariableColumn == "", "pipeline.interval", why, "input.csv.variable_column")
	b.Need(p.Interval > 0 || p.Wait == 0, "pipeline.interval", why, "pipeline.wait")
	b.Need(p.Interval > 0 || !p.WaitForLate, "pipeline.interval", why, "pipeline.wait_for_late")
	b.OneOf("pipeline.aggregate", p.Aggregate, "latest", "mean")
	b.Need(p.Aggregate != "mean" || p.WaitForLate, "pipeline.aggregate", "needs pipeline.wait_for_late: true with mean: a row that closes when it is complete has one value of each variable")
	b.OneOf("pipeline.fill", p.Fill, "none", "last")
	b.Need(p.Interval > 0 || p.Fill != "last", "pipeline.interval", why, "pipeline.fill: last")
	b.Need(p.Wait >= 0 && (p.Interval <= 0 || p.Wait/p.Interval.Fixed() <= 10_000), "pipeline.wait",
		"must lie between 0 and 10000 intervals, got %v", p.Wait)
	for i, v := range p.Variables {
		b.Need(v != "", "pipeline.variables", "must not contain an empty name")
		b.Need(!slices.Contains(p.Variables[:i], v), "pipeline.variables", "has %q twice", v)
	}
}

func (b *binder) validateModel(c *Config) {
	m := &c.Model
	atLeast(b.Checker, "model.order", m.Order, 1)
	b.Need(m.Horizon >= 1 && m.Horizon <= 10_000, "model.horizon", "must lie in [1, 10000], got %d", m.Horizon)
	for i, l := range m.Levels {
		b.Need(l > 0 && l < 1, "model.levels", "element %d must lie in (0, 1), got %v", i, l)
		b.Need(i == 0 || m.Levels[i-1] != l, "model.levels", "has %v twice", l)
	}
	b.validateSeason(c)
	atLeast(b.Checker, "model.frequencies", m.Frequencies, 1)
	atLeast(b.Checker, "model.bandwidth", m.Bandwidth, 0)
	b.Need(m.Ridge > 0 || m.Forgetting < 1, "model.ridge", "auto needs a memory, model.forgetting < 1")
	b.Need(m.Forgetting > 0 && m.Forgetting <= 1, "model.forgetting", "must lie in (0, 1], got %v", m.Forgetting)
	b.validateInputs(c)
	_, err := m.Limits()
	b.Need(err == nil, "model.bounds", "%v", err)
	b.OneOf("model.intervals", m.Intervals, "model", "quantile")
	b.Need(m.Intervals != "quantile" || m.Horizon <= 500, "model.horizon", "must be <= 500 with intervals: quantile, which keep all forecasts that wait for their targets, got %d", m.Horizon)
	b.Need(!m.Joint || len(m.Levels) > 0, "model.joint", "needs model.levels, whose first is that of the region")
	b.OneOf("model.drift.action", m.Drift.Action, "none", "forget", "reset_scaler", "restart")
	b.Need(m.Drift.Detect || m.Drift.Action == "none", "model.drift.action", "has no effect without model.drift.detect: true")
	b.Need(m.Anomaly.FalseAlarms > 0 && m.Anomaly.FalseAlarms <= .1, "model.anomaly.false_alarms", "must lie in (0, 0.1], got %v", m.Anomaly.FalseAlarms)
	b.Need(m.Anomaly.NormalAfter >= 1, "model.anomaly.normal_after", "must be >= 1, got %d", m.Anomaly.NormalAfter)
	b.Need(m.Anomaly.MinDuration >= 1, "model.anomaly.min_duration", "must be >= 1, got %d", m.Anomaly.MinDuration)
	for i, text := range m.Anomaly.Rules {
		_, err := ParseAnomalyRule(text)
		b.Need(err == nil, "model.anomaly.rules", "element %d %v", i, err)
	}
	b.Need(m.Drift.FalseAlarms > 0 && m.Drift.FalseAlarms < .1, "model.drift.false_alarms", "must lie in (0, 0.1), got %v", m.Drift.FalseAlarms)
	b.validateKernel(m)
	b.Need(c.Evaluate.Window == 0 || c.Evaluate.Window >= 8, "evaluate.window", "must be 0 (all) or >= 8, got %d", c.Evaluate.Window)
	atLeast(b.Checker, "evaluate.interval", c.Evaluate.Interval, 1)
}

// validateInputs checks what is not forecast.
func (b *binder) validateInputs(c *Config) {
	m := &c.Model
	for i, v := range m.Exogenous {
		b.Need(v != "", "model.exogenous", "must not contain an empty name")
		b.Need(!slices.Contains(m.Exogenous[:i], v), "model.exogenous", "has %q twice", v)
		b.Need(!slices.Contains(c.Pipeline.Variables, v), "model.exogenous", "has %q, which is one of pipeline.variables: a variable is forecast or an input", v)
	}
	for i, v := range m.Calendar {
		b.OneOf("model.calendar", v, "hour", "weekday", "month")
		b.Need(!slices.Contains(m.Calendar[:i], v), "model.calendar", "has %q twice", v)
	}
	b.zone("model.time_zone", m.TimeZone)
	if m.Events != "" {
		zone, err := time.LoadLocation(m.TimeZone)
		if err != nil {
			return // b.zone has said so
		}
		m.Occurrences, err = events.Read(m.Events, zone)
		b.Need(err == nil, "model.events", "%v", err)
	}
}

// validateSeason turns the time of a season into steps.
func (b *binder) validateSeason(c *Config) {
	m, step := &c.Model, c.Pipeline.Interval
	b.Need(m.Season >= 0 && m.Season <= 20_160, "model.season", "must lie in [0, 20160], got %d", m.Season)
	if m.SeasonTime == 0 {
		return
	}
	const path = "model.season_time"
	b.Need(step != 0, path, "needs pipeline.interval, the time from one sample to the next")
	whole, part := int64(m.SeasonTime.Fixed()), int64(step.Fixed())
	if m.SeasonTime.Months() > 0 {
		whole, part = int64(m.SeasonTime.Months()), int64(step.Months())
	}
	if part == 0 || whole%part != 0 || whole/part < 2 || whole/part > 20_160 {
		b.Need(step == 0, path, "must be 2 to 20160 times pipeline.interval, which is %s, got %s", step.Short(), m.SeasonTime.Short())
		return
	}
	n := int(whole / part)
	b.Need(m.Season == 0 || m.Season == n, path, "is %d steps, and model.season %d; keep one of them", n, m.Season)
	m.Season = n
}

func (b *binder) validateOutput(c *Config) {
	o := &c.Output
	if i := o.InfluxDB; i != nil {
		err := secret.CheckURL(i.URL)
		b.Need(err == nil, "output.influxdb.url", "%v; credentials belong in output.influxdb.token (user:password on InfluxDB 1.8)", err)
		b.Need(i.Bucket != "", "output.influxdb.bucket", "must not be empty (the database's name on InfluxDB 1.8)")
		b.Need(i.BatchSize >= 1 && i.BatchSize <= 100_000, "output.influxdb.batch_size", "must lie in [1, 100000], got %d", i.BatchSize)
		b.Need(i.Timeout > 0, "output.influxdb.timeout", "must be > 0, got %v", i.Timeout)
		b.OneOf("output.influxdb.layout", i.Layout, "wide", "long")
		for _, part := range i.Include {
			b.OneOf("output.influxdb.include", part, "forecasts", "bounds", "observations", "anomalies", "metrics", "experts", "events")
		}
		b.Need(!slices.Contains(i.Include, "bounds") || slices.Contains(i.Include, "forecasts"), "output.influxdb.include", "has bounds without forecasts, which they belong to")
		atLeast(b.Checker, "output.influxdb.every", i.Every, 1)
	}
	if f := o.File; f != nil {
		b.Need(f.Path != "", "output.file.path", "must name a file")
		if f.Format != "" {
			b.OneOf("output.file.format", f.Format, "csv", "jsonl", "influx", "parquet")
		}
		b.Need(f.Path == "" || f.Kind() != "", "output.file.path",
			"%q ends with none of .csv, .jsonl, .lp, .parquet; name the format with output.file.format", f.Path)
		b.Need(f.Kind() != "parquet" || c.Input.File != nil && c.State.Dir == "" && c.State.Topic == "", "output.file.format",
			"parquet is complete only at the end of the input: it needs input.file, and no state; csv or jsonl can go on after a restart")
		b.OneOf("output.file.time_unit", f.TimeUnit, units...)
		b.validateColumns(c)
	}
	if k := o.Kafka; k != nil {
		b.Need(k.Topic != "", "output.kafka.topic", "must name a topic")
		b.OneOf("output.kafka.layout", k.Layout, "wide", "long")
		b.Need(len(k.Brokers) > 0 || c.Input.Kafka != nil, "output.kafka.brokers", "must be given unless there is an input.kafka")
		b.Need(c.Input.Kafka == nil || !slices.Contains(c.Input.Kafka.Topics, k.Topic) || len(k.Brokers) > 0,
			"output.kafka.topic", "is one of input.kafka.topics: the forecasts would be read as samples")
		b.Need(k.AnomalyTopic == "" || k.AnomalyTopic != k.Topic, "output.kafka.anomaly_topic", "is output.kafka.topic; anomalies need a topic of their own")
		b.Need(c.Input.Kafka == nil || !slices.Contains(c.Input.Kafka.Topics, k.AnomalyTopic) || len(k.Brokers) > 0,
			"output.kafka.anomaly_topic", "is one of input.kafka.topics: the anomalies would be read as samples")
		b.validateBrokers("output.kafka.brokers", k.Brokers)
		b.validateAccess("output.kafka.", &k.KafkaAccess)
		b.Need(len(k.Brokers) > 0 || reflect.ValueOf(k.KafkaAccess).IsZero(), "output.kafka.brokers",
			"must be given with settings of SASL or TLS; without, the brokers are those of the input, reached like them")
	}
	if d := o.DeadLetters; d != nil {
		b.Need((d.Path == "") != (d.Topic == ""), "output.dead_letters", "needs one of path and topic")
		b.Need(d.Topic == "" || c.Input.Kafka != nil, "output.dead_letters.topic", "needs input.kafka, whose brokers it is written to")
	}
}

func (b *binder) validateServices(c *Config) {
	b.Need(c.State.Interval > 0, "state.interval", "must be > 0, got %v", c.State.Interval)
	atLeast(b.Checker, "state.records", c.State.Records, 1)
	b.Need(c.State.StallTimeout == 0 || c.State.StallTimeout >= time.Second, "state.stall_timeout", "must be 0 or at least 1s, got %v", c.State.StallTimeout)
	b.Need(c.State.Topic == "" || c.State.Dir == "", "state", "needs one of dir and topic, not both")
	b.Need(c.State.Topic == "" || c.Input.Kafka != nil && c.Input.Kafka.ConsumerGroup != "", "state.topic", "needs input.kafka with a consumer_group, whose commits it completes")
	if c.Server.Enabled {
		b.validateServer(&c.Server)
	}
	b.OneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	b.OneOf("log.format", c.Log.Format, "auto", "text", "json")
}

func (b *binder) validateServer(s *Server) {
	_, _, err := net.SplitHostPort(s.Listen)
	b.Need(err == nil, "server.listen", "must be host:port, got %q", s.Listen)
	b.Need(err != nil || s.OnLoopback() || !s.Token.IsZero(), "server.token", "must be given when server.listen is not on loopback, got listen %q", s.Listen)
	b.Need((s.TLSCert == "") == (s.TLSKey == ""), "server.tls_cert", "and tls_key must be given together")
	if s.TLSCert != "" && s.TLSKey != "" {
		_, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
		b.Need(err == nil, "server.tls_cert", "%v", err)
	}
}

// kinds returns the names of the inputs that are given.
func (in *Input) kinds() []string {
	var names []string
	for _, k := range []struct {
		name string
		set  bool
	}{
		{"kafka", in.Kafka != nil},
		{"file", in.File != nil},
		{"stdin", in.Stdin != nil},
		{"simulated", in.Simulated != nil},
	} {
		if k.set {
			names = append(names, k.name)
		}
	}
	return names
}

// begin says how to get an input and an output.
const begin = "; forecaster create prints a configuration that has both"

// Runnable returns an error unless the configuration has an input and an output.
func (c *Config) Runnable() error {
	var errs Errors
	if len(c.Input.kinds()) == 0 {
		errs = append(errs, errors.New("input: one of kafka, file, stdin, simulated must be given"+begin))
	}
	if c.Output.InfluxDB == nil && c.Output.File == nil && c.Output.Kafka == nil && c.Output.Discard == nil {
		errs = append(errs, errors.New("output: one of influxdb, file, kafka, discard must be given"+begin))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}

// validateColumns checks output.file.columns.
func (b *binder) validateColumns(c *Config) {
	const key = "output.file.columns"
	f := c.Output.File
	for _, name := range f.Columns {
		b.OneOf(key, name, "origin", "y", "nixtla")
	}
	nixtla := slices.Contains(f.Columns, "nixtla")
	b.Need(!nixtla || len(f.Columns) == 1, key, "nixtla stands alone, it has origin (cutoff) and y")
	switch f.Kind() {
	case "influx":
		b.Need(len(f.Columns) == 0, key, "is for csv and jsonl; line protocol has no columns")
	case "parquet":
		b.Need(!nixtla, key, "nixtla is for csv and jsonl; parquet always has origin and y")
	}
	b.Need(!f.Waits() || f.Kind() == "parquet" || c.Input.File != nil && c.State.Dir == "" && c.State.Topic == "", key,
		"y is written when it was observed, and what waits for that is in no checkpoint: it needs input.file, and no state")
}
