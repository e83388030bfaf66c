// Package file reads files as messages: CSV, lines of JSON or line protocol, spreadsheets,
// Parquet, Arrow and TSF, also compressed, several at once, or growing. Package filesink
// writes forecasts to files, package filestore keeps checkpoints in a directory.
package file
