package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"
)

// validate records every relation between settings that does not hold.
func (b *binder) validate() {
	c := b.cfg
	b.validateInput(&c.Input)
	b.validatePipeline(c)
	b.validateModel(c)
	b.validateOutput(c)
	b.validateServices(c)
}

// need records a violation of the setting at path unless ok holds.
func (b *binder) need(ok bool, path, format string, args ...any) {
	if !ok && !b.broken[path] {
		b.fail(b.origin(path), path, format, args...)
	}
}

// atLeast is the commonest relation.
func atLeast[T cmp.Ordered](b *binder, path string, got, limit T) {
	b.need(got >= limit, path, "must be >= %v, got %v", limit, got)
}

// zone checks the name of a time zone.
func (b *binder) zone(path, name string) {
	_, err := time.LoadLocation(name)
	b.need(err == nil && name != "Local", path, "must be a time zone such as UTC or Europe/Rome, got %q", name)
}

// units are those of times that are numbers.
var units = []string{"auto", "s", "ms", "us", "ns"}

// oneOf checks a name.
func (b *binder) oneOf(path, got string, names ...string) {
	b.need(slices.Contains(names, got), path, "must be one of %s, got %q", strings.Join(names, ", "), got)
}

func (b *binder) validateInput(in *Input) {
	given := in.kinds()
	b.need(len(given) <= 1, "input", "has %s; keep one of them", strings.Join(given, " and "))
	b.oneOf("input.data_format", in.DataFormat, "json", "influx", "csv")
	b.oneOf("input.json.layout", in.JSON.Layout, "wide", "long")
	b.need(in.JSON.VariableField == "" || in.JSON.Layout == "long", "input.json.variable_field", "needs input.json.layout: long")
	b.oneOf("input.influx.time_unit", in.Influx.TimeUnit, units[1:]...)
	for _, tag := range in.Influx.Ignore {
		b.need(!slices.Contains(in.Influx.Series, tag), "input.influx.ignore", "has %q, which input.influx.series has, too", tag)
	}
	b.oneOf("input.json.time_unit", in.JSON.TimeUnit, units...)
	b.oneOf("input.csv.time_unit", in.CSV.TimeUnit, units...)
	b.need(len(in.CSV.Comma) <= 1, "input.csv.comma", "must be one ASCII character, got %q", in.CSV.Comma)
	b.oneOf("input.csv.decimal", in.CSV.Decimal, "", ".", ",")
	b.need(len(in.CSV.Thousands) <= 1 && (in.CSV.Thousands == "" || in.CSV.Thousands != in.CSV.Decimal), "input.csv.thousands",
		"must be one ASCII character other than input.csv.decimal, got %q", in.CSV.Thousands)
	b.oneOf("input.csv.date_order", in.CSV.DateOrder, "", "dmy", "mdy")
	b.zone("input.time_zone", in.TimeZone)
	if k := in.Kafka; k != nil {
		b.validateKafka(k)
		b.need(in.DataFormat != "csv" || len(in.CSV.Header) > 0, "input.csv.header",
			"must name the columns, because messages of data_format csv have no header of their own")
	}
	if f := in.File; f != nil {
		b.need(f.Path != "", "input.file.path", "must name a file")
		if f.Format != "" {
			b.oneOf("input.file.format", f.Format, "csv", "jsonl", "influx", "parquet")
		}
		atLeast(b, "input.file.speed", f.Speed, 0)
	}
	if s := in.Stdin; s != nil {
		b.oneOf("input.stdin.format", s.Format, "csv", "jsonl", "influx")
	}
	if s := in.Simulated; s != nil {
		b.oneOf("input.simulated.setting", s.Setting, "linear", "exponential", "sine")
		b.oneOf("input.simulated.noise", s.Noise, "white", "toeplitz")
		atLeast(b, "input.simulated.dim", s.Dim, 1)
		atLeast(b, "input.simulated.rows", s.Rows, 0)
		atLeast(b, "input.simulated.interval", s.Interval, time.Nanosecond)
		atLeast(b, "input.simulated.speed", s.Speed, 0)
	}
}

func (b *binder) validateKafka(k *Kafka) {
	b.need(len(k.Brokers) > 0, "input.kafka.brokers", "must name at least one broker, such as localhost:9092")
	b.validateBrokers("input.kafka.brokers", k.Brokers)
	b.need(len(k.Topics) > 0, "input.kafka.topics", "must name at least one topic")
	b.need(!slices.Contains(k.Topics, ""), "input.kafka.topics", "must not contain an empty name")
	b.need(k.ConsumerGroup != "", "input.kafka.consumer_group", "must not be empty")
	b.oneOf("input.kafka.offset", k.Offset, "oldest", "newest")
	b.validateAccess("input.kafka.", &k.KafkaAccess)
	b.need(k.MaxMessageLen >= 1 && k.MaxMessageLen <= 1<<30, "input.kafka.max_message_len", "must lie in [1, 1GiB], got %v", k.MaxMessageLen)
	b.need(k.SessionTimeout >= time.Second && k.SessionTimeout <= time.Hour, "input.kafka.session_timeout", "must lie in [1s, 1h], got %v", k.SessionTimeout)
}

// validateAccess checks who a client is and what it trusts.
func (b *binder) validateAccess(path string, k *KafkaAccess) {
	if k.SASLMechanism != "" {
		b.oneOf(path+"sasl_mechanism", k.SASLMechanism, "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
		b.need(k.SASLUsername != "", path+"sasl_username", "must be given with sasl_mechanism")
		b.need(!k.SASLPassword.IsZero(), path+"sasl_password", "must be given with sasl_mechanism")
	} else {
		b.need(k.SASLUsername == "", path+"sasl_mechanism", "must be given with sasl_username: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512")
	}
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
			b.need(!s.set, path+s.path, "has no effect without tls_enable: true")
		}
	}
	b.need((k.TLSCert == "") == (k.TLSKey == ""), path+"tls_cert", "and tls_key must be given together")
}

func (b *binder) validateBrokers(path string, brokers []string) {
	for i, broker := range brokers {
		host, port, err := net.SplitHostPort(broker)
		b.need(err == nil && host != "" && port != "", path, "element %d must be host:port, got %q", i, broker)
	}
}

func (b *binder) validatePipeline(c *Config) {
	p := &c.Pipeline
	b.validateAssembly(c)
	atLeast(b, "pipeline.max_gap", p.MaxGap, 0)
	atLeast(b, "pipeline.max_ahead", p.MaxAhead, 0)
	b.oneOf("pipeline.scope", p.Scope, "series", "shared")
	for i, h := range p.Emit {
		b.need(h >= 1 && h <= c.Model.Horizon, "pipeline.emit", "element %d must lie in [1, model.horizon = %d], got %d", i, c.Model.Horizon, h)
		b.need(i == 0 || p.Emit[i-1] < h, "pipeline.emit", "must ascend, got %d after %d", h, p.Emit[max(i-1, 0)])
	}
	atLeast(b, "pipeline.schema_change_after", p.SchemaChangeAfter, 0)
	atLeast(b, "pipeline.rollback_every", p.RollbackEvery, 0)
	atLeast(b, "pipeline.max_series", p.MaxSeries, 1)
	b.need(p.MaxDim >= 1 && p.MaxDim <= 1024, "pipeline.max_dim", "must lie in [1, 1024], got %d", p.MaxDim)
	b.need(p.MaxAbs > 0, "pipeline.max_abs", "must be > 0, got %v", p.MaxAbs)
}

// validateAssembly checks what needs a grid of rows.
func (b *binder) validateAssembly(c *Config) {
	p := &c.Pipeline
	const why = "must be given as a duration with %s: the rows are its multiples"
	b.need(p.Interval > 0 || c.Input.JSON.Layout != "long", "pipeline.interval", why, "input.json.layout: long")
	b.need(p.Interval > 0 || c.Input.CSV.VariableColumn == "", "pipeline.interval", why, "input.csv.variable_column")
	b.need(p.Interval > 0 || p.Wait == 0, "pipeline.interval", why, "pipeline.wait")
	b.need(p.Interval > 0 || !p.WaitForLate, "pipeline.interval", why, "pipeline.wait_for_late")
	b.oneOf("pipeline.aggregate", p.Aggregate, "latest", "mean")
	b.need(p.Aggregate != "mean" || p.WaitForLate, "pipeline.aggregate", "needs pipeline.wait_for_late: true with mean: a row that closes when it is complete has one value of each variable")
	b.oneOf("pipeline.fill", p.Fill, "none", "last")
	b.need(p.Interval > 0 || p.Fill != "last", "pipeline.interval", why, "pipeline.fill: last")
	b.need(p.Wait >= 0 && (p.Interval <= 0 || p.Wait/p.Interval.Fixed() <= 10_000), "pipeline.wait",
		"must lie between 0 and 10000 intervals, got %v", p.Wait)
	for i, v := range p.Variables {
		b.need(v != "", "pipeline.variables", "must not contain an empty name")
		b.need(!slices.Contains(p.Variables[:i], v), "pipeline.variables", "has %q twice", v)
	}
}

func (b *binder) validateModel(c *Config) {
	m := &c.Model
	if err := ModelName(m.Type); err != nil {
		b.need(false, "model.type", "%v", err)
	}
	b.oneOf("model.tier", m.Tier, "auto", "full", "light", "tiny")
	b.need(m.Type == "auto" || m.Tier == "auto", "model.tier", "is one of model.type: auto, not of %s", m.Type)
	b.need(m.Memory == 0 || m.Type == "auto" && m.Tier == "auto", "model.memory", "chooses the tier of model.type: auto; it has no effect with a tier or another type")
	_, known := c.Dim()
	b.need(m.Memory == 0 || known, "model.memory", "needs to know the number of variables: pipeline.variables")
	atLeast(b, "model.order", m.Order, 1)
	b.need(m.Horizon >= 1 && m.Horizon <= 10_000, "model.horizon", "must lie in [1, 10000], got %d", m.Horizon)
	for i, l := range m.Levels {
		b.need(l > 0 && l < 1, "model.levels", "element %d must lie in (0, 1), got %v", i, l)
		b.need(i == 0 || m.Levels[i-1] != l, "model.levels", "has %v twice", l)
	}
	b.validateExperts(m)
	b.validateSeason(c)
	b.need(m.Type != "seasonal" || m.Season >= 1, "model.season", "must be >= 1 with type seasonal, got %d", m.Season)
	atLeast(b, "model.frequencies", m.Frequencies, 1)
	atLeast(b, "model.bandwidth", m.Bandwidth, 0)
	b.need(m.Ridge > 0, "model.ridge", "must be > 0, got %v", m.Ridge)
	b.need(m.Forgetting > 0 && m.Forgetting <= 1, "model.forgetting", "must lie in (0, 1], got %v", m.Forgetting)
	plain := m.Type == "orffvar" && m.Optimiser.Step == "plain"
	b.need(!plain || m.Optimiser.Rate < 2, "model.optimiser.rate", "must be < 2 with model.type: orffvar, got %v", m.Optimiser.Rate)
	b.need(m.Type != "orffvar" || m.Optimiser.Step != "adagrad", "model.optimiser.step", "must be newton or plain with model.type: orffvar, got adagrad")
	b.validateInputs(c)
	b.need(!m.Joint || len(m.Levels) > 0, "model.joint", "needs model.levels, whose first is that of the region")
	b.oneOf("model.drift.action", m.Drift.Action, "none", "forget", "reset_scaler", "restart")
	b.need(m.Drift.Detect || m.Drift.Action == "none", "model.drift.action", "has no effect without model.drift.detect: true")
	b.need(m.Drift.FalseAlarms > 0 && m.Drift.FalseAlarms < .1, "model.drift.false_alarms", "must lie in (0, 0.1), got %v", m.Drift.FalseAlarms)
	b.validateKernel(c)
	b.need(c.Evaluate.Window == 0 || c.Evaluate.Window >= 8, "evaluate.window", "must be 0 (all) or >= 8, got %d", c.Evaluate.Window)
	atLeast(b, "evaluate.interval", c.Evaluate.Interval, 1)
}

// validateInputs checks what is not forecast.
func (b *binder) validateInputs(c *Config) {
	m := &c.Model
	for i, v := range m.Exogenous {
		b.need(v != "", "model.exogenous", "must not contain an empty name")
		b.need(!slices.Contains(m.Exogenous[:i], v), "model.exogenous", "has %q twice", v)
		b.need(!slices.Contains(c.Pipeline.Variables, v), "model.exogenous", "has %q, which is one of pipeline.variables: a variable is forecast or an input", v)
	}
	for i, v := range m.Calendar {
		b.oneOf("model.calendar", v, "hour", "weekday", "month")
		b.need(!slices.Contains(m.Calendar[:i], v), "model.calendar", "has %q twice", v)
	}
	b.zone("model.time_zone", m.TimeZone)
	takes := TakesInputs(m.Type)
	b.need(takes || len(m.Exogenous) == 0, "model.exogenous", "is used by auto, orffvar and varN, not by %s", m.Type)
	b.need(takes || len(m.Calendar) == 0, "model.calendar", "is used by auto, orffvar and varN, not by %s", m.Type)
}

// TakesInputs reports whether a model forecasts from inputs, too.
func TakesInputs(name string) bool {
	return strings.HasPrefix(name, "auto") || name == "orffvar" || strings.HasPrefix(name, "var")
}

// Experts are the experts of auto that are used when none are named.
var Experts = []string{"ar96", "ar6", "var1", "orff1", "orff4", "orff3", "orff3-local", "orff1-level", "orff1-additive"}

func (b *binder) validateExperts(m *Model) {
	const path = "model.experts"
	b.need(len(m.Experts) == 0 || m.Type == "auto", path, "is used by auto, not by %s", m.Type)
	for i, name := range m.Experts {
		known := slices.Contains(Experts, name) || numbered(name, "ar", "var", "orff")
		b.need(known, path, "must be names of %s, or arN, varN, orffN (N = number of lags), got %q", strings.Join(Experts, ", "), name)
		b.need(!slices.Contains(m.Experts[:i], name), path, "has %q twice", name)
	}
}

// validateSeason turns the time of a season into steps.
func (b *binder) validateSeason(c *Config) {
	m, step := &c.Model, c.Pipeline.Interval
	b.need(m.Season >= 0 && m.Season <= 10_000, "model.season", "must lie in [0, 10000], got %d", m.Season)
	if m.SeasonTime == 0 {
		return
	}
	const path = "model.season_time"
	b.need(step != 0, path, "needs pipeline.interval, the time from one sample to the next")
	whole, part := int64(m.SeasonTime.Fixed()), int64(step.Fixed())
	if m.SeasonTime.Months() > 0 {
		whole, part = int64(m.SeasonTime.Months()), int64(step.Months())
	}
	if part == 0 || whole%part != 0 || whole/part < 2 || whole/part > 10_000 {
		b.need(step == 0, path, "must be 2 to 10000 times pipeline.interval, which is %v, got %v", step, m.SeasonTime)
		return
	}
	n := int(whole / part)
	b.need(m.Season == 0 || m.Season == n, path, "is %d steps, and model.season %d; keep one of them", n, m.Season)
	m.Season = n
}

// numbered reports whether name is one of the prefixes with a number of 1 to 999.
func numbered(name string, prefixes ...string) bool {
	for _, prefix := range prefixes {
		if digits, ok := strings.CutPrefix(name, prefix); ok && digits != "" && len(digits) <= 3 && digits[0] != '0' &&
			strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// ModelName returns an error that lists the models unless name is one.
func ModelName(name string) error {
	switch name {
	case "auto", "auto-light", "auto-tiny", "orffvar", "persistence", "seasonal", "kernelvar", "okvar", "onorma", "krls", "nystroem", "ngrc":
		return nil
	}
	if numbered(name, "var", "ar") {
		return nil
	}
	return fmt.Errorf("must be one of auto, auto-light, auto-tiny, orffvar, varN, arN, persistence, seasonal, kernelvar, okvar, onorma, krls, nystroem, ngrc (N = number of lags), got %q", name)
}

func (b *binder) validateOutput(c *Config) {
	o := &c.Output
	if i := o.InfluxDB; i != nil {
		u, err := url.Parse(i.URL)
		b.need(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "", "output.influxdb.url",
			"must be a URL such as http://localhost:8086, got %q", i.URL)
		b.need(err != nil || u.User == nil, "output.influxdb.url", "must not contain a password; use token (user:password on InfluxDB 1.8)")
		b.need(i.Bucket != "", "output.influxdb.bucket", "must not be empty (the database's name on InfluxDB 1.8)")
		b.need(i.BatchSize >= 1 && i.BatchSize <= 100_000, "output.influxdb.batch_size", "must lie in [1, 100000], got %d", i.BatchSize)
		b.need(i.Timeout > 0, "output.influxdb.timeout", "must be > 0, got %v", i.Timeout)
	}
	if f := o.File; f != nil {
		b.need(f.Path != "", "output.file.path", "must name a file")
		if f.Format != "" {
			b.oneOf("output.file.format", f.Format, "csv", "jsonl", "influx", "parquet")
		}
		b.need(f.Path == "" || f.Kind() != "", "output.file.path",
			"%q ends with none of .csv, .jsonl, .lp, .parquet; name the format with output.file.format", f.Path)
		b.need(f.Kind() != "parquet" || c.Input.File != nil && c.State.Dir == "" && c.State.Topic == "", "output.file.format",
			"parquet is complete only at the end of the input: it needs input.file, and no state; csv or jsonl can go on after a restart")
		b.oneOf("output.file.time_unit", f.TimeUnit, units...)
	}
	if k := o.Kafka; k != nil {
		b.need(k.Topic != "", "output.kafka.topic", "must name a topic")
		b.need(len(k.Brokers) > 0 || c.Input.Kafka != nil, "output.kafka.brokers", "must be given unless there is an input.kafka")
		b.need(c.Input.Kafka == nil || !slices.Contains(c.Input.Kafka.Topics, k.Topic) || len(k.Brokers) > 0,
			"output.kafka.topic", "is one of input.kafka.topics: the forecasts would be read as samples")
		b.validateBrokers("output.kafka.brokers", k.Brokers)
		b.validateAccess("output.kafka.", &k.KafkaAccess)
		b.need(len(k.Brokers) > 0 || k.KafkaAccess == (KafkaAccess{}), "output.kafka.brokers",
			"must be given with settings of SASL or TLS; without, the brokers are those of the input, reached like them")
	}
	if d := o.DeadLetters; d != nil {
		b.need((d.Path == "") != (d.Topic == ""), "output.dead_letters", "needs one of path and topic")
		b.need(d.Topic == "" || c.Input.Kafka != nil, "output.dead_letters.topic", "needs input.kafka, whose brokers it is written to")
		for _, reason := range d.Drop {
			b.oneOf("output.dead_letters.drop", reason, "malformed", "non_finite", "dimension", "late", "duplicate", "future", "too_large", "too_many", "rejected")
		}
	}
}

func (b *binder) validateServices(c *Config) {
	b.need(c.State.Interval > 0, "state.interval", "must be > 0, got %v", c.State.Interval)
	atLeast(b, "state.records", c.State.Records, 1)
	b.need(c.State.StallTimeout == 0 || c.State.StallTimeout >= time.Second, "state.stall_timeout", "must be 0 or at least 1s, got %v", c.State.StallTimeout)
	b.need(c.State.Topic == "" || c.State.Dir == "", "state", "needs one of dir and topic, not both")
	b.need(c.State.Topic == "" || c.Input.Kafka != nil && c.Input.Kafka.ConsumerGroup != "", "state.topic", "needs input.kafka with a consumer_group, whose commits it completes")
	if c.Server.Enabled {
		host, _, err := net.SplitHostPort(c.Server.Listen)
		b.need(err == nil, "server.listen", "must be host:port, got %q", c.Server.Listen)
		ip := net.ParseIP(host)
		loopback := host == "localhost" || (ip != nil && ip.IsLoopback())
		b.need(err != nil || loopback || !c.Server.Token.IsZero(), "server.token", "must be given when server.listen is not on loopback, got listen %q", c.Server.Listen)
	}
	b.oneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	b.oneOf("log.format", c.Log.Format, "auto", "text", "json")
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

// Runnable returns an error unless the configuration says where samples come
// from and where results go.
func (c *Config) Runnable() error {
	var errs Errors
	if len(c.Input.kinds()) == 0 {
		errs = append(errs, errors.New("input: one of kafka, file, stdin, simulated must be given"))
	}
	if c.Output.InfluxDB == nil && c.Output.File == nil && c.Output.Kafka == nil && c.Output.Discard == nil {
		errs = append(errs, errors.New("output: one of influxdb, file, kafka, discard must be given"))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}
