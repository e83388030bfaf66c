package grafana

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/testserver"
)

// A server answers the queries of a dashboard.
type server interface {
	// values are those of a variable.
	values(query string) []string
	// ask returns the number of rows, or points, that the query of a panel returns, and the numbers of its columns.
	ask(query string, a asked) (rows int, numbers []float64)
}

// asked says for which kind of panel, range of time and columns a query is asked. Without columns: those of the values.
type asked struct {
	kind     string
	from, to time.Time
	columns  []string
}

type fluxServer struct {
	t      *testing.T
	db     *testserver.InfluxDB
	bucket string
}

func (s *fluxServer) query(flux string) []map[string]string {
	return s.db.Query(strings.ReplaceAll(flux, "v.defaultBucket", fmt.Sprintf("%q", s.bucket)))
}

func (s *fluxServer) values(query string) (all []string) {
	for _, r := range s.query(query) {
		all = append(all, r["_value"])
	}
	return all
}

func (s *fluxServer) ask(query string, a asked) (n int, numbers []float64) {
	rows := s.query(query)
	for _, r := range rows {
		for _, c := range a.columns {
			if r[c] != "" {
				numbers = append(numbers, number(s.t, r[c]))
			}
		}
		if v, err := strconv.ParseFloat(r["_value"], 64); err == nil && a.columns == nil {
			numbers = append(numbers, v)
		}
	}
	return len(rows), numbers
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

type influxServer struct {
	t  *testing.T
	db *testserver.InfluxDB
}

// query returns the rows of an InfluxQL query, of all series, and the names of its columns.
func (s *influxServer) query(query string) (rows [][]any, columns []string) {
	s.t.Helper()
	resp, err := http.PostForm(s.db.URL+"/query", url.Values{"db": {"forecasts"}, "q": {query}})
	if err != nil {
		s.t.Fatal(err)
	}
	defer resp.Body.Close()
	var answer struct {
		Error   string
		Results []struct {
			Error  string
			Series []struct {
				Columns []string
				Values  [][]any
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil || answer.Error != "" || answer.Results[0].Error != "" {
		s.t.Fatalf("%+v %v\n%s", answer, err, query)
	}
	for _, series := range answer.Results[0].Series {
		rows, columns = append(rows, series.Values...), series.Columns
	}
	return rows, columns
}

func (s *influxServer) values(query string) (all []string) {
	rows, _ := s.query(query)
	for _, r := range rows {
		value := r[0]
		if strings.Contains(query, "TAG VALUES") {
			value = r[1] // behind the name of the tag
		}
		all = append(all, fmt.Sprint(value))
	}
	return all
}

func (s *influxServer) ask(query string, a asked) (n int, numbers []float64) {
	rows, columns := s.query(query)
	for _, r := range rows {
		for i := 1; i < len(columns); i++ { // behind the time
			if v, ok := r[i].(float64); ok && (a.columns == nil || slices.Contains(a.columns, columns[i])) {
				numbers = append(numbers, v)
			}
		}
	}
	return len(rows), numbers
}

type promServer struct {
	t  *testing.T
	db *testserver.VictoriaMetrics
}

// values asks as Grafana does for label_values(metric, label) and label_names(metric).
func (s *promServer) values(query string) (all []string) {
	now := time.Now()
	if m := regexp.MustCompile(`^label_names\((.*)\)$`).FindStringSubmatch(query); m != nil {
		s.db.Get("labels", url.Values{"match[]": {m[1]}, "start": {fmt.Sprint(now.Add(-time.Hour).Unix())}}, &all)
		return all
	}
	m := regexp.MustCompile(`^label_values\((.*), (\w+)\)$`).FindStringSubmatch(query)
	s.db.Get("label/"+m[2]+"/values", url.Values{"match[]": {m[1]}, "start": {fmt.Sprint(now.Add(-time.Hour).Unix())}}, &all)
	return all
}

func (s *promServer) ask(query string, a asked) (n int, numbers []float64) {
	if a.kind != line {
		all := s.db.Query(query, a.to, a.to, 0)
		for _, series := range all {
			numbers = append(numbers, number(s.t, fmt.Sprint(series.Value[1])))
		}
		return len(all), numbers
	}
	for _, series := range s.db.Query(query, a.from, a.to, window) {
		for _, v := range series.Values {
			numbers = append(numbers, number(s.t, fmt.Sprint(v[1])))
		}
	}
	return len(numbers), numbers
}
