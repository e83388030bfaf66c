package file

import (
	"context"

	"github.com/orffvar/forecaster/stream"
)

// Store keeps checkpoints in a directory. It implements stream.Store.
type Store struct{}

// OpenStore creates the directory if need be and locks it: a second process is
// refused.
func OpenStore(dir string) (*Store, error) { panic("file: not yet") }

// Load implements stream.Store: the newest checkpoint, or the one before when
// that is damaged.
func (s *Store) Load(ctx context.Context) (stream.Checkpoint, error) { panic("file: not yet") }

// Save implements stream.Store.
func (s *Store) Save(ctx context.Context, c stream.Checkpoint) error { panic("file: not yet") }

// Close releases the lock.
func (s *Store) Close() error { panic("file: not yet") }
