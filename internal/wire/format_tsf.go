package wire

import "github.com/orffvar/forecaster/stream/file"

var tsfFormat = dataFormat{
	name: "tsf", about: "series of the Monash archive, a line each",
	read: &file.TSFFormat, whole: true, parts: longCSV, tags: csvTags,
}
