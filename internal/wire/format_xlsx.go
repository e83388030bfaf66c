package wire

import "github.com/orffvar/forecaster/stream/file"

var xlsxFormat = dataFormat{
	name: "xlsx", about: "a sheet of a workbook, with the settings of `input.csv`",
	read: &file.XLSXFormat, whole: true, parts: longCSV, tags: csvTags,
}
