// Package grafana has the dashboards and what provisions them. Its tests check
// their structure and run every query against a real InfluxDB.
package grafana

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

type dashboard struct {
	UID, Title, Description string
	Time                    struct{ From, To string }
	Templating              struct{ List []variable }
	Panels                  []panel
	Annotations             struct{ List []annotation }
	Links                   []struct{ Tags []string }
	Tags                    []string
}

type variable struct {
	Name, Label, Type, Regex string
	IncludeAll, Multi        bool
	Datasource               *datasource
	Query                    json.RawMessage
	Definition               string
	Current                  struct{ Value json.RawMessage }
}

type annotation struct {
	Name, IconColor string
	Datasource      datasource
	Target          struct{ RefID, Query string }
}

type datasource struct{ Type, UID string }

type panel struct {
	ID                       int
	Title, Description, Type string
	Datasource               datasource
	GridPos                  struct{ X, Y, W, H int }
	Targets                  []struct {
		RefID, Query, Expr string
		Datasource         datasource
	}
	FieldConfig struct {
		Defaults struct {
			Unit, DisplayName string
			Color, Thresholds map[string]any
		}
	}
}

// read returns the dashboards of a language, by the name of the file.
func (l *language) read(t *testing.T) map[string]dashboard {
	t.Helper()
	all := make(map[string]dashboard)
	for i := range boards {
		name := boards[i].uid + ".json"
		text, err := os.ReadFile(filepath.Join("dashboards"+l.suffix(), name))
		if err != nil {
			t.Fatal(err)
		}
		var d dashboard
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = d
	}
	return all
}

// TestGenerated compares the dashboards with what boards_test.go says. UPDATE_DOCS=1 writes
// them.
func TestGenerated(t *testing.T) {
	for i := range languages {
		l := &languages[i]
		folder := "dashboards" + l.suffix()
		for j := range boards {
			path := filepath.Join(folder, boards[j].uid+".json")
			text := l.dashboard(&boards[j])
			if os.Getenv("UPDATE_DOCS") != "" {
				if err := os.MkdirAll(folder, 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, text, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != string(text) {
				t.Errorf("%s is out of date: UPDATE_DOCS=1 go test ./configs/grafana -run Generated", path)
			}
		}
		if files, err := os.ReadDir(folder); err != nil || len(files) != len(boards) {
			t.Errorf("%d files in %s, %v", len(files), folder, err)
		}
	}
}

// text returns the query of a variable.
func (v *variable) text(t *testing.T) string {
	t.Helper()
	var q struct{ Query string }
	if err := json.Unmarshal(v.Query, &q); err != nil {
		t.Fatalf("variable %s: %v", v.Name, err)
	}
	return q.Query
}

func TestStructure(t *testing.T) {
	for i := range languages {
		t.Run(languages[i].name, func(t *testing.T) { testStructure(t, &languages[i]) })
	}
}

func testStructure(t *testing.T, l *language) {
	uids := make(map[string]string)
	for name, d := range l.read(t) {
		t.Run(name, func(t *testing.T) {
			if other := uids[d.UID]; other != "" || !regexp.MustCompile(`^forecaster-[a-z]+`+l.suffix()+`$`).MatchString(d.UID) {
				t.Errorf("uid %q (also of %q)", d.UID, other)
			}
			uids[d.UID] = name
			if d.Title == "" || d.Description == "" || !slices.Contains(d.Tags, "forecaster"+l.suffix()) || len(d.Links) == 0 {
				t.Error("title, description, tag or link is missing")
			}
			want := datasource{l.source, "${datasource}"}
			vars := d.Templating.List
			if len(vars) == 0 || vars[0].Name != "datasource" || vars[0].Type != "datasource" {
				t.Error("the first variable is not the data source")
			}
			names := make(map[string]bool)
			for _, v := range vars {
				if names[v.Name] || v.Label == "" {
					t.Errorf("variable %q is there twice, or has no label", v.Name)
				}
				names[v.Name] = true
				if v.Type == "query" && (v.Datasource == nil || *v.Datasource != want || v.text(t) != v.Definition) {
					t.Errorf("variable %s: data source %v, query %q", v.Name, v.Datasource, v.Definition)
				}
			}
			if len(d.Annotations.List) == 0 && l.events != nil {
				t.Error("no annotations")
			}
			for _, a := range d.Annotations.List {
				if a.Name == "" || a.IconColor == "" || a.Datasource != want || a.Target.Query == "" {
					t.Errorf("annotation %+v", a)
				}
			}
			ids := make(map[int]bool)
			for i, p := range d.Panels {
				if ids[p.ID] || p.ID <= 0 {
					t.Errorf("panel %q has the id %d", p.Title, p.ID)
				}
				ids[p.ID] = true
				if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" || len(p.Targets) == 0 {
					t.Errorf("panel %d %q: title, description, unit or query is missing", p.ID, p.Title)
				}
				if f := p.FieldConfig.Defaults; p.Type == stat && f.Color == nil && f.Thresholds == nil {
					t.Errorf("panel %q: Grafana paints a number from 80 on red", p.Title)
				} else if strings.Count(f.DisplayName, "${") > 1 && strings.Contains(f.DisplayName[2:strings.Index(f.DisplayName, "}")], "${") {
					t.Errorf("panel %q: Grafana puts in no variable inside of another: %s", p.Title, f.DisplayName)
				}
				g := p.GridPos
				if g.X < 0 || g.Y < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
					t.Errorf("panel %q is at %+v", p.Title, g)
				}
				for _, q := range d.Panels[:i] {
					o := q.GridPos
					if g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
						t.Errorf("panels %q and %q overlap", p.Title, q.Title)
					}
				}
				refs := make(map[string]bool)
				for _, q := range p.Targets {
					if refs[q.RefID] || q.RefID == "" || q.Datasource != want {
						t.Errorf("panel %q: query %q of the data source %v", p.Title, q.RefID, q.Datasource)
					}
					refs[q.RefID] = true
					for _, m := range regexp.MustCompile(`\$\{(\w+)`).FindAllStringSubmatch(q.Query+q.Expr, -1) {
						if !names[m[1]] && m[1] != "__from" {
							t.Errorf("panel %q uses the variable %s, which is not defined", p.Title, m[1])
						}
					}
				}
				if p.Datasource != want {
					t.Errorf("panel %q has the data source %v", p.Title, p.Datasource)
				}
			}
		})
	}
	d := l.read(t)["forecast.json"]
	if d.Time.From != "now-1h" || d.Time.To != "now+15m" {
		t.Errorf("the forecast dashboard shows %s to %s: the future must be visible", d.Time.From, d.Time.To)
	}
	var names []string
	for _, v := range d.Templating.List {
		names = append(names, v.Name)
	}
	if want := []string{"datasource", "tag", "value", "tag2", "value2", "variable", "horizon", "model"}; !slices.Equal(names, want) {
		t.Errorf("variables %v, want %v", names, want)
	}
}

func readProvisioning(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("provisioning", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func TestProvisioning(t *testing.T) {
	var sources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			UID, Type, URL string
			JSONData       map[string]any    `yaml:"jsonData"`
			SecureJSONData map[string]string `yaml:"secureJsonData"`
		}
	}
	readProvisioning(t, "datasources/influxdb.yaml", &sources)
	if len(sources.Datasources) != 1 || sources.APIVersion != 1 {
		t.Fatalf("%+v", sources)
	}
	s := sources.Datasources[0]
	if s.UID != "forecaster-influxdb" || s.Type != "influxdb" || s.JSONData["version"] != "Flux" || s.SecureJSONData["token"] != "${INFLUX_TOKEN}" {
		t.Errorf("%+v", s)
	}
	for name, d := range languages[0].read(t) {
		if got := d.Templating.List[0].Current.Value; string(got) != `"`+s.UID+`"` {
			t.Errorf("%s begins with the data source %s, want %s", name, got, s.UID)
		}
	}
	var boards struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
	readProvisioning(t, "dashboards/forecaster.yaml", &boards)
	compose, err := os.ReadFile("../../docker-compose.yml")
	if err != nil {
		t.Fatal(err)
	}
	if len(boards.Providers) != 1 || !strings.Contains(string(compose), "./configs/grafana/dashboards:"+boards.Providers[0].Options.Path+":ro") {
		t.Errorf("%+v does not fit docker-compose.yml", boards)
	}
}
