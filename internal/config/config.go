// Package config reads the configuration of the program: YAML files, then the
// environment, then settings given on the command line, merged over defaults
// and validated as a whole. Of the project it knows only internal/secret and internal/events; what a name
// such as "auto" means is decided in internal/wire.
package config

import (
	"cmp"
	"fmt"
	"math"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/orffvar/forecaster/internal/events"
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

// Input is the source of the samples: exactly one of the pointers is set.
type Input struct {
	Kafka      *Kafka      `yaml:"kafka"`
	File       *FileInput  `yaml:"file"`
	Stdin      *StdinInput `yaml:"stdin"`
	Simulated  *Simulated  `yaml:"simulated"`
	DataFormat string      `yaml:"data_format"` // format of messages: json, influx or csv
	JSON       JSON        `yaml:"json"`
	Influx     Influx      `yaml:"influx"`
	CSV        CSV         `yaml:"csv"`
	TimeZone   string      `yaml:"time_zone"` // zone of times that name none

	// SeriesTags finds tags in the names of series, such as keys: {dc}/{host}.
	SeriesTags string `yaml:"series_tags"`
}

// Kafka is a topic read as a member of a consumer group.
type Kafka struct {
	Brokers        []string `yaml:"brokers"`
	Topics         []string `yaml:"topics"`
	ConsumerGroup  string   `yaml:"consumer_group"`
	Offset         string   `yaml:"offset"`          // oldest or newest: where a group without a checkpoint starts
	IsolationLevel string   `yaml:"isolation_level"` // read_committed or read_uncommitted
	ClientID       string   `yaml:"client_id"`
	KafkaAccess    `yaml:",inline"`
	MaxMessageLen  Size          `yaml:"max_message_len"`
	SessionTimeout time.Duration `yaml:"session_timeout"` // time without a heartbeat after which others take over
}

// KafkaAccess has the credentials of a Kafka client, and the certificates that it trusts.
type KafkaAccess struct {
	SASLMechanism      string      `yaml:"sasl_mechanism"` // "", PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, OAUTHBEARER
	SASLUsername       string      `yaml:"sasl_username"`
	SASLPassword       secret.Text `yaml:"sasl_password"`
	SASLPasswordFile   string      `yaml:"sasl_password_file"`
	SASLTokenFile      string      `yaml:"sasl_token_file"`    // token of OAUTHBEARER, read for each connection
	SASLTokenCommand   []string    `yaml:"sasl_token_command"` // or the program that prints it, and its arguments
	SASLTokenURL       string      `yaml:"sasl_token_url"`     // or where the user name and the password, as those of a client, get it
	SASLScopes         []string    `yaml:"sasl_scopes"`        // that are asked for there
	TLSEnable          bool        `yaml:"tls_enable"`
	TLSCA              string      `yaml:"tls_ca"`
	TLSCert            string      `yaml:"tls_cert"`
	TLSKey             string      `yaml:"tls_key"`
	TLSServerName      string      `yaml:"tls_server_name"`
	InsecureSkipVerify bool        `yaml:"insecure_skip_verify"`
}

func (k *Kafka) setDefaults() {
	k.ConsumerGroup = "forecaster"
	k.Offset = "oldest"
	k.IsolationLevel = "read_committed"
	k.ClientID = "forecaster"
	k.MaxMessageLen = 1 << 20
	k.SessionTimeout = 30 * time.Second
}

// FileInput is a file of CSV, JSON lines, line protocol or Parquet, read once from start to end.
type FileInput struct {
	Path   string  `yaml:"path"`
	Format string  `yaml:"format"` // csv, jsonl, influx or parquet; "" = by the file's name
	Series string  `yaml:"series"` // of rows without one; "" = the file's name without extension
	Sort   bool    `yaml:"sort"`   // sort the lines by time
	Strict bool    `yaml:"strict"` // refuse a file whose format would have to be assumed
	Speed  float64 `yaml:"speed"`  // 1 = the pace of the time stamps, 0 = as fast as possible
}

// StdinInput is standard input, read once to its end.
type StdinInput struct {
	Format string `yaml:"format"` // csv, jsonl or influx
	Series string `yaml:"series"`
}

func (s *StdinInput) setDefaults() { s.Format, s.Series = "jsonl", "stdin" }

// Simulated is synthetic data of a process from the literature.
type Simulated struct {
	Setting  string        `yaml:"setting"` // linear, exponential or sine
	Noise    string        `yaml:"noise"`   // white or toeplitz
	Dim      int           `yaml:"dim"`
	Rows     int           `yaml:"rows"` // 0 = without end
	Seed     uint64        `yaml:"seed"`
	Interval time.Duration `yaml:"interval"` // spacing of the time stamps
	Speed    float64       `yaml:"speed"`
}

func (s *Simulated) setDefaults() {
	s.Setting, s.Noise = "exponential", "white"
	s.Dim, s.Rows, s.Seed = 5, 1000, 1
	s.Interval = time.Second
}

// JSON has the places of the fields in a message: paths are names joined by dots.
type JSON struct {
	Layout        string   `yaml:"layout"`         // wide = all variables in one message, long = one variable per message
	SeriesField   string   `yaml:"series_field"`   // "" = the key of the message; long: unique_id
	Tags          []string `yaml:"tags"`           // paths of what identifies a series instead
	TimeField     string   `yaml:"time_field"`     // "" = time; long: ds
	VariableField string   `yaml:"variable_field"` // long: "" = variable
	ValuesField   string   `yaml:"values_field"`   // "" = values; long: y
	TimeUnit      string   `yaml:"time_unit"`      // unit of a numeric time: auto, s, ms, us or ns
}

// Influx has the series and variables of line protocol.
type Influx struct {
	Series   []string `yaml:"series"` // tags, and _measurement, that identify a series; empty = all
	Ignore   []string `yaml:"ignore"` // tags that are dropped
	Fields   []string `yaml:"fields"` // empty = all numbers and booleans
	TimeUnit string   `yaml:"time_unit"`
}

// CSV is the format of lines of CSV.
type CSV struct {
	Header       []string `yaml:"header"`        // column names of messages, which have no header line
	Comma        string   `yaml:"comma"`         // separator between fields, one character or tab; "" = by the first lines of a file, a comma in messages
	Decimal      string   `yaml:"decimal"`       // decimal separator, "." or ","; "" = by the first lines of a file, a point in messages
	Thousands    string   `yaml:"thousands"`     // separator between groups of three digits
	DateOrder    string   `yaml:"date_order"`    // "" = the year first, dmy or mdy
	SeriesColumn []string `yaml:"series_column"` // columns that name the series; empty = the key of the message
	TimeColumn   string   `yaml:"time_column"`   // "" = the first column
	ClockColumn  string   `yaml:"clock_column"`  // time of day where the time column has the date alone; "" = none
	ValueColumns []string `yaml:"value_columns"` // empty = all others
	Missing      []string `yaml:"missing"`       // spellings besides the empty cell; empty = the usual ones
	TimeUnit     string   `yaml:"time_unit"`     // unit of a numeric time; year = 2026, yyyymmdd = 20260131

	// VariableColumn makes a line hold one variable, whose name this column has.
	VariableColumn string `yaml:"variable_column"`
}

// Pipeline is what happens to samples between input and model.
type Pipeline struct {
	Interval          Interval      `yaml:"interval"`            // spacing of samples; 0 = the running median of the differences
	Wait              time.Duration `yaml:"wait"`                // for late values, in the time of the samples
	WaitForLate       bool          `yaml:"wait_for_late"`       // complete rows wait, too
	Aggregate         string        `yaml:"aggregate"`           // rule for several values of a variable in one row: latest or mean
	Fill              string        `yaml:"fill"`                // substitute for a missing value: none or last
	Variables         []string      `yaml:"variables"`           // of every series; empty = those of its first record
	MaxGap            int           `yaml:"max_gap"`             // longest gap, in samples, that is filled; a longer one drops the lags
	MaxAhead          time.Duration `yaml:"max_ahead"`           // limit of a sample's time after its message's; 0 = none
	Scope             string        `yaml:"scope"`               // series = one model per series, shared = one for all of a partition
	Emit              []int         `yaml:"emit"`                // horizons that are scored and written; empty = all
	SchemaChangeAfter int           `yaml:"schema_change_after"` // consecutive records with equal, new variables after which a series starts again; 0 = never
	MaxSeries         int           `yaml:"max_series"`          // limit of series in a partition
	MaxDim            int           `yaml:"max_dim"`             // limit of variables in a series
	MaxAbs            float64       `yaml:"max_abs"`             // limit of a value's size
}

// Model is the forecaster.
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
	Kernel      Kernel    `yaml:"kernel"`
	Loss        Loss      `yaml:"loss"`
	Optimiser   Optimiser `yaml:"optimiser"`

	// Occurrences are the events of the file Events, which Load reads.
	Occurrences []events.Event `yaml:"-"`
}

// Evaluate has the settings of the scores.
type Evaluate struct {
	Window   int `yaml:"window"`   // recent targets in the scores; 0 = all
	Interval int `yaml:"interval"` // samples per series between two points of scores
}

// Output says where results go; several may be given.
type Output struct {
	InfluxDB    *InfluxDB    `yaml:"influxdb"`
	File        *FileOutput  `yaml:"file"`
	Kafka       *KafkaOutput `yaml:"kafka"`
	Discard     *Discard     `yaml:"discard"`
	DeadLetters *DeadLetters `yaml:"dead_letters"`
}

// InfluxDB is a server of version 1.8 or 2.
type InfluxDB struct {
	URL       string        `yaml:"url"`
	Token     secret.Text   `yaml:"token"` // user:password on 1.8
	TokenFile string        `yaml:"token_file"`
	Org       string        `yaml:"org"`
	Bucket    string        `yaml:"bucket"` // database or database/policy on 1.8
	BatchSize int           `yaml:"batch_size"`
	Timeout   time.Duration `yaml:"timeout"` // limit of a request; failed requests are repeated
	Layout    string        `yaml:"layout"`  // wide = variables are fields, long = a point per variable
	Include   []string      `yaml:"include"` // parts of the points; empty = all
	Every     int           `yaml:"every"`   // samples between two that all horizons are written of
}

func (i *InfluxDB) setDefaults() {
	i.BatchSize = 5000
	i.Layout, i.Every = "wide", 1
	i.Timeout = 30 * time.Second
}

// FileOutput is a file of forecasts.
type FileOutput struct {
	Path   string `yaml:"path"`
	Format string `yaml:"format"` // csv, jsonl, influx or parquet; "" = by the file's name
	// TimeUnit is that of the times in csv: auto = RFC 3339, s = seconds, which
	// also gives integer steps back.
	TimeUnit string `yaml:"time_unit"`

	// Columns are origin and y (what was observed), beside the usual ones, or nixtla.
	// y waits in memory until it is observed.
	Columns []string `yaml:"columns"`
}

func (f *FileOutput) setDefaults() { f.TimeUnit = "auto" }

// Kind returns the format of the file, "" when neither Format nor the extension tells it.
// Standard output is CSV.
func (f *FileOutput) Kind() string {
	if f.Format != "" || f.Path == "-" {
		return cmp.Or(f.Format, "csv")
	}
	switch strings.ToLower(filepath.Ext(f.Path)) {
	case ".csv":
		return "csv"
	case ".jsonl", ".ndjson":
		return "jsonl"
	case ".lp", ".influx", ".line":
		return "influx"
	case ".parquet", ".pq":
		return "parquet"
	}
	return ""
}

// Waits reports whether forecasts wait for their observed value, because the file has the
// column y. No checkpoint has forecasts that wait.
func (f *FileOutput) Waits() bool {
	return f.Kind() == "parquet" || slices.Contains(f.Columns, "y") || slices.Contains(f.Columns, "nixtla")
}

// KafkaOutput is a topic that forecasts are written to.
type KafkaOutput struct {
	Topic   string   `yaml:"topic"`
	Brokers []string `yaml:"brokers"` // empty = those of the input, reached like them
	Layout  string   `yaml:"layout"`  // wide = a message has all variables, long = one

	AnomalyTopic string `yaml:"anomaly_topic"` // for the events of anomalies; "" = none

	// KafkaAccess belongs to Brokers.
	KafkaAccess `yaml:",inline"`
}

func (k *KafkaOutput) setDefaults() { k.Layout = "wide" }

// Discard only counts points.
type Discard struct{}

// DeadLetters keeps copies of refused messages, in a file or a topic of the input's brokers.
type DeadLetters struct {
	Path  string   `yaml:"path"`
	Topic string   `yaml:"topic"`
	Drop  []string `yaml:"drop"` // reasons that are only counted
}

// State is where checkpoints are kept.
type State struct {
	Dir      string        `yaml:"dir"`      // of a single process; neither dir nor topic: every start is from scratch
	Topic    string        `yaml:"topic"`    // Kafka topic, for a consumer group of any number of processes
	Interval time.Duration `yaml:"interval"` // time between checkpoints
	Records  int           `yaml:"records"`  // records between checkpoints, whichever limit comes first

	// StallTimeout is the time without a heartbeat of a partition's work after which the
	// process ends; 0 = never.
	StallTimeout time.Duration `yaml:"stall_timeout"`
}

// Server is the HTTP endpoint.
type Server struct {
	Enabled bool        `yaml:"enabled"`
	Listen  string      `yaml:"listen"`
	Token   secret.Text `yaml:"token"`    // required on other addresses than loopback
	TLSCert string      `yaml:"tls_cert"` // certificate, with those of its issuers behind it
	TLSKey  string      `yaml:"tls_key"`
}

// OnLoopback reports whether only this machine reaches the server.
func (s *Server) OnLoopback() bool {
	host, _, err := net.SplitHostPort(s.Listen)
	return err == nil && isLoopback(host)
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Log is the process's own log.
type Log struct {
	Level  string `yaml:"level"`
	Format string `yaml:"format"` // auto = text on a terminal, json otherwise
}

// Drift detects changes of a series by the errors of its model.
type Drift struct {
	Detect      bool    `yaml:"detect"`
	Action      string  `yaml:"action"`       // none, forget, reset_scaler or restart
	FalseAlarms float64 `yaml:"false_alarms"` // rate, per sample of a series that does not change
}

// Anomaly is the definition of an alarm.
type Anomaly struct {
	FalseAlarms float64  `yaml:"false_alarms"` // per sample of a series that does not change
	NormalAfter int      `yaml:"normal_after"` // samples after which a lasting change is the new normal
	MinDuration int      `yaml:"min_duration"` // consecutive samples above 1 that raise an alarm
	Rules       []string `yaml:"rules"`        // VARIABLE [above|below] [least deviation] [N%]; suppress alarms
	LevelSets   bool     `yaml:"level_sets"`   // also score how unusual the lags are
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
			DataFormat: "json",
			JSON:       JSON{Layout: "wide", TimeUnit: "auto"},
			Influx:     Influx{TimeUnit: "ns"},
			CSV:        CSV{TimeUnit: "auto"},
			TimeZone:   "UTC",
		},
		Pipeline: Pipeline{Fill: "none", Aggregate: "latest", MaxGap: 1000, Scope: "series", SchemaChangeAfter: 10, MaxSeries: 100_000, MaxDim: 1024, MaxAbs: 1e50},
		Model: Model{
			Type: "auto", Tier: "auto", Order: 3, Horizon: 1, Levels: []float64{.9}, Frequencies: 50,
			Ridge: 100, Forgetting: .9995, Seed: 1, Intervals: "model", TimeZone: "UTC",
			Drift:   Drift{Detect: true, Action: "none", FalseAlarms: 1e-4},
			Anomaly: Anomaly{FalseAlarms: 1e-3, NormalAfter: 300, MinDuration: 1},
			Kernel:  defaultKernel(), Loss: Loss{Name: "squared"}, Optimiser: defaultOptimiser(),
		},
		Evaluate: Evaluate{Window: 1000, Interval: 100},
		State:    State{Interval: 10 * time.Second, Records: 100_000, StallTimeout: 5 * time.Minute},
		Server:   Server{Listen: "127.0.0.1:8090"},
		Log:      Log{Level: "info", Format: "auto"},
	}
}
