// Package filestore keeps the checkpoints of a job in a directory of the local disk.
package filestore
