package wire

import "github.com/orffvar/forecaster/internal/shell"

// keys maps fields of format and file configurations to settings.
var keys = map[string]string{
	"CSVConfig.Header":         "input.csv.header",
	"CSVConfig.Comma":          "input.csv.comma",
	"CSVConfig.Decimal":        "input.csv.decimal",
	"CSVConfig.Thousands":      "input.csv.thousands",
	"CSVConfig.DateOrder":      "input.csv.date_order",
	"CSVConfig.Series":         "input.csv.series_column",
	"CSVConfig.Time":           "input.csv.time_column",
	"CSVConfig.Clock":          "input.csv.clock_column",
	"CSVConfig.Variable":       "input.csv.variable_column",
	"CSVConfig.Values":         "input.csv.value_columns",
	"CSVConfig.TimeUnit":       "input.time_format",
	"JSONConfig.Series":        "input.json.series_field",
	"JSONConfig.Tags":          "input.json.tags",
	"JSONConfig.Time":          "input.json.time_field",
	"JSONConfig.Values":        "input.json.values_field",
	"SourceConfig.Format":      "input.file.format",
	"SourceConfig.PerFile":     "input.file.series_per_file",
	"SourceConfig.Sheet":       "input.file.sheet",
	"SourceConfig.Sort":        "input.file.sort",
	"assemble.Config.Interval": "pipeline.interval",
	"assemble.Config.Missing":  "pipeline.missing",
	"stream.Decoder":           "input.data_format",
	"avro.Config.Schemas":      "input.avro.registry",
	"avro.Config.Schema":       "input.avro.schema_file",
	"avro.Config.Series":       "input.avro.series_field",
	"avro.Config.Tags":         "input.avro.tags",
	"avro.Config.Time":         "input.avro.time_field",
	"avro.Config.Values":       "input.avro.values_field",
}

// settingName implements format.Names for the program.
func settingName(field, value string) string {
	switch key := keys[field]; {
	case value == "":
		return key
	case key == "input.file.sort" && value == "true":
		return "--sort"
	default:
		return "--set " + shell.Quote(key+"="+value)
	}
}
