package config

// meanings maps the names of settings in other programs to keys of this one.
var meanings = map[string]string{
	"separator": "input.csv.comma", "sep": "input.csv.comma", "delimiter": "input.csv.comma", "delim": "input.csv.comma",
	"decimal_separator": "input.csv.decimal", "decimal_comma": "input.csv.decimal", "decimal_point": "input.csv.decimal",
	"thousands_separator": "input.csv.thousands",
	"date_format":         "input.csv.date_order", "dayfirst": "input.csv.date_order", "day_first": "input.csv.date_order",
	"timestamp": "input.csv.time_column", "timestamp_column": "input.csv.time_column", "date_column": "input.csv.time_column", "index_col": "input.csv.time_column",
	"na_values": "input.csv.missing", "null_values": "input.csv.missing", "na": "input.csv.missing", "null": "input.csv.missing",
	"columns": "input.csv.value_columns", "usecols": "input.csv.value_columns", "targets": "input.csv.value_columns",
	"id_column": "input.csv.series_column", "group_by": "input.csv.series_column", "unique_id": "input.csv.series_column",
	"timezone": "input.time_zone", "tz": "input.time_zone", "zone": "input.time_zone",
	"freq": "pipeline.interval", "frequency": "pipeline.interval", "resolution": "pipeline.interval", "spacing": "pipeline.interval", "sampling": "pipeline.interval",
	"lags": "model.order", "lag": "model.order",
	"steps": "model.horizon", "fh": "model.horizon", "prediction_length": "model.horizon",
	"seasonality": "model.season", "season_length": "model.season", "period": "model.season",
	"confidence": "model.levels", "coverage": "model.levels", "alpha": "model.levels", "quantiles": "model.levels",
	"bootstrap_servers": "input.kafka.brokers", "servers": "input.kafka.brokers",
	"group": "input.kafka.consumer_group", "group_id": "input.kafka.consumer_group",
	"holidays": "model.events",
}

// Meaning returns the key of this program for a name of another program, or "".
func Meaning(name string) string { return meanings[name] }
