package wire

import "github.com/orffvar/forecaster/stream/file"

var arrowFormat = dataFormat{
	name: "arrow", about: "files and streams of Arrow, and Feather",
	read: &file.ArrowFormat, whole: true, parts: longCSV, tags: csvTags,
}
