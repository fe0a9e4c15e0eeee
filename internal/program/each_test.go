package program

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"
)

func TestEach(t *testing.T) {
	for _, workers := range []string{"1", "4"} {
		var done [20]atomic.Int64
		got := execute(t.Context(), func(ctx context.Context, r *Run) error {
			return r.Each(ctx, "counting", len(done), func(i int) error { done[i].Add(1); return nil })
		}, "-workers", workers)
		if got.status != 0 || got.stderr != "counting 20/20 in 0.0 s\n" {
			t.Errorf("%+v", got)
		}
		for i := range done {
			if n := done[i].Load(); n != 1 {
				t.Errorf("%s workers: %d was done %d times", workers, i, n)
			}
		}
		var begun atomic.Int64
		got = execute(t.Context(), func(ctx context.Context, r *Run) error {
			return r.Each(ctx, "", 1000, func(i int) error {
				if begun.Add(1); i >= 2 {
					return fmt.Errorf("no %d", i)
				}
				return nil
			})
		}, "-workers", workers)
		if got.status != 1 || got.stderr != "fake: no 2\n" || begun.Load() > 3+4 {
			t.Errorf("%s workers: %+v, %d begun", workers, got, begun.Load())
		}
		ctx, cancel := context.WithCancel(t.Context())
		got = execute(ctx, func(ctx context.Context, r *Run) error {
			err := r.Each(ctx, "", 1000, func(i int) error { cancel(); return nil })
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v after a cancel", err)
			}
			return err
		}, "-workers", workers)
		if got.status != 130 {
			t.Errorf("%+v", got)
		}
	}
}

// An interrupt takes effect immediately during long work.
func TestInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := Interruptible(ctx, func() (int, error) {
		<-release
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if n, err := Interruptible(t.Context(), func() (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
