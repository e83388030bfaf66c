// Package checkpoint declares what a restart needs: a Checkpoint and its bytes (the format is
// docs/checkpoint-format.md), the settings it was made with, the Store that keeps it, and what
// sources (Seeker, Committer, Verifier) and sinks (Positioner) do to go on from one.
package checkpoint
