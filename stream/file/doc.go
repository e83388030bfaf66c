// Package file has the edges that are files: a source that reads CSV, lines of
// JSON or line protocol, or Parquet, a sink, dead letters and the local checkpoint store.
package file
