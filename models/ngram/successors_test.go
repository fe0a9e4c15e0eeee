package ngram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestSuccessorsAreSteps: of every range of symbols, those of which something is known,
// each once, with what Step returns.
// A margin leaves out those that are far behind the best, and no others.
func TestSuccessorsAreSteps(t *testing.T) {
	left := 0
	for seed := range trials.Seeds(60) {
		rng := rand.New(rand.NewPCG(seed, 20))
		order, vocabulary := 1+rng.IntN(4), 2+rng.Int32N(8)
		c, err := NewCounter(order, vocabulary)
		if err != nil {
			t.Fatal(err)
		}
		var all [][]int32
		for range 6 {
			s := make([]int32, rng.IntN(7))
			for i := range s {
				s[i] = 1 + rng.Int32N(vocabulary-1) // the last symbol is never seen
			}
			all = append(all, s)
			if err := c.AddString(s, .5+rng.Float64()); err != nil {
				t.Fatal(err)
			}
		}
		m, err := c.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range all {
			k := m.Start()
			for i := 0; ; i++ {
				lo := 1 + rng.Int32N(vocabulary)
				hi := lo + rng.Int32N(vocabulary+2-lo)
				got := m.AppendSuccessors([]Successor{{Symbol: -7}}, k, lo, hi, math.Inf(1))
				if got[0].Symbol != -7 {
					t.Fatalf("seed %d: it does not append", seed)
				}
				seen := map[int32]bool{}
				for _, x := range got[1:] {
					next, logp := m.Step(k, x.Symbol)
					if x.Symbol < lo || x.Symbol >= hi || seen[x.Symbol] || x.Next != next || x.LogProb != logp {
						t.Fatalf("seed %d, context %d, %d … %d: %+v, want %d, %v", seed, k, lo, hi-1, x, next, logp)
					}
					seen[x.Symbol] = true
				}
				for w := lo; w < hi; w++ {
					if m.find(0, w) > 0 != seen[w] {
						t.Fatalf("seed %d, context %d: symbol %d is known: %v", seed, k, w, !seen[w])
					}
				}
				first := Successor{Symbol: -7, LogProb: -8 * rng.Float64()}
				margin, best := 4*rng.Float64(), first.LogProb
				for _, x := range got[1:] {
					best = max(best, x.LogProb)
				}
				want := slices.DeleteFunc(slices.Clone(got[1:]), func(x Successor) bool { return x.LogProb < best-margin })
				likely := m.AppendSuccessors([]Successor{first}, k, lo, hi, margin)
				if likely[0] != first || !slices.Equal(likely[1:], want) {
					t.Fatalf("seed %d, context %d, %d … %d, margin %g: %+v, want %+v of %+v", seed, k, lo, hi-1, margin, likely[1:], want, got[1:])
				}
				left += len(got) - len(likely)
				if i == len(s) {
					break
				}
				k, _ = m.Step(k, s[i])
			}
		}
	}
	if left < 100 {
		t.Errorf("only %d symbols are left out", left)
	}
}

func TestSuccessorsAllocateNothing(t *testing.T) {
	m := train(t, 3, 4, [][]int32{{1, 2, 3, 1, 2}, {2, 2, 1}})
	dst := make([]Successor, 0, 8)
	k, _ := m.Step(m.Start(), 1)
	if n := testing.AllocsPerRun(100, func() { dst = m.AppendSuccessors(dst[:0], k, 1, 5, 2) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestBetween: of every range of symbols, the n-grams of a context that end with one of them.
func TestBetween(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 21))
	const vocabulary = 300
	var all [][]int32
	for range 40 {
		s := make([]int32, 60)
		for i := range s {
			s[i] = 1 + rng.Int32N(vocabulary/2)*2%vocabulary
		}
		all = append(all, s)
	}
	m := train(t, 2, vocabulary, all)
	for range 5000 {
		context := int32(0)
		if rng.IntN(2) == 0 {
			context, _ = m.Step(m.Start(), 1+rng.Int32N(vocabulary))
		}
		lo, hi := 1+rng.Int32N(vocabulary+1), 1+rng.Int32N(vocabulary+1)
		lo, hi = min(lo, hi), max(lo, hi)
		got, n := m.between(context, lo, hi), int32(0)
		for i := m.first[context]; i < m.first[context+1]; i++ {
			if w := m.symbol[i]; w >= lo && w < hi {
				if n++; i < got.lo || i >= got.hi {
					t.Fatalf("context %d, %d … %d: n-gram %d is not in %v", context, lo, hi-1, i, got)
				}
			}
		}
		if got.hi-got.lo != n {
			t.Fatalf("context %d, %d … %d: %v, want %d n-grams", context, lo, hi-1, got, n)
		}
	}
}
