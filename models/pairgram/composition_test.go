package pairgram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

type scaled = semiring.ScaledFloat

// cutting is a lattice as an fst.Finder: an acceptor of chunks.
type cutting struct{ *lattice }

func (l cutting) Semiring() semiring.Semiring[scaled] { return semiring.Scaled{} }

func (l cutting) AppendStarts(dst []fst.Start[scaled]) []fst.Start[scaled] {
	return append(dst, fst.Start[scaled]{Weight: semiring.NewScaled(1)})
}

func (l cutting) Final(s int32) scaled {
	if int(s) < l.numStates()-1 {
		return scaled{}
	}
	return semiring.NewScaled(1)
}

func (l cutting) AppendArcs(dst []fst.Arc[scaled], s int32) []fst.Arc[scaled] {
	for e := l.row[s]; e < l.row[s+1]; e++ {
		dst = append(dst, fst.Arc[scaled]{In: l.chunk[e], Out: l.chunk[e], To: l.to[e], Weight: semiring.NewScaled(1)})
	}
	return dst
}

func (l cutting) AppendMatching(dst []fst.Arc[scaled], s int32, _ fst.Tape, label int32) []fst.Arc[scaled] {
	n := len(dst)
	dst = l.AppendArcs(dst, s)
	kept := slices.DeleteFunc(dst[n:], func(a fst.Arc[scaled]) bool { return a.In != label })
	return dst[:n+len(kept)]
}

// remembering is an acceptor of histories as an fst.Finder.
type remembering struct {
	histories
	chunks int
}

func (h remembering) Semiring() semiring.Semiring[scaled] { return semiring.Scaled{} }

func (h remembering) AppendStarts(dst []fst.Start[scaled]) []fst.Start[scaled] {
	return append(dst, fst.Start[scaled]{State: h.Start(), Weight: semiring.NewScaled(1)})
}

func (h remembering) Final(s int32) scaled { return h.End(s) }

func (h remembering) AppendArcs(dst []fst.Arc[scaled], s int32) []fst.Arc[scaled] {
	for n := range h.chunks {
		dst = h.AppendMatching(dst, s, fst.Input, int32(n+1))
	}
	return dst
}

func (h remembering) AppendMatching(dst []fst.Arc[scaled], s int32, _ fst.Tape, label int32) []fst.Arc[scaled] {
	if label == fst.Epsilon {
		return dst
	}
	next, weight := h.Step(s, label)
	return append(dst, fst.Arc[scaled]{In: label, Out: label, To: next, Weight: weight})
}

// spelling returns the transducer from one side of sequences of chunks to their numbers, in
// the order in which m reads them.
func spelling(t testing.TB, m *Model, side func(Chunk) []int32) *fst.FST[scaled] {
	t.Helper()
	one := semiring.NewScaled(1)
	b := fst.NewBuilder(semiring.Scaled{})
	b.AddState()
	b.AddStart(0, one)
	b.SetFinal(0, one)
	for n, c := range m.chunks.All() {
		s := side(c)
		at, out := int32(0), int32(n+1)
		for i := range max(len(s), 1) {
			a := fst.Arc[scaled]{Out: out, Weight: one}
			if len(s) > 0 {
				a.In = m.symbol(s, i)
			}
			if i < len(s)-1 {
				a.To = b.AddState()
			}
			b.AddArc(at, a)
			at, out = a.To, fst.Epsilon
		}
	}
	f, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// compose returns the composition of several machines, expanded.
func compose(t testing.TB, first fst.Machine[scaled], more ...fst.Machine[scaled]) *graph.Graph[scaled] {
	t.Helper()
	for _, m := range more {
		first = fst.Compose(first, m)
	}
	f, err := fst.Expand(first, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f.Graph()
}

// sumAndBest returns the logarithms of the weights of all paths and of the best one.
func sumAndBest(t testing.TB, g *graph.Graph[scaled]) (sum, best float64) {
	t.Helper()
	total, err := graph.PathSum(g)
	if err != nil {
		t.Fatal(err)
	}
	costs, err := graph.New(semiring.Tropical{}, g.Row(), g.To(), costsOf(g.Weights()),
		[]graph.Start[semiring.Cost]{{State: g.Starts()[0].State}}, costsOf(g.Finals()))
	if err != nil {
		t.Fatal(err)
	}
	least, err := graph.PathSum(costs)
	if err != nil {
		t.Fatal(err)
	}
	return total.Log(), -float64(least)
}

func costsOf(weights []scaled) []semiring.Cost {
	costs := make([]semiring.Cost, len(weights))
	for i, w := range weights {
		costs[i] = semiring.Cost(-w.Log())
	}
	return costs
}

// acceptor returns s in the order in which m reads it, as an acceptor.
func (m *Model) acceptor(s []int32) *fst.FST[scaled] {
	s = slices.Clone(s)
	if m.reversed {
		slices.Reverse(s)
	}
	return fst.FromString(semiring.Scaled{}, s)
}

// TestExpansionIsTheComposition of the lattice and each of the acceptors of histories, bit
// by bit; and the composition of the strings, the chunks and the n-grams has its sum and
// its best path.
func TestExpansionIsTheComposition(t *testing.T) {
	for seed := range trials.Seeds(24) {
		rng := rand.New(rand.NewPCG(seed, 12))
		m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
		source := spelling(t, m, func(c Chunk) []int32 { return c.Source })
		target := fst.Invert(spelling(t, m, func(c Chunk) []int32 { return c.Target }))
		grams, err := ngram.NewCounter(3, int32(m.chunks.Len()))
		if err != nil {
			t.Fatal(err)
		}
		uses := &tally{grams: grams}
		for range m.chunks.All() {
			uses.weight = append(uses.weight, semiring.NewScaled(rng.Float64()))
		}
		for _, p := range randomPairs(rng, 4, 4) {
			l := m.chunks.lattice(newReader(m.chunks.sizes), p.Source, p.Target)
			if m.reversed {
				l = l.reversed()
			}
			looks := new(window)
			looks.set(m, [][]int32{p.Target})
			for _, h := range []histories{history{m.grams}, uses, looks} {
				got, err := new(expansion).expand(l, h)
				if err != nil {
					t.Fatal(err)
				}
				want := compose(t, cutting{l}, remembering{h, m.chunks.Len()})
				if !slices.Equal(got.Row(), want.Row()) || !slices.Equal(got.To(), want.To()) ||
					!slices.Equal(got.Weights(), want.Weights()) || !slices.Equal(got.Finals(), want.Finals()) {
					t.Fatalf("seed %d: the expansion of %v with %T is not the composition", seed, p, h)
				}
			}
			got, err := new(expansion).expand(l, history{m.grams})
			if err != nil {
				t.Fatal(err)
			}
			sum, best := sumAndBest(t, got)
			all := compose(t, m.acceptor(p.Source), source, remembering{history{m.grams}, m.chunks.Len()}, target, m.acceptor(p.Target))
			if wantSum, wantBest := sumAndBest(t, all); !near(sum, wantSum) || !near(best, wantBest) {
				t.Fatalf("seed %d: %v has sum %v and best path %v, want %v and %v", seed, p, sum, best, wantSum, wantBest)
			}
		}
	}
}

// TestSearchIsTheComposition of the source, the chunks and the n-grams, where no chunk is
// an insertion and nothing is left out.
func TestSearchIsTheComposition(t *testing.T) {
	for seed := range trials.Seeds(12) {
		rng := rand.New(rand.NewPCG(seed, 13))
		m := randomModel(t, rng, inventories[1], seed%2 == 1)
		d := newTestPredictor(t, m, &PredictorOptions{Width: 1 << 20, Margin: 1e9})
		source := spelling(t, m, func(c Chunk) []int32 { return c.Source })
		x := randomPairs(rng, 2, 5)[0].Source
		part, err := d.Lattice(t.Context(), x)
		if err != nil {
			t.Fatal(err)
		}
		sum, best := sumAndBest(t, part.Graph)
		wantSum, wantBest := sumAndBest(t, compose(t, m.acceptor(x), source, remembering{history{m.grams}, m.chunks.Len()}))
		if !near(sum, wantSum) || !near(best, wantBest) {
			t.Fatalf("seed %d: %v has sum %v and best path %v, want %v and %v", seed, x, sum, best, wantSum, wantBest)
		}
	}
}

// near reports whether two logarithms are equal, but for rounding.
func near(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-9*(1+math.Abs(b)) }

// BenchmarkExpansion: the lattice of a pair with the n-grams, by an expansion and by
// fst.Compose.
func BenchmarkExpansion(b *testing.B) {
	m, pairs := benchModel(b)
	r, h := newReader(m.chunks.sizes), history{m.grams}
	each := func(do func(l *lattice) error) func(*testing.B) {
		return func(b *testing.B) {
			i := 0
			for b.Loop() {
				p := &pairs[i%500]
				if err := do(m.chunks.lattice(r, p.Source, p.Target)); err != nil {
					b.Fatal(err)
				}
				i++
			}
		}
	}
	x := new(expansion)
	b.Run("expansion", each(func(l *lattice) error { _, err := x.expand(l, h); return err }))
	a := fst.NewArena(semiring.Scaled{})
	b.Run("composition", each(func(l *lattice) error {
		a.Reset()
		f, err := a.Expand(a.Compose(cutting{l}, remembering{h, m.chunks.Len()}), nil)
		if err == nil {
			f.Graph()
		}
		return err
	}))
}
