package em

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/internal/nested"
)

// Summer sums over the derivations of the examples of a shard, one at a time: numbers in, counts
// out. Visit of a Sharded returns it with the numbers of the E step; it belongs to one goroutine.
type Summer interface {
	// Len returns the number of examples, numbered n from 0 here.
	Len() int
	// Weight returns the Index of example n in the data, and its weight: 0 leaves it out.
	Weight(n int) (index int, weight float64)
	// Sum is as in Sharded, for example n.
	Sum(n int, weight float64, t *Tally) (ln float64, err error)
	// Example returns the report of example n, the example of the last Sum: it has no
	// derivation, or Sum has failed.
	Example(n int) Skipped
	// Drain is as in Sharded.
	Drain(t *Tally) error
}

// summing is a worker, and the Summer of a shard whose examples have indices.
type summing struct {
	of     *sharding
	worker any

	// State of the E step. size is the length of the vector in which counts are added up, and
	// second means that there are derivatives.
	pass    any
	without []Skipped
	size    int
	second  bool

	shard, lo, hi int
}

// visit fills t with the tally of a shard.
func (s *summing) visit(ctx context.Context, shard int, t *Tally) error {
	summers, err := s.open(ctx, shard, t)
	for _, x := range summers {
		if err == nil {
			err = s.sum(ctx, x, t)
		}
		if failed := x.Drain(t); err == nil {
			err = failed
		}
	}
	if len(summers) > 1 {
		slices.SortStableFunc(t.Skipped, func(x, y Skipped) int { return x.Index - y.Index })
	}
	return err
}

// open begins a shard and returns the Summers of its examples.
func (s *summing) open(ctx context.Context, shard int, t *Tally) ([]Summer, error) {
	if s.of.visit != nil {
		return s.of.visit(ctx, s.worker, s.pass, shard, t)
	}
	s.shard = shard
	s.lo, s.hi = s.of.cut.Shard(shard)
	t.Examples = s.hi - s.lo
	if s.of.open == nil {
		t.Zeros(s.size, s.second)
	} else if err := s.of.open(ctx, s.worker, s.pass, shard, t); err != nil {
		return nil, err
	}
	return []Summer{s}, nil
}

// sum sums over the examples of x.
func (s *summing) sum(ctx context.Context, x Summer, t *Tally) error {
	done := ctx.Done()
	for n := range x.Len() {
		i, weight := x.Weight(n)
		if weight == 0 || leftOut(s.without, i) {
			continue
		}
		select {
		case <-done:
			return ctx.Err()
		default:
		}
		ln, err := x.Sum(n, weight, t)
		switch {
		case err != nil:
			return nested.Errorf(s.of.name+": %v: %w", x.Example(n), err)
		case math.IsInf(ln, -1):
			t.Skipped = append(t.Skipped, x.Example(n))
		default:
			t.LogLikelihood += weight * ln
		}
	}
	return nil
}

// leftOut reports whether example i is in without, which is in ascending order.
func leftOut(without []Skipped, i int) bool {
	_, ok := slices.BinarySearchFunc(without, i, func(x Skipped, i int) int { return x.Index - i })
	return ok
}

// Len returns the number of examples of the shard.
func (s *summing) Len() int { return s.hi - s.lo }

// Weight returns the index and the weight of example n of the shard.
func (s *summing) Weight(n int) (i int, weight float64) {
	i = s.lo + n
	if s.of.weight == nil {
		return i, 1
	}
	return i, s.of.weight(i)
}

// Sum sums over the derivations of example n of the shard.
func (s *summing) Sum(n int, weight float64, t *Tally) (ln float64, err error) {
	return s.of.sum(s.worker, s.pass, s.lo+n, weight, t)
}

// Example returns the report of example n of the shard.
func (s *summing) Example(n int) Skipped {
	x := Skipped{}
	x.Index, x.Weight = s.Weight(n)
	if s.of.example != nil {
		x.Name = s.of.example(x.Index)
	}
	return x
}

// Drain moves the counts of the worker to t.
func (s *summing) Drain(t *Tally) error {
	if s.of.drain == nil {
		return nil
	}
	return s.of.drain(s.worker, s.pass, s.shard, t)
}
