package merge

import (
	"context"
	"math/rand/v2"

	"example.org/pathsum/fst"
)

// A split makes two copies of a state. Each way in enters either copy with some probability, and
// each copy has its own probabilities of the ways out. The copy that a visit enters is a latent
// class of its way in and way out. So EM, from a random start, finds the best split of the table
// of the counts of ways through the state, with all other states unchanged. The gain in the
// likelihood of this table is a lower bound of the gain in the likelihood of the data.

const (
	splitStarts  = 4  // random starts of the EM of a table
	perturbation = .1 // relative noise in the counts of the machine to be trained
)

// splits returns a split of each state.
func (u *usage) splits(ctx context.Context, o *Options, rng *rand.Rand) ([]*change, error) {
	var out []*change
	for s := range int32(len(u.ways)) {
		if len(u.ways[s]) == 0 {
			continue
		}
		t := newTable(u, s, o)
		var best *split
		for range splitStarts {
			z := t.draw(rng)
			if err := t.learn(ctx, z); err != nil {
				return nil, err
			}
			if err := t.harden(ctx, z); err != nil {
				return nil, err
			}
			if best == nil || z.gain > best.gain {
				best = z
			}
		}
		if !(best.gain > 0) {
			// The ways in and out do not distinguish the copies. More distant parts of a path
			// may: leave all ways open.
			best = t.draw(rng)
			if err := t.learn(ctx, best); err != nil {
				return nil, err
			}
			best.gain = t.score(best)
		}
		seed := [2]uint64{rng.Uint64(), rng.Uint64()}
		out = append(out, &change{Split, best.gain, func() (*fst.FST[float64], error) {
			return u.split(t, best, rand.New(rand.NewPCG(seed[0], seed[1])))
		}})
	}
	return out, nil
}

// split returns the machine with two copies of the state of t. The second copy is a new state.
// Counts are slightly perturbed.
func (u *usage) split(t *table, z *split, rng *rand.Rand) (*fst.FST[float64], error) {
	f := u.counts
	other := int32(f.NumStates())
	copies := [2]int32{t.state, other}
	b := fst.NewBuilder(real)
	b.AllowZero()
	b.SetSymbols(f.InSymbols(), f.OutSymbols())
	b.AddStates(f.NumStates() + 1)
	starts := f.Graph().Starts()
	enter := map[int32][2]float64{}
	for i, in := range t.in {
		enter[in] = z.enter[i]
	}
	noise := func() float64 { return 1 + perturbation*(2*rng.Float64()-1) }
	// into adds an arc, or one arc to each copy if the arc leads to the split state.
	into := func(from int32, a fst.Arc[float64], in int32) {
		if a.To != t.state {
			b.AddArc(from, a)
			return
		}
		count := a.Weight
		for k, p := range enter[in] {
			if p > 0 {
				a.To, a.Weight = copies[k], count*p*noise()
				b.AddArc(from, a)
			}
		}
	}
	for i, x := range starts {
		if x.State != t.state {
			b.AddStart(x.State, x.Weight)
			continue
		}
		for k, p := range enter[int32(i)] {
			if p > 0 {
				b.AddStart(copies[k], x.Weight*p*noise())
			}
		}
	}
	row := f.Graph().Row()
	for s := range int32(f.NumStates()) {
		if s == t.state {
			continue
		}
		for i, a := range f.AppendArcs(nil, s) {
			into(s, a, int32(len(starts))+row[s]+int32(i))
		}
		b.SetFinal(s, f.Final(s))
	}
	leave := t.leaving(z)
	for k, s := range copies {
		for i, e := range t.out {
			count := leave[k][i] * noise()
			if e == stop {
				b.SetFinal(s, count)
			} else if count > 0 {
				into(s, fst.Arc[float64]{In: f.In()[e], Out: f.Out()[e], To: f.Graph().To()[e], Weight: count}, int32(len(starts))+e)
			}
		}
	}
	return b.Freeze()
}

// leaving returns how often each copy is left by each way out.
func (t *table) leaving(z *split) [2][]float64 {
	var counts [2][]float64
	for k := range counts {
		counts[k] = make([]float64, len(t.out))
	}
	for _, c := range t.cells {
		p := z.share(c)
		for k := range p {
			counts[k][c.out] += c.count * p[k] / (p[0] + p[1])
		}
	}
	return counts
}
