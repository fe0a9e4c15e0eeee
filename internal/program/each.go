package program

import (
	"context"
	"sync"
	"sync/atomic"
)

// Each does do(0), do(1), …, do(n−1), by -workers goroutines. After an error it starts no
// further calls. It returns the first error by number, or ctx's error if ctx is done. what is
// the title of the progress; without it, no progress is shown.
func (r *Run) Each(ctx context.Context, what string, n int, do func(i int) error) error {
	step := func() {}
	if what != "" {
		progress := r.Progress(what, n)
		defer progress.Done()
		step = func() { progress.Step("") }
	}
	errs := make([]error, n)
	var next atomic.Int64
	var failed atomic.Bool
	var all sync.WaitGroup
	for range r.workers() {
		all.Go(func() {
			for !failed.Load() && ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if errs[i] = do(i); errs[i] != nil {
					failed.Store(true)
				}
				step()
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Interruptible returns the result of do, or the error of the context as soon as it is done; do
// then continues in the background.
func Interruptible[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := do()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, ctx.Err()
	}
}
