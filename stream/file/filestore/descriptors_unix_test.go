//go:build unix

package filestore_test

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/orffvar/forecaster/internal/tools/logtest"
	"github.com/orffvar/forecaster/stream/checkpoint"
	"github.com/orffvar/forecaster/stream/file/filestore"
)

// exhaust takes all file descriptors of this process until give is called.
func exhaust(t *testing.T) (give func()) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	low := limit
	low.Cur = 100
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &low); err != nil {
		t.Fatal(err)
	}
	var taken []*os.File
	give = sync.OnceFunc(func() {
		for _, f := range taken {
			f.Close()
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(give)
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			return give
		}
		if err != nil {
			t.Fatal(err)
		}
		taken = append(taken, f)
	}
}

// TestFault63_NoDescriptors: a checkpoint, whole or of changes, that cannot be opened for
// want of file descriptors is written when there are some again, or given up with its
// context.
func TestFault63_NoDescriptors(t *testing.T) {
	dir := t.TempDir()
	var log logtest.Buffer
	s, err := filestore.Open(dir, logtest.New(&log))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	waiting := func(n int) bool { return strings.Count(log.String(), "no file descriptor is free") >= n }
	for i, c := range []checkpoint.Checkpoint{{Next: 5, State: checkpoint.StateOf([]byte("whole"))}, {Next: 6, Since: 5, State: checkpoint.StateOf([]byte("change"))}, {Next: 7, State: checkpoint.StateOf([]byte("whole"))}} {
		give := exhaust(t)
		done := make(chan error, 1)
		go func() { done <- s.Save(context.Background(), c) }()
		for !waiting(i+1) && len(done) == 0 {
			time.Sleep(time.Millisecond)
		}
		give()
		if err := <-done; err != nil {
			t.Errorf("checkpoint %d: %v", i, err)
		}
	}

	give := exhaust(t)
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := errors.New("stop")
	done := make(chan error, 1)
	go func() { done <- s.Save(ctx, checkpoint.Checkpoint{Next: 8, Since: 7}) }()
	for !waiting(4) && len(done) == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel(stop)
	if err := <-done; !errors.Is(err, stop) || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("after the end of its context Save returned %v", err)
	}
	loaded := make(chan error, 1)
	var list []checkpoint.Checkpoint
	go func() {
		var err error
		list, err = s.Load(context.Background())
		loaded <- err
	}()
	for !waiting(5) && len(loaded) == 0 {
		time.Sleep(time.Millisecond)
	}
	give()
	if err := <-loaded; err != nil || len(list) != 1 || list[0].Next != 7 {
		t.Errorf("Load returned %+v, %v", list, err)
	}
}
