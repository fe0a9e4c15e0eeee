package bitext

import (
	"context"
	"iter"
	"sync"
)

// batch is how many lines go to a goroutine at once.
const batch = 32

// Map returns the results of do for each line, in the order of the lines. It calls
// do in the given number of goroutines, at least 1; results that are waiting for
// their turn are bounded in number. The first error, of a line or of the reading,
// ends the sequence at its place, and so does a ctx that is done. No goroutine is
// left when the sequence has ended; a read that blocks delays that.
func Map[R any](ctx context.Context, lines iter.Seq2[Line, error], workers int, do func(Line) (R, error)) iter.Seq2[R, error] {
	return func(yield func(R, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		m := mapper[R]{do: do, jobs: make(chan job[R]), order: make(chan chan []result[R], 2*max(workers, 1))}
		var wg sync.WaitGroup
		defer wg.Wait()
		defer cancel()
		wg.Go(func() { m.read(ctx, lines) })
		for range max(workers, 1) {
			wg.Go(func() { m.work(ctx) })
		}
		m.collect(ctx, yield)
	}
}

// mapper has one goroutine that reads batches of lines, some that turn batches into
// results, and the caller's, which takes the results in order.
type mapper[R any] struct {
	do    func(Line) (R, error)
	jobs  chan job[R]
	order chan chan []result[R] // one for each batch, in order
}

// job is a batch of lines and where its results go.
type job[R any] struct {
	lines []Line
	err   error // of the reading, after the lines
	out   chan []result[R]
}

type result[R any] struct {
	value R
	err   error
}

func (m *mapper[R]) read(ctx context.Context, lines iter.Seq2[Line, error]) {
	defer close(m.jobs)
	defer close(m.order)
	send := func(j job[R]) bool {
		j.out = make(chan []result[R], 1)
		select {
		case m.order <- j.out:
		case <-ctx.Done():
			return false
		}
		select {
		case m.jobs <- j:
			return true
		case <-ctx.Done():
			return false
		}
	}
	var j job[R]
	for line, err := range lines {
		if err != nil {
			j.err = err
			break
		}
		if j.lines = append(j.lines, line); len(j.lines) == batch {
			if !send(j) {
				return
			}
			j.lines = nil
		}
	}
	if len(j.lines) > 0 || j.err != nil {
		send(j)
	}
}

func (m *mapper[R]) work(ctx context.Context) {
	for j := range m.jobs {
		results := make([]result[R], 0, len(j.lines)+1)
		for _, line := range j.lines {
			if ctx.Err() != nil {
				return
			}
			value, err := m.do(line)
			results = append(results, result[R]{value, err})
		}
		if j.err != nil {
			results = append(results, result[R]{err: j.err})
		}
		j.out <- results
	}
}

func (m *mapper[R]) collect(ctx context.Context, yield func(R, error) bool) {
	canceled := func() { yield(*new(R), context.Cause(ctx)) }
	for {
		var out chan []result[R]
		var ok bool
		select {
		case out, ok = <-m.order:
		case <-ctx.Done():
			canceled()
			return
		}
		if !ok {
			if ctx.Err() != nil {
				canceled()
			}
			return
		}
		var results []result[R]
		select {
		case results = <-out:
		case <-ctx.Done():
			canceled()
			return
		}
		for _, r := range results {
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
		}
	}
}
