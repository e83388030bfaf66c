package livepage

import (
	"strconv"
	"strings"
)

// number is a number in JSON; NaN and infinities are null.
type number float64

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return appendNumber(nil, float64(n)), nil }

// column is a list of numbers in JSON; NaN and infinities are null.
type column []float64

// MarshalJSON implements json.Marshaler.
func (c column) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, 2+12*len(c))
	b = append(b, '[')
	for i, x := range c {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendNumber(b, x)
	}
	return append(b, ']'), nil
}

func appendNumber(b []byte, x float64) []byte {
	if !finite(x) {
		return append(b, "null"...)
	}
	return strconv.AppendFloat(b, x, 'g', -1, 64)
}

// valid returns s as valid UTF-8, which JSON keeps: a client can send the name back.
func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// seriesMessage lists the series.
type seriesMessage struct {
	Series   []seriesInfo    `json:"series"`
	Seen     int64           `json:"seen"`              // number of series seen, listed or not
	Matches  int             `json:"matches"`           // number of series that match the search, in this list or not
	Known    int             `json:"known"`             // number of series that a search can find
	Ranking  *rankingMessage `json:"ranking,omitempty"` // only in the answer to a search
	Horizons []int           `json:"horizons"`
	Levels   column          `json:"levels"`
	Note     string          `json:"note,omitempty"`
	Limits   limits          `json:"limits"`
}

type seriesInfo struct {
	Name      string   `json:"name"`
	Variables []string `json:"variables"`
	Dim       int      `json:"dim"`     // number of variables, kept or not
	Samples   int64    `json:"samples"` // largest number of kept samples
}

// rankingMessage has the values that clients can sort by, in the order of the last seriesMessage.
type rankingMessage struct {
	Anomaly column `json:"anomaly_score"`        // highest score of the newest samples
	Skill   column `json:"skill_vs_persistence"` // over all variables, at the shortest horizon
}

type limits struct {
	Series    int `json:"series"`
	Variables int `json:"variables"`
	Samples   int `json:"samples"`
	Shown     int `json:"shown"`  // largest number of variables per request
	Listed    int `json:"listed"` // largest number of series that a search can find
}

// windowMessage has samples of a series, and its current forecast.
type windowMessage struct {
	Series    string            `json:"series"`
	Reset     bool              `json:"reset,omitempty"` // the client drops the data of previous messages
	End       int64             `json:"end"`             // number of the next sample
	Horizon   int               `json:"horizon"`         // horizon of the forecasts of the samples
	Time      column            `json:"time"`
	Score     column            `json:"anomaly_score"` // score of each sample
	State     column            `json:"state_score"`   // score of the state at each sample
	Variables []variableMessage `json:"variables"`
	Forecast  *fanMessage       `json:"forecast"`
}

type variableMessage struct {
	Name    string `json:"name"`
	Y       column `json:"y"`
	Yhat    column `json:"yhat"`
	Lower   column `json:"yhat_lower"`
	Upper   column `json:"yhat_upper"`
	Anomaly column `json:"anomaly_score"` // score of the variable alone
	Share   column `json:"share"`         // share of the variable in the score of the sample
}

type fanMessage struct {
	Origin    float64       `json:"origin"`
	Horizon   []int         `json:"horizon"`
	Time      column        `json:"time"`
	Variables []fanVariable `json:"variables"`
}

type fanVariable struct {
	Name  string   `json:"name"`
	Yhat  column   `json:"yhat"`
	Lower []column `json:"yhat_lower"` // one per level
	Upper []column `json:"yhat_upper"`

	JointLower column `json:"yhat_joint_lower,omitempty"` // lower bound of the joint region, if there is one
	JointUpper column `json:"yhat_joint_upper,omitempty"`

	// For a variable with a limit: its lower and upper end, the probability that a value has reached it by each time, and
	// the seconds until this probability exceeds 1/2.
	Limit       column  `json:"limit,omitempty"`
	Reach       column  `json:"limit_probability,omitempty"`
	TimeToLimit *number `json:"time_to_limit,omitempty"`
}

// metricsMessage has the scores of a series.
type metricsMessage struct {
	Series  string         `json:"series"`
	Horizon int            `json:"horizon"`
	Level   *float64       `json:"level"` // nominal coverage
	Scores  []scoreMessage `json:"scores"`
	Past    pastScores     `json:"past"`  // scores over all variables at earlier times
	Every   int            `json:"every"` // number of samples of a series between two scores; 0: there are no scores
}

type scoreMessage struct {
	Target             string `json:"target"`
	N                  int64  `json:"n"`
	MSE                number `json:"mse"`
	RMSE               number `json:"rmse"`
	MAE                number `json:"mae"`
	NMSE               number `json:"nmse"`
	MASE               number `json:"mase"`
	SkillVsPersistence number `json:"skill_vs_persistence"`
	SkillVsVAR         number `json:"skill_vs_var"`
	SCVMSE             number `json:"scv_mse"`
	SCVSD              number `json:"scv_mse_sd"`
	Coverage           number `json:"coverage"`
	Width              number `json:"width"`
	Pinball            number `json:"pinball"`
}

type pastScores struct {
	Time               column `json:"time"`
	SkillVsPersistence column `json:"skill_vs_persistence"`
	SkillVsVAR         column `json:"skill_vs_var"`
	Coverage           column `json:"coverage"`
}

// expertsMessage has the weights of the experts over time.
type expertsMessage struct {
	Series  string   `json:"series"`
	Experts []string `json:"experts"`
	Time    column   `json:"time"`
	Weights []column `json:"weights"` // weights per expert, means over the variables
}

// influenceMessage is the influence matrix of a series.
type influenceMessage struct {
	Series    string   `json:"series"`
	Variables []string `json:"variables"`
	Influence []column `json:"influence"` // [i][j]: influence of variable j on the next value of variable i
}

// insightMessage has the weights of the experts and the influences, for the stream; null: unknown.
type insightMessage struct {
	Experts   *expertsMessage   `json:"experts"`
	Influence *influenceMessage `json:"influence"`
}

// eventMessage is one event of a series.
type eventMessage struct {
	ID     int64   `json:"id"`
	Series string  `json:"series"`
	Time   float64 `json:"time"`
	Kind   string  `json:"kind"`
	Text   string  `json:"text"`

	// Fields of an anomaly.
	Incident *int64 `json:"incident,omitempty"` // id of the first event of the incident
	Phase    string `json:"phase,omitempty"`
}

type eventsMessage struct {
	Events []eventMessage `json:"events"`
}

// statusMessage is the state of the job.
type statusMessage struct {
	Model       string   `json:"model"`
	Working     bool     `json:"working"`
	State       string   `json:"state"` // reason why the job does not work; "": it works
	Records     int64    `json:"records"`
	DeadLetters int64    `json:"dead_letters"`
	Rate        number   `json:"records_per_second"`
	Lag         *int64   `json:"lag"`
	Watermark   *float64 `json:"watermark"`
	Series      int64    `json:"series"`
}

type errorMessage struct {
	Error string `json:"error"`
}
