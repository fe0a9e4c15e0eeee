// Package inorder maps a sequence with several goroutines and keeps its order.
package inorder

import (
	"context"
	"iter"
	"sync"
)

// Map returns the results of do for each line, in the order of the lines, each as soon as it
// and all earlier ones are known. It calls do in the given number of goroutines, at least 1;
// the number of results that wait for earlier ones is bounded. The first error of a line or of
// reading ends the sequence at its position, and so does a ctx that is done. All goroutines end
// before the sequence does; a blocking read delays that.
//
// Passing a line from one goroutine to another takes a few microseconds.
func Map[L, R any](ctx context.Context, lines iter.Seq2[L, error], workers int, do func(L) (R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		workers := max(workers, 1)
		m := mapper[L, R]{do: do, jobs: make(chan job[L, R]), order: make(chan chan result[R], 16*workers)}
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() { m.read(ctx, lines) })
		for range workers {
			wg.Go(m.work)
		}
		m.collect(ctx, yield)
	}
}

// mapper has a goroutine that reads lines, several that turn lines into results, and the
// caller's goroutine, which takes the results in order.
type mapper[L, R any] struct {
	do    func(L) (R, error)
	jobs  chan job[L, R]
	order chan chan result[R] // one for each line, in order
}

// job is a line and the channel for its result.
type job[L, R any] struct {
	line L
	out  chan<- result[R]
}

type result[R any] struct {
	value R
	err   error
}

func (m *mapper[L, R]) read(ctx context.Context, lines iter.Seq2[L, error]) {
	defer close(m.jobs)
	defer close(m.order)
	for line, err := range lines {
		out := make(chan result[R], 1)
		select {
		case m.order <- out:
		case <-ctx.Done():
			return
		}
		if err != nil {
			out <- result[R]{err: err}
			return
		}
		select {
		case m.jobs <- job[L, R]{line, out}:
		case <-ctx.Done():
			return
		}
	}
}

func (m *mapper[L, R]) work() {
	for j := range m.jobs {
		value, err := m.do(j.line)
		j.out <- result[R]{value, err}
	}
}

func (m *mapper[L, R]) collect(ctx context.Context, yield func(R, error) bool) {
	for {
		r, ok := m.next(ctx)
		if ctx.Err() != nil {
			yield(*new(R), context.Cause(ctx))
			return
		}
		if !ok || !yield(r.value, r.err) || r.err != nil {
			return
		}
	}
}

// next waits for the next result. ok is false after the last, and if ctx is done.
func (m *mapper[L, R]) next(ctx context.Context) (r result[R], ok bool) {
	var out chan result[R]
	select {
	case out, ok = <-m.order:
	case <-ctx.Done():
	}
	if !ok {
		return r, false
	}
	select {
	case r = <-out:
		return r, true
	case <-ctx.Done():
		return r, false
	}
}
