// Package inorder maps a sequence on several goroutines and keeps its order.
package inorder

import (
	"context"
	"iter"
	"sync"
)

// Map returns the results of do for each line, in the order of the lines, each as soon
// as it and those before it are known. It calls do in the given number of goroutines, at
// least 1; results that are waiting for their turn are bounded in number. The first error,
// of a line or of the reading, ends the sequence at its place, and so does a ctx that is
// done. No goroutine is left when the sequence has ended; a read that blocks delays that.
//
// Going from one goroutine to another costs a line a few microseconds.
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

// mapper has one goroutine that reads lines, some that turn lines into results, and the
// caller's, which takes the results in order.
type mapper[L, R any] struct {
	do    func(L) (R, error)
	jobs  chan job[L, R]
	order chan chan result[R] // one for each line, in order
}

// job is a line and where its result goes.
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

// next waits for the next result; there is none after the last or if ctx is done.
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
