package wire

import (
	"github.com/orffvar/forecaster/internal/config"
	"github.com/orffvar/forecaster/stream"
	"github.com/orffvar/forecaster/stream/file"
	"github.com/orffvar/forecaster/stream/file/filesink"
)

var parquetFormat = dataFormat{
	name: "parquet", about: "columns of Parquet, with the settings of `input.csv`",
	read: &file.ParquetFormat, whole: true, parts: longCSV, tags: csvTags,
	endings: []string{".parquet", ".pq"}, targets: true,
	create: func(f *FileOutput, m config.Model, columns *filesink.Columns) (stream.Sink, error) {
		columns.Y = true
		return filesink.CreateParquet(f.Path, m.Levels)
	},
}
