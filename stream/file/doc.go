// Package file has the edges that are files: a source that reads CSV or lines of
// JSON or line protocol, a sink, dead letters and the local checkpoint store.
package file
