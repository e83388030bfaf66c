// Package config reads the configuration of the program. It merges YAML files, the environment, and settings of the
// command line over the defaults, and validates the result as a whole. internal/wire declares the settings of inputs,
// outputs and formats, and has the types behind names such as "auto".
package config

import (
	"fmt"
	"math"
	"net"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/orffvar/forecaster/eval/calendar"
	"github.com/orffvar/forecaster/internal/secret"
)

// Config has all settings. The yaml tags are the keys; docs/configuration.md describes them for users.
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

// Input is the source of the samples: one kind of input, and the settings of the formats.
type Input struct {
	Kinds
	DataFormat string `yaml:"data_format"` // format of messages
	TimeFormat string `yaml:"time_format"` // layout or unit of the times; "": detected
	TimeZone   string `yaml:"time_zone"`   // zone of times without a zone

	// SeriesTags is a pattern that extracts tags from the names of series, such as keys: {dc}/{host}.
	SeriesTags string `yaml:"series_tags"`
}

// Pipeline has the settings of the steps between input and model.
type Pipeline struct {
	Interval          Interval      `yaml:"interval"`            // spacing of samples; 0: running median of the differences
	Wait              time.Duration `yaml:"wait"`                // waiting time for late values, in the time of the samples
	WaitForLate       bool          `yaml:"wait_for_late"`       // complete rows wait for late values, too
	Aggregate         string        `yaml:"aggregate"`           // rule for several values of a variable in one row: latest or mean
	Fill              string        `yaml:"fill"`                // value in place of a missing one: none or last
	Variables         []string      `yaml:"variables"`           // names of the variables of every series, in their order; empty: those of the first record
	Rate              []string      `yaml:"rate"`                // names of counters, which are converted to rates per second
	Missing           []string      `yaml:"missing"`             // numbers that mark a missing value; none: no number does
	MaxGap            int           `yaml:"max_gap"`             // longest gap, in samples, that is filled; a longer gap drops the lags
	MaxAhead          time.Duration `yaml:"max_ahead"`           // longest time by which a sample may be ahead of its message; 0: no limit
	Scope             string        `yaml:"scope"`               // series: one model per series; shared: one model per partition
	Emit              []int         `yaml:"emit"`                // horizons that are scored and written; empty: all
	SchemaChangeAfter int           `yaml:"schema_change_after"` // number of consecutive records with equal, new variables that restart a series; 0: never
	MaxSeries         int           `yaml:"max_series"`          // largest number of series in a partition
	MaxDim            int           `yaml:"max_dim"`             // largest number of variables in a series
	MaxAbs            float64       `yaml:"max_abs"`             // largest absolute value
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
	Tier        string    `yaml:"tier"`        // for auto: full, light, tiny, or auto, which chooses by memory
	Memory      Size      `yaml:"memory"`      // bytes for all models; 0: derived from the memory of the machine
	Order       int       `yaml:"order"`       // number of lags
	Horizon     int       `yaml:"horizon"`     // number of steps ahead
	Levels      []float64 `yaml:"levels"`      // coverage levels of the intervals
	Experts     []string  `yaml:"experts"`     // members of auto besides persistence; empty: all
	Season      int       `yaml:"season"`      // length of a season in steps; 0: auto estimates it
	SeasonTime  Interval  `yaml:"season_time"` // length of a season as a time
	Frequencies int       `yaml:"frequencies"`
	Bandwidth   float64   `yaml:"bandwidth"` // 0: derived from the running median of distances
	Ridge       Ridge     `yaml:"ridge"`
	Forgetting  float64   `yaml:"forgetting"`
	Seed        uint64    `yaml:"seed"`
	Intervals   string    `yaml:"intervals"` // model: intervals of the model; or quantile
	Influence   bool      `yaml:"influence"` // estimate the influence of each variable on each other
	Anomaly     Anomaly   `yaml:"anomaly"`
	Joint       bool      `yaml:"joint"` // add a joint region of all variables
	Drift       Drift     `yaml:"drift"`
	Exogenous   []string  `yaml:"exogenous"`    // names of inputs that are not forecast
	Calendar    []string  `yaml:"calendar"`     // inputs from the calendar: hour, weekday, month
	TimeZone    string    `yaml:"time_zone"`    // time zone of the calendar
	Events      string    `yaml:"events"`       // file of known events
	NonNegative []string  `yaml:"non_negative"` // names of variables that cannot be negative
	Bounds      []string  `yaml:"bounds"`       // VARIABLE [>= LOW] [<= HIGH]
	Limits      []string  `yaml:"limits"`       // VARIABLE [>= LOW] [<= HIGH]: range that a variable should not leave
	Kernel      Kernel    `yaml:"kernel"`
	Loss        Loss      `yaml:"loss"`
	Optimiser   Optimiser `yaml:"optimiser"`

	// Occurrences are the events in the file Events. Load reads them.
	Occurrences []calendar.Event `yaml:"-"`
}

// Evaluate has the settings of the scores.
type Evaluate struct {
	Window   int `yaml:"window"`                 // number of recent targets in the scores; 0: all
	Interval int `yaml:"interval" reload:"live"` // number of samples per series between two scores
}

// Output has the destinations of the results; several kinds may be given.
type Output struct {
	Kinds
	DeadLetters *DeadLetters `yaml:"dead_letters"`
}

// DeadLetters keeps copies of rejected messages, in a file or in a topic on the brokers of the input.
type DeadLetters struct {
	Path  string   `yaml:"path"`
	Topic string   `yaml:"topic"`
	Drop  []string `yaml:"drop"` // reasons of messages that are counted and not copied
}

// State has the place of the checkpoints, and the times at which they are written.
type State struct {
	Dir      string        `yaml:"dir"`                    // folder, for a single process; without dir and topic every start is from scratch
	Topic    string        `yaml:"topic"`                  // Kafka topic, for a consumer group with any number of processes
	Interval time.Duration `yaml:"interval" reload:"live"` // time between checkpoints
	Records  int           `yaml:"records" reload:"live"`  // number of records between checkpoints; the first of the two limits counts

	// Rebuild is the number of messages that are learnt again, without output, if an update of the program has made a
	// checkpoint unreadable. 0: refuse to start.
	Rebuild int `yaml:"rebuild"`

	// StallTimeout is the time without a heartbeat of a partition after which the process exits. 0: never.
	StallTimeout time.Duration `yaml:"stall_timeout"`
}

// Server is the HTTP endpoint.
type Server struct {
	Enabled bool        `yaml:"enabled"`
	Listen  string      `yaml:"listen"`
	Token   secret.Text `yaml:"token" reload:"live"` // required on addresses other than loopback
	TLSCert string      `yaml:"tls_cert"`            // certificate, followed by the certificates of its issuers
	TLSKey  string      `yaml:"tls_key"`
}

// OnLoopback reports whether only this machine can reach the server.
func (s *Server) OnLoopback() bool {
	host, _, err := net.SplitHostPort(s.Listen)
	return err == nil && IsLoopback(host)
}

// IsLoopback reports whether host is a loopback address.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Log is the process's own log.
type Log struct {
	Level  string `yaml:"level" reload:"live"`
	Format string `yaml:"format"` // auto: text on a terminal, otherwise json
}

// Drift detects changes of a series from the errors of its model.
type Drift struct {
	Detect      bool    `yaml:"detect"`
	Action      string  `yaml:"action"`       // none, forget, reset_scaler or restart
	FalseAlarms float64 `yaml:"false_alarms"` // false alarms per sample of a series without changes
}

// Anomaly has the settings of alarms.
type Anomaly struct {
	FalseAlarms float64  `yaml:"false_alarms"` // false alarms per sample of a series without changes
	Alarms      string   `yaml:"alarms"`       // instead of FalseAlarms: N per hour, day, week, month or year, for such a series
	NormalAfter int      `yaml:"normal_after"` // number of samples after which a lasting change becomes normal
	MinDuration int      `yaml:"min_duration"` // number of consecutive samples above 1 that raise an alarm
	Rules       []string `yaml:"rules"`        // VARIABLE [above|below] [least deviation] [N%]: suppress alarms
	LevelSets   bool     `yaml:"level_sets"`   // also score the rarity of the lags
}

// AlarmsPerDay returns Alarms as a number per day; 0 if Alarms is not set.
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
	MinDeviation float64 // least deviation from the forecast, in units of the data
	MinRelative  float64 // least deviation relative to the size of the forecast
	Direction    int     // 1: above, -1: below, 0: both
}

// ParseAnomalyRule reads "VARIABLE [above|below] [least deviation] [N%]". A name with blanks is in quotes: without them,
// a misspelt word would be a part of the name.
func ParseAnomalyRule(text string) (r AnomalyRule, err error) {
	var rest string
	r.Variable, rest = cutName(strings.TrimSpace(text))
	words := strings.Fields(rest)
	if len(words) == 0 {
		return r, fmt.Errorf("must be VARIABLE with at least one of above, below, a least deviation, N%%; got %q", text)
	}
	for _, word := range words {
		percent, relative := strings.CutSuffix(word, "%")
		v, bad := strconv.ParseFloat(percent, 64)
		switch {
		case word == "above":
			r.Direction = 1
		case word == "below":
			r.Direction = -1
		case bad != nil || !(v >= 0) || math.IsInf(v, 0):
			return r, fmt.Errorf("%q in %q is none of above, below, a least deviation >= 0, N%%; put a name with blanks in quotes", word, text)
		case relative:
			r.MinRelative = v / 100
		default:
			r.MinDeviation = v
		}
	}
	return r, nil
}

// cutName returns the first word of a text, or what stands in the quotes at its beginning, and the rest.
func cutName(text string) (name, rest string) {
	if text != "" && strings.Contains("\"'", text[:1]) {
		if name, rest, closed := strings.Cut(text[1:], text[:1]); closed {
			return name, rest
		}
	}
	end := strings.IndexFunc(text, unicode.IsSpace)
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
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
