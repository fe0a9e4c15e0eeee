package pairgram

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/internal/keytable"
	"example.org/pathsum/internal/trials"
)

// TestLogProbsByEnumeration: scored together, targets have the sums over all their cuts, whether
// they are alike, equal, empty, unknown or impossible; and so they have if the results of steps are
// known from other sources.
func TestLogProbsByEnumeration(t *testing.T) {
	possible := 0
	for seed := range trials.Seeds(40) {
		rng := rand.New(rand.NewPCG(seed, 14))
		m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
		d := newTestPredictor(t, m, nil)
		for _, p := range randomPairs(rng, 6, 3) {
			ys := [][]int32{p.Target, {}, {9}, p.Target, append(slices.Clone(p.Target), 9)}
			targets(3, func(y []int32) {
				if rng.IntN(2) == 0 {
					ys = append(ys, slices.Clone(y))
				}
			})
			got, err := d.LogProbs(t.Context(), p.Source, ys)
			if err != nil {
				t.Fatal(err)
			}
			for i, y := range ys {
				want := math.Log(probability(m, p.Source, y))
				if got[i] != want && !(math.Abs(got[i]-want) <= 1e-9*(1+math.Abs(want))) {
					t.Fatalf("seed %d: %v has ln p %g with source %v, want %g", seed, y, got[i], p.Source, want)
				}
				if alone := logProb(t, m, p.Source, y); got[i] != alone && !(math.Abs(got[i]-alone) <= 1e-12*(1+math.Abs(alone))) {
					t.Fatalf("seed %d: %v has ln p %g among others, %g by itself", seed, y, got[i], alone)
				}
				if !math.IsInf(want, -1) {
					possible++
				}
			}
		}
	}
	if possible < 500 {
		t.Errorf("%d targets are possible", possible)
	}
}

// TestLogProbsOfLongTargets: more states than maxShared make no difference beyond rounding.
func TestLogProbsOfLongTargets(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 15))
	m := randomModel(t, rng, inventories[0], false)
	d := newTestPredictor(t, m, nil)
	long := func(n int) (s []int32) {
		for range n {
			s = append(s, 1+rng.Int32N(3))
		}
		return s
	}
	x, ys := long(100), [][]int32{long(90), long(100)}
	if (len(x)+1)*(len(ys[0])+len(ys[1])) <= maxShared {
		t.Fatal("these targets are scored together")
	}
	got, err := d.LogProbs(t.Context(), x, ys)
	if err != nil {
		t.Fatal(err)
	}
	for i, y := range ys {
		if want := logProb(t, m, x, y); got[i] != want {
			t.Errorf("target %d has ln p %g, want %g", i, got[i], want)
		}
	}
}

// TestSteps: results are those of history, whether they are kept, forgotten or new.
func TestSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 16))
	m := randomModel(t, rng, inventories[0], false)
	s, kept := steps{history: history{m.grams}}, 0
	for i := range 20000 {
		chunk := 1 + rng.Int32N(int32(m.chunks.Len()))
		context := m.grams.Start()
		for range i % 3 {
			context, _ = m.grams.Step(context, 1+rng.Int32N(int32(m.chunks.Len())))
		}
		key := keytable.Pair(context, chunk)
		if i > 0 {
			cell := &s.latest[mix(kindGrams, key)%numSteps]
			switch {
			case cell.key == key:
				kept++
			case i%2 == 0: // as after a step with the same cell
				*cell = step{key: keytable.Pair(-1, chunk), next: -1}
			}
		}
		next, w := s.Step(context, chunk)
		wantNext, want := s.history.Step(context, chunk)
		if next != wantNext || w != want {
			t.Fatalf("step %d: context %d and %v, want %d and %v", i, next, w, wantNext, want)
		}
	}
	if kept < 10000 {
		t.Errorf("%d results were kept", kept)
	}
}

func TestLogProbsCanceled(t *testing.T) {
	d := newTestPredictor(t, randomModel(t, rand.New(rand.NewPCG(1, 17)), inventories[0], false), nil)
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.LogProbs(done, []int32{1}, [][]int32{{1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want Canceled", err)
	}
}
