package kafka

import (
	"context"
	"slices"
)

// discard marks a snapshot for removal after the next commit.
func (s *Store) discard(m manifest) {
	if !m.none() {
		s.unused[m.id] = max(s.unused[m.id], m.chunks)
	}
}

// collect removes unused snapshots: the snapshot before the last two, and remains of former owners that Load has
// found. The remains are uncommitted snapshots and changes, and snapshots whose removal was interrupted.
//
// Precondition: the broker has accepted a commit of this Store. A member that has lost its partition may still
// load, and then finds uncommitted snapshots of the present owner. The accepted commit proves that no later owner
// existed until then, so that all finds of Load belong to former owners.
func (s *Store) collect(ctx context.Context) error {
	for id, chunks := range s.unused { // in any order: removals are independent
		var err error
		switch id {
		case s.current.id:
		case s.previous.id:
			err = s.removeChunks(ctx, id, s.previous.chunks, chunks)
		default:
			err = s.remove(ctx, id, chunks)
		}
		if err != nil {
			return err
		}
		delete(s.unused, id)
	}
	return nil
}

// remove writes tombstones for a snapshot.
func (s *Store) remove(ctx context.Context, id string, chunks int) error {
	if err := s.removeChunks(ctx, id, 0, chunks); err != nil {
		return err
	}
	_, err := s.produce(ctx, record{key: s.key(id, -1)}) // last: while the manifest exists, chunks may be left
	return err
}

// removeChunks writes tombstones for the chunks with numbers in [from, to).
func (s *Store) removeChunks(ctx context.Context, id string, from, to int) error {
	var batch []record
	for k := from; k < to; k++ {
		batch = append(batch, record{key: s.key(id, k)})
	}
	for part := range slices.Chunk(batch, 1000) {
		if _, err := s.produce(ctx, part...); err != nil {
			return err
		}
	}
	return nil
}
