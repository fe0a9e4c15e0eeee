package merge

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/fst"
)

// change is a candidate replacement of a machine.
type change struct {
	move    Moves
	promise float64                           // the predicted gain in nats
	machine func() (*fst.FST[float64], error) // with counts as weights
}

// changes returns the most promising changes of each kind, sorted by descending promise.
func (s *search) changes(ctx context.Context, u *usage, rng *rand.Rand) ([]*change, error) {
	var all []*change
	o := &s.opts
	states := u.counts.NumStates()
	if o.Moves&(Merge|Fold) != 0 && states > o.MinStates {
		q := newQuotients(u, o)
		for _, kind := range []Moves{Merge, Fold} {
			if o.Moves&kind != 0 {
				all = append(all, q.changes(kind)...)
			}
		}
	}
	if o.Moves&Split != 0 && states < o.MaxStates {
		splits, err := u.splits(ctx, o, rng)
		if err != nil {
			return nil, err
		}
		all = append(all, best(o.Candidates, splits)...)
	}
	if o.Moves&Drop != 0 {
		all = append(all, drops(u.counts, o)...)
	}
	return best(len(all), all), nil
}

// best returns the n most promising changes. Ties keep their order.
func best(n int, all []*change) []*change {
	slices.SortStableFunc(all, func(a, b *change) int { return cmp.Compare(b.promise, a.promise) })
	return all[:min(n, len(all))]
}

// part is an arc, or a stop weight.
type part struct {
	arc, state int32 // arc stop: the stop weight
	count      float64
	loss       float64 // the predicted loss without it, in nats
}

// parts returns all parts of a machine of counts, by ascending loss.
//
// The loss is predicted for the best case. Without the part, the other paths of its examples take
// over its probability, so to first order the loss is 0. To second order it is half the sum of
// the squares of the part's shares in the examples. This sum is smallest if all visits of the
// state have equal shares.
func parts(f *fst.FST[float64]) []part {
	var all []part
	row, g := f.Graph().Row(), f.Graph()
	for s := range int32(f.NumStates()) {
		first, visits := len(all), f.Final(s)
		for e := row[s]; e < row[s+1]; e++ {
			all = append(all, part{arc: e, state: s, count: g.Weights()[e]})
			visits += g.Weights()[e]
		}
		if w := f.Final(s); w > 0 {
			all = append(all, part{arc: stop, state: s, count: w})
		}
		for i := range all[first:] {
			x := &all[first+i]
			x.loss = x.count * x.count / (2 * max(visits, math.SmallestNonzeroFloat64))
		}
	}
	slices.SortStableFunc(all, func(a, b part) int { return cmp.Compare(a.loss, b.loss) })
	return all
}

// without returns a machine without some of its parts.
func without(f *fst.FST[float64], some []part) (*fst.FST[float64], error) {
	arcs, final := slices.Clone(f.Graph().Weights()), slices.Clone(f.Graph().Finals())
	for _, x := range some {
		if x.arc == stop {
			final[x.state] = 0
		} else {
			arcs[x.arc] = 0
		}
	}
	return f.WithWeights(arcs, f.AppendStarts(nil), final)
}

// drops returns changes that leave out parts: all parts that may be worth less than they cost,
// half of them, a quarter, …; and each of the least valuable parts alone.
func drops(f *fst.FST[float64], o *Options) []*change {
	all := parts(f)
	drop := func(some []part) *change {
		c := &change{move: Drop}
		for _, x := range some {
			c.promise += o.Prior.Parameter - x.loss
		}
		c.machine = func() (*fst.FST[float64], error) { return without(f, some) }
		return c
	}
	var out []*change
	n := 0
	for n < len(all) && all[n].loss < o.Prior.Parameter {
		n++
	}
	for ; n > 1; n /= 2 {
		out = append(out, drop(all[:n]))
	}
	for i := range min(o.Candidates, len(all)) {
		out = append(out, drop(all[i:i+1]))
	}
	return out
}

// times returns c·ln c, 0 for 0.
func times(c float64) float64 {
	if c == 0 {
		return 0
	}
	return c * math.Log(c)
}
