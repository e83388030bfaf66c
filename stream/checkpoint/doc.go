// Package checkpoint declares checkpoints: a Checkpoint and its encoding (docs/checkpoint-format.md), the settings
// under which it was made, the Store that keeps it, and the interfaces with which sources (Seeker, Committer,
// Verifier) and sinks (Positioner) resume from it.
package checkpoint
