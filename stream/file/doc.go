// Package file has the edges that are files: sources, sinks, dead letters and
// the local checkpoint store.
package file
