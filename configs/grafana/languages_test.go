package grafana

import (
	"encoding/json"
	"maps"
	"strings"
)

// language is one of the query languages that the dashboards are made in.
type language struct {
	name   string // of the folder, behind "dashboards-", and in uids; "" for Flux
	source string // type of the data source
	query  func(q boardQuery) string

	variables map[string]boardVariable
	events    func(series bool, drift string) string // query of an annotation; nil = none
	legends   map[string]legend
}

// legend is how a graph gets its name: by the template of a field, or by a part of the target.
type legend struct {
	name   string
	target object
}

// boardVariable asks for the values of a variable.
type boardVariable struct {
	label, query, regex string
	sort                int // 1 = alphabetical, 3 = numerical
	all                 bool
}

func fluxValues(tag, measurement, filter string) string {
	return "import \"influxdata/influxdb/v1\"\n\nv1.tagValues(bucket: v.defaultBucket, tag: \"" + tag + "\", predicate: (r) => r._measurement == \"" + measurement + "\"" + filter + ", start: -7d)"
}

// labelled adds the labels that are the same in all languages.
func labelled(queries map[string]string, variableRegex, tagRegex string) map[string]boardVariable {
	v := map[string]boardVariable{
		"tag": {label: "Tag", sort: 1, regex: tagRegex}, "value": {label: "is", sort: 1},
		"tag2": {label: "and tag", sort: 1, regex: tagRegex}, "value2": {label: "is", sort: 1, all: true},
		"variable": {label: "Variable", sort: 1, regex: variableRegex}, "horizon": {label: "Horizon", sort: 3},
		"model": {label: "Model", sort: 1}, "target": {label: "Target", sort: 1}, "models": {label: "Models", sort: 1, all: true},
	}
	for name, q := range queries {
		x := v[name]
		x.query = q
		v[name] = x
	}
	return v
}

const fluxTags = "import \"influxdata/influxdb/v1\"\n\nv1.tagKeys(bucket: v.defaultBucket, predicate: (r) => r._measurement == \"observation\", start: -7d)"

var languages = []language{
	{
		source: "influxdb", query: func(q boardQuery) string { return q.flux },
		legends: map[string]legend{fieldLegend: {name: "${__field.labels._field}"}, tagLegend: {name: "${__field.labels.tag}"}},
		variables: labelled(map[string]string{
			"tag": fluxTags, "value": fluxValues("${tag}", "observation", ""), "tag2": fluxTags, "value2": fluxValues("${tag2}", "observation", ""),
			"variable": fluxValues("_field", "forecast", ` and r["${tag}"] == "${value}"`),
			"horizon":  fluxValues("horizon", "forecast", ` and r["${tag}"] == "${value}"`), "model": fluxValues("model", "forecast", ""),
			"target": fluxValues("target", "forecast_metrics", ` and r["${tag}"] == "${value}"`), "models": fluxValues("model", "forecast_metrics", ""),
		}, "/^(.*)_upper$/", "/^([^_].*)$/"),
		events: func(series bool, drift string) string {
			filter := `r._field == "text" and r.kind ` + drift + ` "drift"`
			if series {
				filter += ` and ((` + fluxSeries + `) or r.id == "_all")`
			}
			return fluxOf("forecast_events", filter) + "  |> group()\n  |> map(fn: (r) => ({time: r._time, title: r.kind, text: r._value, tags: r.kind}))"
		},
	},
	{
		name: "influxql", source: "influxdb", query: func(q boardQuery) string { return q.influxql },
		legends: map[string]legend{fieldLegend: {target: object{"alias": "$col"}}, tagLegend: {target: object{"alias": "$tag_${tag}"}}},
		variables: labelled(map[string]string{
			"tag": `SHOW TAG KEYS FROM "observation"`, "value": `SHOW TAG VALUES FROM "observation" WITH KEY = "${tag}"`,
			"tag2": `SHOW TAG KEYS FROM "observation"`, "value2": `SHOW TAG VALUES FROM "observation" WITH KEY = "${tag2}"`,
			"variable": `SHOW FIELD KEYS FROM "forecast"`,
			"horizon":  `SHOW TAG VALUES FROM "forecast" WITH KEY = "horizon" WHERE "${tag}" = '${value}'`, "model": `SHOW TAG VALUES FROM "forecast" WITH KEY = "model"`,
			"target": `SHOW TAG VALUES FROM "forecast_metrics" WITH KEY = "target" WHERE "${tag}" = '${value}'`, "models": `SHOW TAG VALUES FROM "forecast_metrics" WITH KEY = "model"`,
		}, "/^(.*)_upper$/", ""),
		events: func(series bool, drift string) string {
			filter := ""
			if series {
				filter = ` AND (` + influxSeries + ` OR "id" = '_all')`
			}
			return `SELECT "text", "kind" FROM "forecast_events" WHERE $timeFilter AND "kind" ` + strings.Replace(drift, "==", "=", 1) + ` 'drift'` + filter
		},
	},
	{
		name: "promql", source: "prometheus", query: func(q boardQuery) string { return q.promql },
		legends: map[string]legend{fieldLegend: {target: object{"legendFormat": "{{__name__}}"}}, tagLegend: {target: object{"legendFormat": "{{${tag}}}"}}},
		variables: labelled(map[string]string{
			"tag": "label_names(observation_anomaly_score)", "value": "label_values(observation_anomaly_score, ${tag})",
			"tag2": "label_names(observation_anomaly_score)", "value2": "label_values(observation_anomaly_score, ${tag2})",
			"variable": `label_values({__name__=~"forecast_.+_upper",${tag}="${value}"}, __name__)`,
			"horizon":  `label_values({__name__=~"forecast_.+_upper",${tag}="${value}"}, horizon)`, "model": `label_values({__name__=~"forecast_.+_upper"}, model)`,
			"target": `label_values(forecast_metrics_mse{${tag}="${value}"}, target)`, "models": "label_values(forecast_metrics_mse, model)",
		}, "/^forecast_(.+)_upper$/", "/^([^_].*)$/"),
	},
}

// suffix is "-" and the name of a language that is not the first.
func (l *language) suffix() string {
	if l.name == "" {
		return ""
	}
	return "-" + l.name
}

type object = map[string]any

// dashboard makes the JSON of a board.
func (l *language) dashboard(b *board) []byte {
	source := object{"type": l.source, "uid": "${datasource}"}
	current := object{}
	if l.name == "" {
		current = object{"text": "Forecasts", "value": "forecaster-influxdb"}
	}
	variables := []object{{
		"name": "datasource", "label": "Data source", "type": "datasource", "query": l.source, "regex": "", "current": current,
		"hide": 0, "includeAll": false, "multi": false, "refresh": 1,
	}}
	for _, name := range b.variables {
		v := l.variables[name]
		x := object{
			"name": strings.TrimSuffix(name, "s"), "label": v.label, "type": "query", "datasource": source, "query": object{"query": v.query, "refId": name},
			"definition": v.query, "refresh": 2, "sort": v.sort, "includeAll": v.all, "multi": v.all, "hide": 0, "regex": v.regex,
		}
		if v.all {
			x["current"] = object{"text": "All", "value": []string{"$__all"}}
		}
		variables = append(variables, x)
	}
	annotations := []object{}
	if l.events != nil {
		for _, a := range []struct{ name, colour, drift string }{{"Drift", "orange", "=="}, {"Other events", "blue", "!="}} {
			annotations = append(annotations, object{
				"name": a.name, "datasource": source, "enable": true, "hide": false, "iconColor": a.colour,
				"target": l.target("Anno", l.events(b.events != "", a.drift), "table"), "textColumn": "text", "titleColumn": "kind",
			})
		}
	}
	panels := []object{}
	x, y, height := 0, 0, 0
	for i := range b.panels {
		p := &b.panels[i]
		targets := []object{}
		for k, q := range p.queries {
			if text := l.query(q); text != "" {
				target := l.target(string(rune('A'+k)), text, p.kind)
				target["datasource"] = source
				maps.Copy(target, l.legends[p.legend].target)
				targets = append(targets, target)
			}
		}
		if len(targets) == 0 {
			continue
		}
		if x+p.w > 24 {
			x, y, height = 0, y+height, 0
		}
		panel := object{
			"id": i + 1, "title": p.title, "description": p.description, "type": p.kind, "datasource": source, "targets": targets,
			"gridPos": object{"x": x, "y": y, "w": p.w, "h": p.h}, "fieldConfig": l.fields(p), "options": l.options(p),
		}
		if p.legend == fieldLegend && l.legends[fieldLegend].name == "" { // take away what the query and the measurement add
			panel["transformations"] = []object{{"id": "renameByRegex", "options": object{
				"regex": "/^(?:last_|mean_|observation_|forecast_experts_)(.+?)(?:_share)?$/", "renamePattern": "$1",
			}}}
		}
		panels = append(panels, panel)
		x, height = x+p.w, max(height, p.h)
	}
	tag := "forecaster" + l.suffix()
	text, err := json.MarshalIndent(object{
		"uid": "forecaster-" + b.uid + l.suffix(), "title": b.title, "description": b.description, "tags": []string{tag},
		"schemaVersion": 41, "version": 1, "editable": true, "graphTooltip": 1, "timezone": "browser", "refresh": b.refresh,
		"time": object{"from": b.from, "to": b.to}, "templating": object{"list": variables}, "annotations": object{"list": annotations}, "panels": panels,
		"links": []object{{"title": "Forecaster", "type": "dashboards", "tags": []string{tag}, "asDropdown": true, "includeVars": true, "keepTime": true, "icon": "external link"}},
	}, "", " ")
	if err != nil {
		panic(err) // of strings and numbers
	}
	return append(text, '\n')
}

// target is a query as the data source stores it.
func (l *language) target(ref, query, kind string) object {
	switch l.name {
	case "influxql":
		format := "time_series"
		if kind == table {
			format = "table"
		}
		return object{"refId": ref, "query": query, "rawQuery": true, "resultFormat": format}
	case "promql":
		if kind == line {
			return object{"refId": ref, "expr": query, "range": true}
		}
		return object{"refId": ref, "expr": query, "instant": true, "format": "table"}
	}
	return object{"refId": ref, "query": query}
}

func property(id string, value any) object { return object{"id": id, "value": value} }

func colour(name string) object {
	return property("color", object{"mode": "fixed", "fixedColor": name})
}

// fields is how the values of a panel look.
func (l *language) fields(p *boardPanel) object {
	defaults := object{"unit": p.unit}
	overrides := []object{}
	named := func(regex string, properties ...object) {
		overrides = append(overrides, object{"matcher": object{"id": "byRegexp", "options": regex}, "properties": properties})
	}
	of := func(ref string, properties ...object) {
		overrides = append(overrides, object{"matcher": object{"id": "byFrameRefID", "options": ref}, "properties": properties})
	}
	if p.zero {
		defaults["noValue"] = "0"
	}
	name := p.legend
	if own, ok := l.legends[p.legend]; ok {
		name = own.name
	}
	if name != "" {
		defaults["displayName"] = name
	}
	custom := object{"drawStyle": "line", "lineWidth": 2, "fillOpacity": 0, "showPoints": "never", "spanNulls": false}
	if p.points {
		custom = object{"drawStyle": "points", "showPoints": "always", "pointSize": 8}
	}
	if p.limit != nil { // without one, Grafana's is 80
		defaults["thresholds"] = object{"mode": "absolute", "steps": []object{{"color": p.limit.below, "value": nil}, {"color": p.limit.above, "value": p.limit.at}}}
		custom["thresholdsStyle"] = object{"mode": "line"}
	}
	switch {
	case p.kind == line:
		defaults["custom"] = custom
	case p.kind == stat && p.limit == nil:
		defaults["color"] = object{"mode": "fixed", "fixedColor": "text"}
	case p.kind == table:
		defaults["unit"] = "none" // of tags such as the horizon
		overrides = append(overrides, object{"matcher": object{"id": "byType", "options": "number"}, "properties": []object{property("unit", p.unit)}})
		named("/^(Time|_time)$/", property("custom.width", 170))
		named("/^(horizon|kind|model)$/", property("custom.width", 100))
		if l.name == "promql" {
			named("/^Time$/", property("custom.hidden", true)) // of the query
			named("/^Value$/", property("displayName", l.column(p)))
		}
	}
	if p.legendB != "" {
		of("B", property("displayName", p.legendB))
	}
	if p.band {
		hidden := property("custom.hideFrom", object{"legend": true, "tooltip": false, "viz": false})
		of("A", property("displayName", "observed"), colour("text"))
		of("B", property("displayName", "forecast"), colour("blue"))
		of("C", property("displayName", "lower bound"), property("custom.lineWidth", 0), colour("blue"), hidden)
		of("D", property("displayName", "upper bound"), property("custom.lineWidth", 0), colour("blue"), hidden, property("custom.fillBelowTo", "lower bound"), property("custom.fillOpacity", 15))
		of("E", property("displayName", "anomaly"), colour("red"), property("custom.drawStyle", "points"), property("custom.showPoints", "always"), property("custom.pointSize", 8))
	}
	if p.title == "Most unusual" || p.title == "Least helped" {
		named("/^(?!(Time|model|horizon|score|skill|Value)$)/", property("links", []object{{
			"title": "Forecast of ${__value.text}", "url": "/d/forecaster-forecast" + l.suffix() + "?var-tag=${tag}&var-value=${__value.text}&${datasource:queryparam}",
		}}))
	}
	return object{"defaults": defaults, "overrides": overrides}
}

// column is the column by which a table is sorted.
func (l *language) column(p *boardPanel) string {
	if l.name == "promql" && p.value != "" {
		return p.value
	}
	return strings.TrimPrefix(p.sort, "-")
}

func (l *language) options(p *boardPanel) object {
	switch p.kind {
	case stat:
		return object{"reduceOptions": object{"calcs": []string{"lastNotNull"}, "fields": "", "values": false}, "colorMode": "value", "graphMode": "none", "textMode": "value"}
	case table:
		return object{"showHeader": true, "sortBy": []object{{"displayName": l.column(p), "desc": strings.HasPrefix(p.sort, "-")}}}
	}
	return object{"legend": object{"displayMode": "list", "placement": "bottom", "showLegend": true}, "tooltip": object{"mode": "multi", "sort": "none"}}
}
