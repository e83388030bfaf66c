// Package filesink writes forecasts and dead letters to files: CSV, lines of JSON or of an
// encoder of another package, and Parquet. A sink goes on from the position of a checkpoint.
package filesink
