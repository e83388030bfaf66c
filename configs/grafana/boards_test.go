package grafana

// A board is a dashboard in every language. A panel has its queries in the order flux,
// influxql, promql; a language for which it has none does not get the panel.
type board struct {
	uid, title, description string
	from, to, refresh       string
	variables               []string // names in variables
	events                  string   // filter of the annotations: "" = all series
	panels                  []boardPanel
}

type boardPanel struct {
	title, description, kind, unit string
	w, h                           int
	zero                           bool // nothing counts as zero
	band                           bool // queries B, C, D are a forecast with its bounds, A and E observations
	points                         bool // single samples, which no line joins
	limit                          *limit
	legend, legendB                string // template, fieldLegend or tagLegend; of query B, if another
	queries                        []boardQuery
	sort                           string // column of a table, "-" = descending
	value                          string // column Value of a table in PromQL; "" = that of sort
}

// limit gives numbers a colour, and a graph a line at the limit.
type limit struct {
	at           float64
	below, above string
}

var (
	aboveZero = &limit{0, "red", "green"}
	belowOne  = &limit{1, "text", "orange"}
)

// Legends that each language makes in its own way.
const (
	fieldLegend = "field" // name of the field, without what queries and measurements add
	tagLegend   = "tag"   // value of the chosen tag
)

// boardQuery is a query in each language.
type boardQuery struct{ flux, influxql, promql string }

// filter of a series: by one tag, and by a second one, which is the first unless somebody
// chooses another.
const (
	fluxSeries   = `r["${tag}"] == "${value}" and r["${tag2}"] =~ /^${value2:regex}$/`
	influxSeries = `"${tag}" = '${value}' AND "${tag2}" =~ /^${value2:regex}$/`
	promSeries   = `${tag}="${value}",${tag2}=~"${value2}"`
)

const fluxFrom = `from(bucket: v.defaultBucket)
  |> range(start: v.timeRangeStart, stop: v.timeRangeStop)
`

// fluxOf selects points of a measurement.
func fluxOf(measurement, filter string) string {
	return fluxFrom + `  |> filter(fn: (r) => r._measurement == "` + measurement + `" and ` + filter + ")\n"
}

const (
	fluxWindow = "  |> aggregateWindow(every: v.windowPeriod, fn: mean, createEmpty: false)\n"
	fluxKeep   = `  |> keep(columns: ["_time", "_value"])`
	fluxAlarm  = "  |> map(fn: (r) => ({r with _value: if r._value > 1.0 then 1 else 0}))\n"
)

// influxAlarm is 1 for a score above 1, else 0: InfluxQL has no conditions.
const influxAlarm = `floor(2 * "anomaly_score" / (1 + "anomaly_score"))`

// one field of a series over time, the mean of each window.
func fieldOf(measurement, flux, influxql, prom, field string) boardQuery {
	and := func(head, rest string) string {
		if rest == "" {
			return head
		}
		return rest + head
	}
	return boardQuery{
		flux:     fluxOf(measurement, `r._field == "`+field+`" and `+and(fluxSeries, flux)) + fluxWindow + fluxKeep,
		influxql: `SELECT mean("` + field + `") FROM "` + measurement + `" WHERE $timeFilter AND ` + and(influxSeries, influxql) + ` GROUP BY time($__interval) fill(none)`,
		promql:   `avg_over_time({__name__="` + measurement + `_` + field + `",` + prom + promSeries + `}[$__interval])`,
	}
}

// path is a field of the latest forecast: the last point of each horizon, in the order of time.
func path(field string) boardQuery {
	prom := `last_over_time({__name__="forecast_` + field + `",model="${model}",` + promSeries + `}[$__interval])`
	return boardQuery{
		flux: `from(bucket: v.defaultBucket)
  |> range(start: v.timeRangeStart, stop: 10y)
  |> filter(fn: (r) => r._measurement == "forecast" and r._field == "` + field + `" and r.model == "${model}" and ` + fluxSeries + `)
  |> last()
  |> group()
  |> sort(columns: ["_time"])
` + fluxKeep,
		influxql: `SELECT "value" FROM (SELECT last("` + field + `") AS "value" FROM "forecast" WHERE time >= ${__from}ms AND "model" = '${model}' AND ` + influxSeries + ` GROUP BY "horizon")`,
		promql:   `max(` + prom + ` and on (horizon) bottomk(1, label_value(` + prom + `, "horizon")))`,
	}
}

// score is the latest value of a field of the scores.
func score(field string) boardQuery {
	const flux, influx, prom = `r.target == "${variable}" and r.horizon == "${horizon}" and r.model == "${model}" and `,
		`"target" = '${variable}' AND "horizon" = '${horizon}' AND "model" = '${model}' AND `, `target="${variable}",horizon="${horizon}",model="${model}",`
	return boardQuery{
		flux:     fluxOf("forecast_metrics", `r._field == "`+field+`" and `+flux+fluxSeries) + "  |> last()\n" + fluxKeep,
		influxql: `SELECT last("` + field + `") FROM "forecast_metrics" WHERE $timeFilter AND ` + influx + influxSeries,
		promql:   `last_over_time(forecast_metrics_` + field + `{` + prom + promSeries + `}[$__range])`,
	}
}

// scores returns the query of one score of the chosen models over time.
func scores(field, target string) boardQuery {
	return boardQuery{
		flux: fluxOf("forecast_metrics", `r._field == "`+field+`" and r.target == "`+target+`" and r.horizon == "${horizon}" and r.model =~ /^${model:regex}$/ and `+fluxSeries) +
			"  |> aggregateWindow(every: v.windowPeriod, fn: last, createEmpty: false)\n" + `  |> keep(columns: ["_time", "_value", "model"])`,
		influxql: `SELECT last("` + field + `") FROM "forecast_metrics" WHERE $timeFilter AND "target" = '` + target + `' AND "horizon" = '${horizon}' AND "model" =~ /^${model:regex}$/ AND ` +
			influxSeries + ` GROUP BY time($__interval), "model" fill(none)`,
		promql: `last_over_time(forecast_metrics_` + field + `{target="` + target + `",horizon="${horizon}",model=~"${model}",` + promSeries + `}[$__interval])`,
	}
}

// eventsTable lists events with a filter of the series.
func eventsTable(flux, influxql, prom string) boardQuery {
	return boardQuery{
		flux: fluxOf("forecast_events", `r._field == "text"`+flux) + `  |> group()
  |> drop(columns: ["_start", "_stop", "_field", "_measurement"])
  |> sort(columns: ["_time"], desc: true)
  |> limit(n: 200)`,
		influxql: `SELECT "text" FROM "forecast_events" WHERE $timeFilter` + influxql + ` GROUP BY * ORDER BY time DESC LIMIT 200`,
		promql:   `sum by (kind) (count_over_time(forecast_events_text{` + prom + `}[$__range]))`,
	}
}

const stat, line, table = "stat", "timeseries", "table"

var seriesVariables = []string{"tag", "value", "tag2", "value2"}

// In the test two hours of samples every ten seconds are in the database, of two series; a
// window is thirty seconds.
var boards = []board{
	{
		uid: "forecast", title: "Forecast", description: "Observations, forecasts and anomalies of one variable of one series.",
		from: "now-1h", to: "now+15m", refresh: "10s", variables: append(seriesVariables[:4:4], "variable", "horizon", "model"), events: "series",
		panels: []boardPanel{
			{title: "Skill against persistence", description: "1 - MSE / MSE of repeating the last value, over the last evaluate.window samples at the chosen horizon. Above 0: better.", kind: stat, unit: "percentunit", w: 6, h: 4, limit: aboveZero,
				queries: []boardQuery{score("skill_vs_persistence")}},
			{title: "Coverage", description: "Share of the targets inside their interval, over the last evaluate.window samples at the chosen horizon. It should be near the level of the interval.", kind: stat, unit: "percentunit", w: 6, h: 4,
				queries: []boardQuery{score("coverage")}},
			{title: "Alarms", description: "Samples of the series with an anomaly score above 1 in the time range.", kind: stat, unit: "short", w: 6, h: 4, zero: true, limit: belowOne,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score" and `+fluxSeries) + fluxAlarm + "  |> group()\n  |> sum()",
					influxql: `SELECT sum("alarm") FROM (SELECT ` + influxAlarm + ` AS "alarm" FROM "observation" WHERE $timeFilter AND ` + influxSeries + `)`,
					promql:   `sum(count_gt_over_time(observation_anomaly_score{` + promSeries + `}[$__range], 1)) or vector(0)`,
				}}},
			{title: "Scored samples", description: "Forecasts at the chosen horizon that were compared with their targets, at most evaluate.window.", kind: stat, unit: "short", w: 6, h: 4,
				queries: []boardQuery{score("n")}},
			{title: "Latest forecast", description: "All horizons of the newest forecast with their interval, right of the observations. Points are samples of an anomaly.", kind: line, unit: "short", w: 24, h: 11, band: true,
				queries: []boardQuery{
					fieldOf("observation", "", "", "", "${variable}"), path("${variable}"), path("${variable}_lower"), path("${variable}_upper"),
					{
						flux: fluxOf("observation", `(r._field == "${variable}" or r._field == "${variable}_score") and `+fluxSeries) +
							"  |> pivot(rowKey: [\"_time\"], columnKey: [\"_field\"], valueColumn: \"_value\")\n  |> filter(fn: (r) => exists r[\"${variable}_score\"])\n" +
							"  |> map(fn: (r) => ({_time: r._time, _value: r[\"${variable}\"]}))",
						influxql: `SELECT "${variable}" FROM "observation" WHERE $timeFilter AND "is_anomaly" = true AND ` + influxSeries,
						promql:   `last_over_time({__name__="observation_${variable}",` + promSeries + `}[$__interval]) and last_over_time({__name__="observation_${variable}_score",` + promSeries + `}[$__interval])`,
					},
				}},
			{title: "Forecasts of one horizon", description: "Forecasts made the chosen horizon before, with their interval, over the observations. Right of the present is the future.", kind: line, unit: "short", w: 24, h: 9, band: true,
				queries: []boardQuery{
					fieldOf("observation", "", "", "", "${variable}"),
					fieldOf("forecast", `r.horizon == "${horizon}" and r.model == "${model}" and `, `"horizon" = '${horizon}' AND "model" = '${model}' AND `, `horizon="${horizon}",model="${model}",`, "${variable}"),
					fieldOf("forecast", `r.horizon == "${horizon}" and r.model == "${model}" and `, `"horizon" = '${horizon}' AND "model" = '${model}' AND `, `horizon="${horizon}",model="${model}",`, "${variable}_lower"),
					fieldOf("forecast", `r.horizon == "${horizon}" and r.model == "${model}" and `, `"horizon" = '${horizon}' AND "model" = '${model}' AND `, `horizon="${horizon}",model="${model}",`, "${variable}_upper"),
				}},
			{title: "Anomaly score of the sample", description: "How unusual the sample is, all variables together. Above 1: rarer than model.anomaly.false_alarms.", kind: line, unit: "none", w: 12, h: 8, legend: "score", limit: belowOne,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score" and `+fluxSeries) + "  |> aggregateWindow(every: v.windowPeriod, fn: max, createEmpty: false)\n" + fluxKeep,
					influxql: `SELECT max("anomaly_score") FROM "observation" WHERE $timeFilter AND ` + influxSeries + ` GROUP BY time($__interval) fill(none)`,
					promql:   `max_over_time(observation_anomaly_score{` + promSeries + `}[$__interval])`,
				}}},
			{title: "Variables behind an anomaly", description: "Share of each variable in the score of the sample. It is written for the samples of an anomaly.", kind: line, unit: "percentunit", w: 12, h: 8, points: true, legend: fieldLegend,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field =~ /_share$/ and `+fluxSeries) + fluxWindow + `  |> keep(columns: ["_time", "_value", "_field"])`,
					influxql: `SELECT mean(/_share$/) FROM "observation" WHERE $timeFilter AND ` + influxSeries + ` GROUP BY time($__interval) fill(none)`,
					promql:   `avg_over_time({__name__=~"observation_.+_share",` + promSeries + `}[$__interval]) keep_metric_names`,
				}}},
			{title: "Reach of the horizons", description: "Target time and value of the newest forecast at each horizon.", kind: table, unit: "none", w: 12, h: 8, sort: "Time", value: "seconds ahead",
				queries: []boardQuery{{
					flux: `from(bucket: v.defaultBucket)
  |> range(start: v.timeRangeStart, stop: 10y)
  |> filter(fn: (r) => r._measurement == "forecast" and r._field == "${variable}" and r.model == "${model}" and ` + fluxSeries + `)
  |> last()
  |> group()
  |> keep(columns: ["_time", "horizon", "_value"])
  |> sort(columns: ["_time"])`,
					influxql: `SELECT last("${variable}") AS "forecast" FROM "forecast" WHERE time >= ${__from}ms AND "model" = '${model}' AND ` + influxSeries + ` GROUP BY "horizon"`,
					promql:   `max by (horizon) (tlast_over_time({__name__="forecast_${variable}",model="${model}",` + promSeries + `}[2d] offset -1d)) - now()`, // the range ends ahead
				}}},
			{title: "Events", description: "What happened to the series: first seen, gaps, anomalies, drifts, resets, new variables.", kind: table, unit: "none", w: 12, h: 8, sort: "-Time", value: "events",
				queries: []boardQuery{eventsTable(" and "+fluxSeries, " AND "+influxSeries, promSeries)}},
		},
	},
	{
		uid: "fleet", title: "Fleet", description: "All series side by side, the most unusual and the worst forecast first. A name leads to the dashboard Forecast.",
		from: "now-1h", to: "now", refresh: "30s", variables: []string{"tag"},
		panels: []boardPanel{
			{title: "Series", description: "Series with an anomaly score in the time range: those with more than a hundred samples.", kind: stat, unit: "short", w: 8, h: 4, zero: true,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score"`) + "  |> last()\n  |> group()\n  |> count()",
					influxql: `SELECT count("score") FROM (SELECT last("anomaly_score") AS "score" FROM "observation" WHERE $timeFilter GROUP BY *)`,
					promql:   `count(last_over_time(observation_anomaly_score[$__range])) or vector(0)`,
				}}},
			{title: "Series in alarm", description: "Series whose latest anomaly score is above 1.", kind: stat, unit: "short", w: 8, h: 4, zero: true, limit: belowOne,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score"`) + "  |> last()\n  |> group()\n" + fluxAlarm + "  |> sum()",
					influxql: `SELECT sum("alarm") FROM (SELECT ` + influxAlarm + ` AS "alarm" FROM (SELECT last("anomaly_score") AS "anomaly_score" FROM "observation" WHERE $timeFilter GROUP BY *))`,
					promql:   `count(last_over_time(observation_anomaly_score[$__range]) > 1) or vector(0)`,
				}}},
			{title: "Alarms", description: "Samples of all series with an anomaly score above 1 in the time range.", kind: stat, unit: "short", w: 8, h: 4, zero: true, limit: belowOne,
				queries: []boardQuery{allAlarms}},
			{title: "Most unusual", description: "Largest anomaly score of each value of the tag in the time range.", kind: table, unit: "none", w: 12, h: 12, sort: "-score",
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score" and exists r["${tag}"]`) + "  |> group(columns: [\"${tag}\"])\n  |> max()\n  |> group()\n  |> keep(columns: [\"${tag}\", \"_value\"])\n  |> rename(columns: {_value: \"score\"})\n  |> sort(columns: [\"score\"], desc: true)\n  |> limit(n: 100)",
					influxql: `SELECT max("anomaly_score") AS "score" FROM "observation" WHERE $timeFilter GROUP BY "${tag}"`,
					promql:   `topk(100, max by (${tag}) (max_over_time(observation_anomaly_score[$__range])))`,
				}}},
			{title: "Least helped", description: "Latest skill against persistence of the sample as a whole, for each value of the tag and each horizon. Below 0, repeating the last value would be better.", kind: table, unit: "percentunit", w: 12, h: 12, sort: "skill",
				queries: []boardQuery{{
					flux:     fluxOf("forecast_metrics", `r._field == "skill_vs_persistence" and r.target == "_all" and r.id != "_all" and exists r["${tag}"]`) + "  |> last()\n  |> group()\n  |> keep(columns: [\"${tag}\", \"model\", \"horizon\", \"_value\"])\n  |> rename(columns: {_value: \"skill\"})\n  |> sort(columns: [\"skill\"])\n  |> limit(n: 200)",
					influxql: `SELECT last("skill_vs_persistence") AS "skill" FROM "forecast_metrics" WHERE $timeFilter AND "target" = '_all' AND "${tag}" !~ /^(_all.*)?$/ GROUP BY "${tag}", "horizon", "model"`,
					promql:   `bottomk(200, min by (${tag}, horizon, model) (last_over_time(forecast_metrics_skill_vs_persistence{target="_all",${tag}!~"(_all.*)?"}[$__range])))`,
				}}},
			{title: "Alarms over time", description: "Samples with an anomaly score above 1 in each interval, for each value of the tag.", kind: line, unit: "short", w: 12, h: 9, legend: tagLegend,
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score" and exists r["${tag}"]`) + fluxAlarm + "  |> group(columns: [\"${tag}\"])\n  |> aggregateWindow(every: v.windowPeriod, fn: sum, createEmpty: false)\n  |> keep(columns: [\"_time\", \"_value\", \"${tag}\"])\n  |> rename(columns: {\"${tag}\": \"tag\"})",
					influxql: `SELECT sum("alarm") FROM (SELECT ` + influxAlarm + ` AS "alarm" FROM "observation" WHERE $timeFilter GROUP BY "${tag}") WHERE $timeFilter GROUP BY time($__interval), "${tag}" fill(0)`,
					promql:   `sum by (${tag}) (count_gt_over_time(observation_anomaly_score[$__interval], 1))`,
				}}},
			{title: "Events", description: "What happened to all series.", kind: table, unit: "none", w: 12, h: 9, sort: "-Time", value: "events",
				queries: []boardQuery{eventsTable("", "", "")}},
		},
	},
	{
		uid: "quality", title: "Model quality", description: "Scores of the model and of its baselines. Each sample is forecast before it is learnt from.",
		from: "now-6h", to: "now", refresh: "1m", variables: append(seriesVariables[:4:4], "target", "horizon", "models"), events: "series",
		panels: []boardPanel{
			{title: "Mean squared error (SCV)", description: "Sequential cross-validation: mean over the last evaluate.window samples of the squared error of a sample, averaged over its variables.", kind: line, unit: "short", w: 12, h: 8, legend: modelLegend,
				queries: []boardQuery{scores("scv_mse", "${target}")}},
			{title: "Root mean squared error", description: "In units of the data.", kind: line, unit: "short", w: 12, h: 8, legend: modelLegend,
				queries: []boardQuery{scores("rmse", "${target}")}},
			{title: "Skill against persistence", description: "1 - MSE / MSE of repeating the last value. Above 0: better.", kind: line, unit: "percentunit", w: 12, h: 8, legend: modelLegend, limit: aboveZero,
				queries: []boardQuery{scores("skill_vs_persistence", "${target}")}},
			{title: "Skill against VAR(1)", description: "1 - MSE / MSE of a linear vector autoregression on the same targets. Above 0: better.", kind: line, unit: "percentunit", w: 12, h: 8, legend: modelLegend, limit: aboveZero,
				queries: []boardQuery{scores("skill_vs_var", "${target}")}},
			{title: "Coverage", description: "Share of the targets inside their interval; of the samples inside the joint region in all variables, if there is one. Both should be near the nominal level.", kind: line, unit: "percentunit", w: 12, h: 8, legend: modelLegend, legendB: modelLegend + ", joint region",
				queries: []boardQuery{scores("coverage", "${target}"), scores("joint_coverage", "_all")}},
			{title: "Width of the interval", description: "Mean distance of its bounds; narrower is better at equal coverage.", kind: line, unit: "short", w: 12, h: 8, legend: modelLegend,
				queries: []boardQuery{scores("width", "${target}")}},
			{title: "Latest scores", description: "All models and horizons of the target.", kind: table, unit: "none", w: 24, h: 10, sort: "rmse",
				queries: []boardQuery{{
					flux:     fluxOf("forecast_metrics", `r.target == "${target}" and r.model =~ /^${model:regex}$/ and `+fluxSeries) + "  |> filter(fn: (r) => r._field =~ /^(mse|rmse|mae|mase|skill_vs_persistence|coverage)$/)\n  |> last()\n  |> group()\n  |> pivot(rowKey: [\"model\", \"horizon\"], columnKey: [\"_field\"], valueColumn: \"_value\")",
					influxql: `SELECT "mse", "rmse", "mae", "mase", "skill_vs_persistence", "coverage" FROM "forecast_metrics" WHERE $timeFilter AND "target" = '${target}' AND "model" =~ /^${model:regex}$/ AND ` + influxSeries + ` GROUP BY "model", "horizon" ORDER BY time DESC LIMIT 1`,
					promql:   `max by (model, horizon) (last_over_time(forecast_metrics_rmse{target="${target}",model=~"${model}",` + promSeries + `}[$__range]))`,
				}}},
			{title: "Experts in the mixture", description: "Weights of the experts of the model auto in its one-step forecast, mean over the variables.", kind: line, unit: "percentunit", w: 24, h: 9, legend: fieldLegend,
				queries: []boardQuery{{
					flux:     fluxOf("forecast_experts", fluxSeries) + "  |> aggregateWindow(every: v.windowPeriod, fn: last, createEmpty: false)\n" + `  |> keep(columns: ["_time", "_value", "_field"])`,
					influxql: `SELECT last(/./) FROM "forecast_experts" WHERE $timeFilter AND ` + influxSeries + ` GROUP BY time($__interval) fill(none)`,
					promql:   `last_over_time({__name__=~"forecast_experts_.+",` + promSeries + `}[$__interval]) keep_metric_names`,
				}}},
		},
	},
	{
		uid: "system", title: "Forecaster", description: "Whether data arrive and forecasts leave. What the process says of itself is under /metrics.",
		from: "now-1h", to: "now", refresh: "30s",
		panels: []boardPanel{
			{title: "Age of the newest sample", description: "Time since the newest sample of any series with an anomaly score.", kind: stat, unit: "s", w: 6, h: 4,
				queries: []boardQuery{{
					flux:   fluxOf("observation", `r._field == "anomaly_score"`) + "  |> last()\n  |> group()\n  |> sort(columns: [\"_time\"])\n  |> last()\n  |> map(fn: (r) => ({_time: r._time, _value: float(v: int(v: now()) - int(v: r._time)) / 1000000000.0}))",
					promql: `time() - max(tlast_over_time(observation_anomaly_score[$__range]))`,
				}}},
			{title: "Newest sample", description: "Anomaly score and time of the newest sample of any series.", kind: table, unit: "none", w: 6, h: 4,
				queries: []boardQuery{{influxql: `SELECT last("anomaly_score") AS "score" FROM "observation" WHERE $timeFilter`}}},
			{title: "Reach of the forecasts", description: "Time from now to the last target of any series.", kind: stat, unit: "s", w: 6, h: 4,
				queries: []boardQuery{{
					flux: `from(bucket: v.defaultBucket)
  |> range(start: v.timeRangeStart, stop: 10y)
  |> filter(fn: (r) => r._measurement == "forecast")
  |> last()
  |> group()
  |> sort(columns: ["_time"])
  |> last()
  |> map(fn: (r) => ({_time: r._time, _value: float(v: int(v: r._time) - int(v: now())) / 1000000000.0}))`,
					promql: `max(tlast_over_time({__name__=~"forecast_.+_lower"}[2d] offset -2d)) - time()`,
				}}},
			{title: "Alarms", description: "Samples of all series with an anomaly score above 1 in the time range.", kind: stat, unit: "short", w: 6, h: 4, zero: true, limit: belowOne,
				queries: []boardQuery{allAlarms}},
			{title: "Drifts", description: "Alarms of the drift detector in the time range: the errors of a model are no longer what they were.", kind: stat, unit: "short", w: 6, h: 4, zero: true, limit: belowOne,
				queries: []boardQuery{{
					flux:     fluxOf("forecast_events", `r._field == "text"`) + "  |> map(fn: (r) => ({r with _value: if r.kind == \"drift\" then 1 else 0}))\n  |> group()\n  |> sum()",
					influxql: `SELECT count("text") FROM "forecast_events" WHERE $timeFilter AND "kind" = 'drift'`,
					promql:   `sum(count_over_time(forecast_events_text{kind="drift"}[$__range])) or vector(0)`,
				}}},
			{title: "Samples", description: "Samples with an anomaly score in each interval, of all series.", kind: line, unit: "short", w: 12, h: 9, legend: "samples",
				queries: []boardQuery{{
					flux:     fluxOf("observation", `r._field == "anomaly_score"`) + "  |> group()\n  |> aggregateWindow(every: v.windowPeriod, fn: count, createEmpty: false)\n" + fluxKeep,
					influxql: `SELECT count("anomaly_score") FROM "observation" WHERE $timeFilter GROUP BY time($__interval) fill(0)`,
					promql:   `sum(count_over_time(observation_anomaly_score[$__interval])) or vector(0)`,
				}}},
			{title: "Events", description: "What happened to all series.", kind: table, unit: "none", w: 12, h: 9, sort: "-Time", value: "events",
				queries: []boardQuery{eventsTable("", "", "")}},
		},
	},
}

const modelLegend = "${__field.labels.model}"

var allAlarms = boardQuery{
	flux:     fluxOf("observation", `r._field == "anomaly_score"`) + fluxAlarm + "  |> group()\n  |> sum()",
	influxql: `SELECT sum("alarm") FROM (SELECT ` + influxAlarm + ` AS "alarm" FROM "observation" WHERE $timeFilter)`,
	promql:   `sum(count_gt_over_time(observation_anomaly_score[$__range], 1)) or vector(0)`,
}
