package format

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/format/timestamp"
	"github.com/orffvar/forecaster/stream/internal/decimal"
)

// ForecastJSON writes forecasts in the layout of JSON samples, so that a reader of samples reads forecasts, too.
// One object per horizon has all variables and their bounds:
//
//	{"host":"web1","time":"2026-01-01T00:00:10Z","cpu":0.5,"cpu_lower":0.4,"cpu_upper":0.6,
//	 "horizon":"1","model":"auto","origin":"2026-01-01T00:00:00Z"}
//
// Horizon, model and origin are text, so that the only numbers beside the time are variables. With several levels
// there is one object per level. A bound that is not calibrated is null.
type ForecastJSON struct {
	levels []float64
	fields []outField // ascending by path
	taken  []string   // names that a variable cannot have: other members use them
	flat   bool       // the variables are members beside the time
}

// outField is a member of the objects.
type outField struct {
	path string
	role role
	key  string // key of the tag, for a tag
}

// NewForecastJSON returns an encoder for readers with the configuration c, which must not
// be Long. levels are engine.Config.Levels.
func NewForecastJSON(c JSONConfig, levels []float64) (*ForecastJSON, error) {
	if c.Long {
		return nil, errors.New("objects of all variables are not long")
	}
	d, err := NewJSON(c)
	if err != nil {
		return nil, err
	}
	e := &ForecastJSON{levels: levels, flat: d.either || d.c.Values == Flat, fields: []outField{{path: d.c.Time, role: timeRole}}}
	if c.Series != "" {
		e.fields = append(e.fields, outField{path: c.Series, role: seriesRole})
	}
	if !e.flat {
		e.fields = append(e.fields, outField{path: d.c.Values, role: valuesRole})
	}
	for _, t := range d.tags {
		e.fields = append(e.fields, outField{path: t.path, role: tagRole, key: t.key})
	}
	slices.SortFunc(e.fields, func(a, b outField) int { return strings.Compare(a.path, b.path) })
	e.taken = []string{"horizon", "level", "model", "origin"}
	for _, f := range e.fields {
		first, _, _ := strings.Cut(f.path, ".")
		e.taken = append(e.taken, first)
	}
	return e, nil
}

// AppendForecast appends the objects of a forecast to dst, and the end of each to ends.
func (e *ForecastJSON) AppendForecast(dst []byte, ends []int, f *stream.Forecast) ([]byte, []int) {
	for k := range max(1, len(e.levels)) {
		w := jsonWriter{dst: append(dst, '{')}
		for _, field := range e.fields {
			if field.role == tagRole {
				i := slices.IndexFunc(f.Series.Tags, func(t stream.Tag) bool { return t.Key == field.key })
				if i >= 0 {
					w.member(field.path)
					w.text(f.Series.Tags[i].Value)
				}
				continue
			}
			w.member(field.path)
			switch field.role {
			case timeRole:
				w.time(f.Time)
			case seriesRole:
				w.text(f.Series.Name)
			case valuesRole:
				w.dst = append(w.dst, '{')
				e.values(&w, f, k, "")
				w.dst = append(w.dst, '}')
			}
		}
		w.member("")
		if e.flat {
			e.values(&w, f, k, ",")
		}
		w.dst = append(w.dst, `,"horizon":"`...)
		w.dst = decimal.Append(w.dst, float64(f.Horizon))
		w.dst = append(w.dst, '"')
		if len(e.levels) > 1 {
			w.dst = append(w.dst, `,"level":"`...)
			w.dst = decimal.Append(w.dst, e.levels[k])
			w.dst = append(w.dst, '"')
		}
		w.dst = append(w.dst, `,"model":`...)
		w.text(f.Model)
		w.dst = append(w.dst, `,"origin":`...)
		w.time(f.Origin)
		dst = append(w.dst, '}')
		ends = append(ends, len(dst))
	}
	return dst, ends
}

// values appends the variables and their bounds.
func (e *ForecastJSON) values(w *jsonWriter, f *stream.Forecast, k int, before string) {
	value := func(name string, v float64) {
		w.dst = append(w.dst, before...)
		before = ","
		w.text(name)
		w.dst = append(w.dst, ':')
		if v-v != 0 {
			w.dst = append(w.dst, "null"...)
		} else {
			w.dst = decimal.Append(w.dst, v)
		}
	}
	for j, name := range f.Series.Variables {
		name = stream.OutputName(name)
		if e.flat && slices.Contains(e.taken, strings.TrimRight(name, "_")) {
			name += "_"
		}
		value(name, f.Yhat[j])
		if f.Reach != nil && k == 0 {
			value(name+"_limit_probability", f.Reach[j])
		}
		if len(e.levels) > 0 {
			value(name+"_lower", f.Lower[k*len(f.Yhat)+j])
			value(name+"_upper", f.Upper[k*len(f.Yhat)+j])
		}
		if f.JointLower != nil && k == 0 {
			value(name+"_lower_joint", f.JointLower[j])
			value(name+"_upper_joint", f.JointUpper[j])
		}
	}
}

// jsonWriter appends members by their paths. Invariant: the paths ascend, so the members of one object are
// neighbours.
type jsonWriter struct {
	dst  []byte
	open []string // names of the open objects, outermost first
	any  bool     // the innermost open object has a member
}

// member begins a member; the empty path closes all objects but the first.
func (w *jsonWriter) member(path string) {
	names := strings.Split(path, ".")
	same := 0
	for same < len(w.open) && same < len(names)-1 && w.open[same] == names[same] {
		same++
	}
	for range w.open[same:] {
		w.dst = append(w.dst, '}')
	}
	w.open = w.open[:same]
	if path == "" {
		return
	}
	for i, name := range names[same:] {
		if w.any && i == 0 {
			w.dst = append(w.dst, ',')
		}
		w.text(name)
		w.dst = append(w.dst, ':')
		if same+i < len(names)-1 {
			w.dst = append(w.dst, '{')
			w.open = append(w.open, name)
		}
	}
	w.any = true
}

func (w *jsonWriter) text(s string) {
	b, err := json.Marshal(s)
	if err != nil {
		panic("format: " + err.Error()) // strings always encode
	}
	w.dst = append(w.dst, b...)
}

func (w *jsonWriter) time(t int64) {
	w.dst = append(timestamp.Append(append(w.dst, '"'), t, timestamp.Auto), '"')
}
