// Package config reads the configuration of the program: YAML files, then the
// environment, then settings given on the command line, merged over defaults
// and validated as a whole. internal/wire declares the settings of inputs, outputs and formats, and
// has the types behind names such as "auto".
package config

import (
	"fmt"
	"math"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/internal/secret"
)

// Config is everything that can be configured. The yaml tags are the keys;
// docs/configuration.md describes them for users.
type Config struct {
	Input    Input    `yaml:"input"`
	Pipeline Pipeline `yaml:"pipeline"`
	Model    Model    `yaml:"model"`
	Evaluate Evaluate `yaml:"evaluate"`
	Output   Output   `yaml:"output"`
	State    State    `yaml:"state"`
	Server   Server   `yaml:"server"`
	Log      Log      `yaml:"log"`
}

// Input is the source of the samples: one kind, and the settings of the formats.
type Input struct {
	Kinds
	DataFormat string `yaml:"data_format"` // format of messages
	TimeFormat string `yaml:"time_format"` // form of the times, or their unit; "" = found
	TimeZone   string `yaml:"time_zone"`   // zone of times that name none

	// SeriesTags finds tags in the names of series, such as keys: {dc}/{host}.
	SeriesTags string `yaml:"series_tags"`
}

// Pipeline has the settings of the way of a sample from input to model.
type Pipeline struct {
	Interval          Interval      `yaml:"interval"`            // spacing of samples; 0 = the running median of the differences
	Wait              time.Duration `yaml:"wait"`                // for late values, in the time of the samples
	WaitForLate       bool          `yaml:"wait_for_late"`       // complete rows wait, too
	Aggregate         string        `yaml:"aggregate"`           // rule for several values of a variable in one row: latest or mean
	Fill              string        `yaml:"fill"`                // substitute for a missing value: none or last
	Variables         []string      `yaml:"variables"`           // of every series; empty = those of its first record
	Rate              []string      `yaml:"rate"`                // counters, which become rates per second
	Missing           []string      `yaml:"missing"`             // numbers that stand for a missing value, or none alone
	MaxGap            int           `yaml:"max_gap"`             // longest gap, in samples, that is filled; a longer one drops the lags
	MaxAhead          time.Duration `yaml:"max_ahead"`           // limit of a sample's time after its message's; 0 = none
	Scope             string        `yaml:"scope"`               // series = one model per series, shared = one for all of a partition
	Emit              []int         `yaml:"emit"`                // horizons that are scored and written; empty = all
	SchemaChangeAfter int           `yaml:"schema_change_after"` // consecutive records with equal, new variables after which a series starts again; 0 = never
	MaxSeries         int           `yaml:"max_series"`          // limit of series in a partition
	MaxDim            int           `yaml:"max_dim"`             // limit of variables in a series
	MaxAbs            float64       `yaml:"max_abs"`             // limit of a value's size
}

// MissingNumbers returns the numbers of Missing.
func (p *Pipeline) MissingNumbers() (list []float64, err error) {
	for _, text := range p.Missing {
		v, bad := strconv.ParseFloat(text, 64)
		if bad != nil && (text != "none" || len(p.Missing) > 1) || math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fmt.Errorf("must list numbers such as -999, or be none; got %q", text)
		}
		if bad == nil {
			list = append(list, v)
		}
	}
	return list, nil
}

// Model has the settings of the forecaster.
type Model struct {
	Type        string    `yaml:"type"`
	Tier        string    `yaml:"tier"`        // of auto: full, light, tiny; auto = by memory
	Memory      Size      `yaml:"memory"`      // budget for all models; 0 = by what the machine has
	Order       int       `yaml:"order"`       // lags
	Horizon     int       `yaml:"horizon"`     // steps ahead
	Levels      []float64 `yaml:"levels"`      // coverage levels of the intervals
	Experts     []string  `yaml:"experts"`     // members of auto beside persistence; empty = all
	Season      int       `yaml:"season"`      // steps of a season; 0 = unknown: auto estimates it
	SeasonTime  Interval  `yaml:"season_time"` // season as a time
	Frequencies int       `yaml:"frequencies"`
	Bandwidth   float64   `yaml:"bandwidth"` // 0 = by the running median of distances
	Ridge       Ridge     `yaml:"ridge"`
	Forgetting  float64   `yaml:"forgetting"`
	Seed        uint64    `yaml:"seed"`
	Intervals   string    `yaml:"intervals"` // model = its own, or quantile
	Influence   bool      `yaml:"influence"` // track which variable influences which
	Anomaly     Anomaly   `yaml:"anomaly"`
	Joint       bool      `yaml:"joint"` // add a region for the whole sample
	Drift       Drift     `yaml:"drift"`
	Exogenous   []string  `yaml:"exogenous"`    // variables that are inputs and are not forecast
	Calendar    []string  `yaml:"calendar"`     // hour, weekday, month
	TimeZone    string    `yaml:"time_zone"`    // of the calendar
	Events      string    `yaml:"events"`       // file of events known in advance
	NonNegative []string  `yaml:"non_negative"` // variables that cannot fall below 0
	Bounds      []string  `yaml:"bounds"`       // VARIABLE [>= LOW] [<= HIGH]
	Limits      []string  `yaml:"limits"`       // the same form, of values that a variable should not reach
	Kernel      Kernel    `yaml:"kernel"`
	Loss        Loss      `yaml:"loss"`
	Optimiser   Optimiser `yaml:"optimiser"`

	// Occurrences are the events of the file Events, which Load reads.
	Occurrences []calendar.Event `yaml:"-"`
}

// Evaluate has the settings of the scores.
type Evaluate struct {
	Window   int `yaml:"window"`                 // recent targets in the scores; 0 = all
	Interval int `yaml:"interval" reload:"live"` // samples per series between two points of scores
}

// Output has the places of the results; several kinds may be given.
type Output struct {
	Kinds
	DeadLetters *DeadLetters `yaml:"dead_letters"`
}

// DeadLetters keeps copies of refused messages, in a file or a topic of the input's brokers.
type DeadLetters struct {
	Path  string   `yaml:"path"`
	Topic string   `yaml:"topic"`
	Drop  []string `yaml:"drop"` // reasons that are only counted
}

// State has the place of the checkpoints, and their times.
type State struct {
	Dir      string        `yaml:"dir"`                    // of a single process; neither dir nor topic: every start is from scratch
	Topic    string        `yaml:"topic"`                  // Kafka topic, for a consumer group of any number of processes
	Interval time.Duration `yaml:"interval" reload:"live"` // time between checkpoints
	Records  int           `yaml:"records" reload:"live"`  // records between checkpoints, whichever limit comes first

	// Rebuild is the number of messages that are learnt again, without writing, when an update of the
	// program has made a checkpoint unreadable; 0 = refuse to start.
	Rebuild int `yaml:"rebuild"`

	// StallTimeout is the time without a heartbeat of a partition's work after which the
	// process ends; 0 = never.
	StallTimeout time.Duration `yaml:"stall_timeout"`
}

// Server is the HTTP endpoint.
type Server struct {
	Enabled bool        `yaml:"enabled"`
	Listen  string      `yaml:"listen"`
	Token   secret.Text `yaml:"token" reload:"live"` // required on other addresses than loopback
	TLSCert string      `yaml:"tls_cert"`            // certificate, followed by the certificates of its issuers
	TLSKey  string      `yaml:"tls_key"`
}

// OnLoopback reports whether only this machine reaches the server.
func (s *Server) OnLoopback() bool {
	host, _, err := net.SplitHostPort(s.Listen)
	return err == nil && IsLoopback(host)
}

// IsLoopback reports whether a host is this machine.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Log is the process's own log.
type Log struct {
	Level  string `yaml:"level" reload:"live"`
	Format string `yaml:"format"` // auto = text on a terminal, json otherwise
}

// Drift detects changes of a series by the errors of its model.
type Drift struct {
	Detect      bool    `yaml:"detect"`
	Action      string  `yaml:"action"`       // none, forget, reset_scaler or restart
	FalseAlarms float64 `yaml:"false_alarms"` // rate, per sample of a series that does not change
}

// Anomaly has the settings of alarms.
type Anomaly struct {
	FalseAlarms float64  `yaml:"false_alarms"` // per sample of a series that does not change
	Alarms      string   `yaml:"alarms"`       // N per hour, day, week, month or year, of such a series; instead of FalseAlarms
	NormalAfter int      `yaml:"normal_after"` // samples after which a lasting change is the new normal
	MinDuration int      `yaml:"min_duration"` // consecutive samples above 1 that raise an alarm
	Rules       []string `yaml:"rules"`        // VARIABLE [above|below] [least deviation] [N%]; suppress alarms
	LevelSets   bool     `yaml:"level_sets"`   // also score how unusual the lags are
}

// AlarmsPerDay is Alarms as a number per day; 0 without.
func (a *Anomaly) AlarmsPerDay() (float64, error) {
	if a.Alarms == "" {
		return 0, nil
	}
	count, per, _ := strings.Cut(a.Alarms, " per ")
	n, err := strconv.ParseFloat(strings.TrimSpace(count), 64)
	days := map[string]float64{"hour": 1. / 24, "day": 1, "week": 7, "month": 365.25 / 12, "year": 365.25}[strings.TrimSpace(per)]
	if err != nil || days == 0 || !(n > 0 && n <= 1e6) {
		return 0, fmt.Errorf(`must be a number above 0 per hour, day, week, month or year, such as "1 per week", got %q`, a.Alarms)
	}
	return n / days, nil
}

// AnomalyRule is one of Anomaly.Rules.
type AnomalyRule struct {
	Variable     string
	MinDeviation float64 // from the forecast, in units of the data
	MinRelative  float64 // relative to the size of the forecast
	Direction    int     // 1 above, -1 below, 0 both
}

// ParseAnomalyRule reads "VARIABLE [above|below] [least deviation] [N%]".
func ParseAnomalyRule(text string) (r AnomalyRule, err error) {
	words := strings.Fields(text)
	if len(words) < 2 {
		return r, fmt.Errorf("must be VARIABLE with at least one of above, below, a least deviation, N%%; got %q", text)
	}
	r.Variable = words[0]
	for _, word := range words[1:] {
		percent, relative := strings.CutSuffix(word, "%")
		v, bad := strconv.ParseFloat(percent, 64)
		switch {
		case word == "above":
			r.Direction = 1
		case word == "below":
			r.Direction = -1
		case bad != nil || !(v >= 0) || math.IsInf(v, 0):
			return r, fmt.Errorf("%q in %q is none of above, below, a least deviation >= 0, N%%", word, text)
		case relative:
			r.MinRelative = v / 100
		default:
			r.MinDeviation = v
		}
	}
	return r, nil
}

// Default returns the default settings, the layer below all others.
func Default() *Config {
	return &Config{
		Input: Input{
			Kinds: newKinds(reflect.TypeFor[Input]()), DataFormat: "json", TimeZone: "UTC",
		},
		Output:   Output{Kinds: newKinds(reflect.TypeFor[Output]())},
		Pipeline: Pipeline{Fill: "none", Aggregate: "latest", MaxGap: 1000, Scope: "series", SchemaChangeAfter: 10, MaxSeries: 100_000, MaxDim: 1024, MaxAbs: 1e50},
		Model: Model{
			Type: "auto", Tier: "auto", Order: 3, Horizon: 1, Levels: []float64{.9}, Frequencies: 50,
			Ridge: 100, Forgetting: .9995, Seed: 1, Intervals: "model", TimeZone: "UTC",
			Drift:   Drift{Detect: true, Action: "none", FalseAlarms: 1e-4},
			Anomaly: Anomaly{FalseAlarms: 1e-3, NormalAfter: 300, MinDuration: 1},
			Kernel:  defaultKernel(), Loss: Loss{Name: "squared"}, Optimiser: defaultOptimiser(),
		},
		Evaluate: Evaluate{Window: 1000, Interval: 100},
		State:    State{Interval: 10 * time.Second, Records: 100_000, Rebuild: 100_000, StallTimeout: 5 * time.Minute},
		Server:   Server{Listen: "127.0.0.1:8090"},
		Log:      Log{Level: "info", Format: "auto"},
	}
}
