package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orffvar/forecaster/internal/lazyregexp"
	"github.com/orffvar/forecaster/internal/shell"
	"github.com/orffvar/forecaster/stream/format/sniff"
)

// fieldValue is the name of a SourceConfig field and its value.
type fieldValue struct{ field, value string }

// bySeries reads the member series that a jq program below writes. inOrder sorts by time, which those programs do
// not.
var (
	bySeries = fieldValue{"JSONConfig.Series", "series"}
	inOrder  = fieldValue{sniff.SortField, "true"}
)

// oddLines match objects that are one line each, but no samples.
var oddLines = []lazyregexp.Regexp{
	lazyregexp.New(`^\{"metric":\s*\{[^}]*\},\s*"values":\s*\[`),
	lazyregexp.New(`^[^\n]*\{\s*"\$date"\s*:`),
	lazyregexp.New(`^[^\n]*"\\?/Date\(\d{13}`),
}

// jsonKinds are the known JSON layouts that are not one object per line. Each has the jq program that converts
// it, and the settings that read the output. COLUMNS stands for the text that the last group of the pattern
// matches.
var jsonKinds = []struct {
	has           lazyregexp.Regexp
	name, program string
	fields        []fieldValue
}{
	{
		lazyregexp.New(`"resultType"`), "an answer of Prometheus",
		`.data.result[] | (.metric | to_entries | map(.key + "=" + .value) | join(",")) as $id | (.values // [.value])[] | {series: $id, time: .[0], value: (.[1] | tonumber)}`, []fieldValue{bySeries},
	},
	{
		lazyregexp.New(`^\{"resourceMetrics"`), "a file of the OpenTelemetry Collector",
		`.resourceMetrics[].scopeMetrics[].metrics[] | .name as $n | (.gauge // .sum // {dataPoints: []}).dataPoints[] | ` +
			`([$n] + (.attributes // [] | map(.key + "=" + (.value | to_entries[0].value | tostring))) | join(",")) as $id | {series: $id, time: ((.timeUnixNano | tonumber) / 1e9), value: (.asDouble // (.asInt | tonumber))}`,
		[]fieldValue{bySeries, inOrder},
	},
	{
		lazyregexp.New(`"MetricDataResults"`), "an answer of CloudWatch",
		`.MetricDataResults[] | "\(.Id) \(.Label)" as $id | [.Timestamps, .Values] | transpose[] | {series: $id, time: .[0], value: .[1]}`, []fieldValue{bySeries, inOrder},
	},
	{
		lazyregexp.New(`"Datapoints"`), "an answer of CloudWatch",
		`.Datapoints[] | {time: .Timestamp} + del(.Timestamp, .Unit)`, []fieldValue{inOrder},
	},
	{
		lazyregexp.New(`"pointlist"`), "an answer of Datadog",
		`.series[] | "\(.metric){\(.scope)}" as $id | .pointlist[] | {series: $id, time: (.[0] / 1000), value: .[1]}`, []fieldValue{bySeries},
	},
	{
		lazyregexp.New(`"results"[^"]+("statement_id"[^"]+)?"series"`), "an answer of InfluxDB",
		`.results[].series[] | ([.name] + (.tags // {} | to_entries | map(.key + "=" + .value)) | join(",")) as $id | .columns as $c | ` +
			`.values[] | [$c, .] | transpose | map({key: .[0], value: .[1]}) | from_entries + {series: $id}`, []fieldValue{bySeries},
	},
	{
		lazyregexp.New(`"hits"\s*:[^]]*"_source"`), "an answer of Elasticsearch",
		`.hits.hits[]._source`, []fieldValue{{"JSONConfig.Time", "@timestamp"}, inOrder},
	},
	{
		lazyregexp.New(`"(\w+)"\s*:\s*\{\s*"time"\s*:\s*\[`), "an object of columns",
		`.COLUMNS as $c | range($c.time | length) as $i | $c | map_values(.[$i])`, nil,
	},
	{
		lazyregexp.New(`^\{\s*"time"\s*:\s*\[`), "an object of columns",
		`. as $c | range($c.time | length) as $i | $c | map_values(.[$i])`, nil,
	},
	{
		lazyregexp.New(`^\{"schema":\s*\{"fields"`), "a table of pandas", ".data[]", nil,
	},
	{
		lazyregexp.New(`^\{"columns":\s*\[[^]]*\],\s*"index"`), "a table of pandas",
		`.columns as $c | [.index, .data] | transpose[] | {time: .[0]} + ([$c, .[1]] | transpose | map({key: .[0], value: .[1]}) | from_entries)`, nil,
	},
	{
		oddLines[0], "an export of VictoriaMetrics",
		`(.metric | to_entries | map(.key + "=" + .value) | join(",")) as $id | [.timestamps, .values] | transpose[] | {series: $id, time: (.[0] / 1000), value: .[1]}`, []fieldValue{bySeries},
	},
	{
		oddLines[1], "an export of MongoDB",
		`(if type == "array" then .[] else . end) | walk(if type == "object" and length == 1 then ."$oid" // ."$date" // ((."$numberDouble" // ."$numberInt" // ."$numberLong" // ."$numberDecimal" // empty) | tonumber) // . else . end)`, nil,
	},
	{
		oddLines[2], "JSON with dates of .NET",
		`(if type == "array" then .[] else . end) | map_values(if type == "string" and startswith("/Date(") then (.[6:19] | tonumber / 1000) else . end)`, nil,
	},
	{lazyregexp.New(`^\[`), "one array", ".[]", nil},
}

// byColumns matches the output of DataFrame.to_json without orient.
var byColumns = lazyregexp.New(`^\{"[^"]*":\{"-?\d+":`)

// checkJSON returns an error for JSON that is not one object per line. The error has the command that converts it.
func (s *Source) checkJSON() error {
	b, _ := s.peek() // checkText has returned the error
	b = bytes.TrimSpace(bytes.TrimPrefix(b, []byte("\ufeff")))
	first, _, more := bytes.Cut(b, []byte("\n"))
	if byColumns().Match(b) {
		return fmt.Errorf(`file: %s has an object for each column, one object a line was expected: write it with  df.reset_index().to_json(PATH, orient="records", lines=True)`, s.path)
	}
	name, program, flags := "", "", ""
	if bytes.HasPrefix(b, []byte("[")) || bytes.HasPrefix(b, []byte("{")) && (!more || endsEarly(first) || bytes.HasPrefix(b, []byte(`{"resourceMetrics"`)) ||
		slices.ContainsFunc(oddLines, func(r lazyregexp.Regexp) bool { return r().Match(b) })) {
		for _, k := range jsonKinds {
			if m := k.has().FindSubmatchIndex(b); m != nil {
				name, program, flags = k.name, strings.ReplaceAll(k.program, "COLUMNS", string(b[m[len(m)-2]:m[len(m)-1]])), ""
				for _, f := range k.fields {
					flags += " " + s.setting.Set(f.field, f.value)
				}
				break
			}
		}
	}
	switch {
	case name != "":
	case more && bytes.HasPrefix(b, []byte("{")) && endsEarly(first):
		name, program = "made of objects of several lines", "."
	default:
		return nil
	}
	out := strings.TrimSuffix(s.path, filepath.Ext(s.path))
	if filepath.Ext(s.path) == ".jsonl" {
		out += "-lines"
	}
	out = shell.Quote(out + ".jsonl")
	quoted := "'" + program + "'"
	if program == "." {
		quoted = program
	}
	return fmt.Errorf("%s is %s, one object a line was expected: make it so with  jq -c %s %s > %s  and read  %s%s",
		s.path, name, quoted, shell.Quote(s.path), out, out, flags)
}

// endsEarly reports whether text is an incomplete JSON value.
func endsEarly(text []byte) bool {
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(text)).Decode(&v), io.ErrUnexpectedEOF)
}
