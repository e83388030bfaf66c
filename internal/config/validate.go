package config

import (
	"crypto/tls"
	"fmt"
	"net"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval/calendar/events"
)

// validate records every violated relation between settings.
func (b *binder) validate(checks []Check) {
	c := b.cfg
	b.validateInput(c)
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

func (b *binder) validateInput(c *Config) {
	in := &c.Input
	given, _ := in.chosen(reflect.TypeFor[Input]())
	b.Need(len(given) <= 1, "input", "has %s; keep one of them", strings.Join(given, " and "))
	b.zone("input.time_zone", in.TimeZone)
	in.check(b.Checker, "input", c)
}

func (b *binder) validatePipeline(c *Config) {
	p := &c.Pipeline
	b.validateAssembly(c)
	AtLeast(b.Checker, "pipeline.max_gap", p.MaxGap, 0)
	AtLeast(b.Checker, "pipeline.max_ahead", p.MaxAhead, 0)
	b.OneOf("pipeline.scope", p.Scope, "series", "shared")
	for i, h := range p.Emit {
		b.Need(h >= 1 && h <= c.Model.Horizon, "pipeline.emit", "element %d must lie in [1, model.horizon = %d], got %d", i, c.Model.Horizon, h)
		b.Need(i == 0 || p.Emit[i-1] < h, "pipeline.emit", "must ascend, got %d after %d", h, p.Emit[max(i-1, 0)])
	}
	AtLeast(b.Checker, "pipeline.schema_change_after", p.SchemaChangeAfter, 0)
	AtLeast(b.Checker, "pipeline.max_series", p.MaxSeries, 1)
	b.Need(p.MaxDim >= 1 && p.MaxDim <= 1024, "pipeline.max_dim", "must lie in [1, 1024], got %d", p.MaxDim)
	b.Need(p.MaxAbs > 0, "pipeline.max_abs", "must be > 0, got %v", p.MaxAbs)
}

// validateAssembly checks the settings that assemble rows.
func (b *binder) validateAssembly(c *Config) {
	p := &c.Pipeline
	b.NeedInterval(c, p.Wait != 0, "pipeline.wait")
	b.NeedInterval(c, p.WaitForLate, "pipeline.wait_for_late")
	b.OneOf("pipeline.aggregate", p.Aggregate, "latest", "mean")
	b.Need(p.Aggregate != "mean" || p.WaitForLate, "pipeline.aggregate", "needs pipeline.wait_for_late: true with mean: a row that closes when it is complete has one value of each variable")
	b.OneOf("pipeline.fill", p.Fill, "none", "last")
	b.NeedInterval(c, p.Fill == "last", "pipeline.fill: last")
	b.Need(p.Wait >= 0 && (p.Interval <= 0 || p.Wait/p.Interval.Fixed() <= 10_000), "pipeline.wait",
		"must lie between 0 and 10000 intervals, got %v", p.Wait)
	for i, v := range p.Variables {
		b.Need(v != "", "pipeline.variables", "must not contain an empty name")
		b.Need(!slices.Contains(p.Variables[:i], v), "pipeline.variables", "has %q twice", v)
	}
	_, err := p.MissingNumbers()
	b.Need(err == nil, "pipeline.missing", "%v", err)
	for i, v := range p.Rate {
		b.Need(v != "", "pipeline.rate", "must not contain an empty name")
		b.Need(!slices.Contains(p.Rate[:i], v), "pipeline.rate", "has %q twice", v)
		b.Need(len(p.Variables) == 0 || slices.Contains(p.Variables, v), "pipeline.rate", "has %q, which is none of pipeline.variables", v)
		b.Need(!slices.Contains(c.Model.Exogenous, v), "pipeline.rate", "has %q, which is one of model.exogenous: only variables that are forecast become rates", v)
	}
	b.Need(len(p.Rate) == 0 || p.Aggregate != "mean", "pipeline.rate", "excludes pipeline.aggregate: mean; a rate is a mean already")
}

func (b *binder) validateModel(c *Config) {
	m := &c.Model
	AtLeast(b.Checker, "model.order", m.Order, 1)
	b.Need(m.Horizon >= 1 && m.Horizon <= 10_000, "model.horizon", "must lie in [1, 10000], got %d", m.Horizon)
	for i, l := range m.Levels {
		b.Need(l > 0 && l < 1, "model.levels", "element %d must lie in (0, 1), got %v", i, l)
		b.Need(i == 0 || m.Levels[i-1] != l, "model.levels", "has %v twice", l)
	}
	b.validateSeason(c)
	AtLeast(b.Checker, "model.frequencies", m.Frequencies, 1)
	AtLeast(b.Checker, "model.bandwidth", m.Bandwidth, 0)
	b.Need(m.Ridge > 0 || m.Forgetting < 1, "model.ridge", "auto needs a memory, model.forgetting < 1")
	b.Need(m.Forgetting > 0 && m.Forgetting <= 1, "model.forgetting", "must lie in (0, 1], got %v", m.Forgetting)
	b.validateInputs(c)
	b.validateBounds("model.bounds", m.Bounds, m.Ranges)
	b.validateBounds("model.limits", m.Limits, m.Thresholds)
	b.OneOf("model.intervals", m.Intervals, "model", "quantile")
	b.Need(m.Intervals != "quantile" || m.Horizon <= 500, "model.horizon", "must be <= 500 with intervals: quantile, which keep all forecasts that wait for their targets, got %d", m.Horizon)
	b.Need(!m.Joint || len(m.Levels) > 0, "model.joint", "needs model.levels, whose first is that of the region")
	b.OneOf("model.drift.action", m.Drift.Action, "none", "forget", "reset_scaler", "restart")
	b.Need(m.Drift.Detect || m.Drift.Action == "none", "model.drift.action", "has no effect without model.drift.detect: true")
	b.Need(m.Anomaly.FalseAlarms > 0 && m.Anomaly.FalseAlarms <= .1, "model.anomaly.false_alarms", "must lie in (0, 0.1], got %v", m.Anomaly.FalseAlarms)
	_, err := m.Anomaly.AlarmsPerDay()
	b.Need(err == nil, "model.anomaly.alarms", "%v", err)
	b.Need(m.Anomaly.NormalAfter >= 1, "model.anomaly.normal_after", "must be >= 1, got %d", m.Anomaly.NormalAfter)
	b.Need(m.Anomaly.MinDuration >= 1, "model.anomaly.min_duration", "must be >= 1, got %d", m.Anomaly.MinDuration)
	for i, text := range m.Anomaly.Rules {
		_, err := ParseAnomalyRule(text)
		b.Need(err == nil, "model.anomaly.rules", "element %d %v", i, err)
	}
	b.Need(m.Drift.FalseAlarms > 0 && m.Drift.FalseAlarms < .1, "model.drift.false_alarms", "must lie in (0, 0.1), got %v", m.Drift.FalseAlarms)
	b.validateKernel(m)
	b.Need(c.Evaluate.Window == 0 || c.Evaluate.Window >= 8, "evaluate.window", "must be 0 (all) or >= 8, got %d", c.Evaluate.Window)
	AtLeast(b.Checker, "evaluate.interval", c.Evaluate.Interval, 1)
}

// validateBounds checks each bound separately, then all together.
func (b *binder) validateBounds(path string, texts []string, together func() ([]Bound, error)) {
	before := len(b.errs)
	for i, text := range texts {
		_, err := ParseBound(text)
		b.Need(err == nil, path, "element %d %v", i, err)
	}
	if len(b.errs) == before {
		_, err := together()
		b.Need(err == nil, path, "%v", err)
	}
}

// validateInputs checks the exogenous inputs.
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
			return // b.zone has recorded the error
		}
		m.Occurrences, err = events.Read(m.Events, zone)
		b.Need(err == nil, "model.events", "%v", err)
	}
}

// validateSeason converts the time of a season into steps.
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
	c.Output.check(b.Checker, "output", c)
	if d := c.Output.DeadLetters; d != nil {
		b.Need((d.Path == "") != (d.Topic == ""), "output.dead_letters", "needs one of path and topic")
	}
}

func (b *binder) validateServices(c *Config) {
	b.Need(c.State.Interval > 0, "state.interval", "must be > 0, got %v", c.State.Interval)
	AtLeast(b.Checker, "state.records", c.State.Records, 1)
	AtLeast(b.Checker, "state.rebuild", c.State.Rebuild, 0)
	b.Need(c.State.StallTimeout == 0 || c.State.StallTimeout >= time.Second, "state.stall_timeout", "must be 0 or at least 1s, got %v", c.State.StallTimeout)
	b.Need(c.State.Topic == "" || c.State.Dir == "", "state", "needs one of dir and topic, not both")
	if c.Server.Enabled {
		b.validateServer(&c.Server)
	}
	b.OneOf("log.level", c.Log.Level, "debug", "info", "warn", "error")
	b.OneOf("log.format", c.Log.Format, "auto", "text", "json")
}

func (b *binder) validateServer(s *Server) {
	_, port, err := net.SplitHostPort(s.Listen)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	b.Need(err == nil, "server.listen", "must be host:port, got %q", s.Listen)
	b.Need(err != nil || s.OnLoopback() || !s.Token.IsZero(), "server.token", "must be given when server.listen is not on loopback, got listen %q", s.Listen)
	b.Need((s.TLSCert == "") == (s.TLSKey == ""), "server.tls_cert", "and tls_key must be given together")
	if s.TLSCert != "" && s.TLSKey != "" {
		_, err := tls.LoadX509KeyPair(s.TLSCert, s.TLSKey)
		b.Need(err == nil, "server.tls_cert", "%v", err)
	}
}

// begin names the command that prints a configuration with an input and an output.
const begin = "; forecaster create prints a configuration that has both"

// Runnable returns an error unless the configuration has an input and an output.
func (c *Config) Runnable() error {
	var errs Errors
	if given, all := c.Input.chosen(reflect.TypeFor[Input]()); len(given) == 0 {
		errs = append(errs, fmt.Errorf("input: one of %s must be given%s", strings.Join(all, ", "), begin))
	}
	if given, all := c.Output.chosen(reflect.TypeFor[Output]()); len(given) == 0 {
		errs = append(errs, fmt.Errorf("output: one of %s must be given%s", strings.Join(all, ", "), begin))
	}
	if len(errs) > 0 {
		return errs
	}
	return nil
}
