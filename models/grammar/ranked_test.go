package grammar

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// TestBestTrees: the trees are all there are, listed one by one, the most probable first, each
// once; fewer are the first of them.
func TestBestTrees(t *testing.T) {
	for seed := range trials.Seeds(trials.Serial(uint64(12))) {
		r := rand.New(rand.NewPCG(seed, 1))
		for _, k := range kinds {
			data := randomSentences(r, 3, 1, 5)
			m := newTestModel(t, k, data, nil)
			m.Theta = m.Params.Random(r)
			p, err := m.Predictor(MostProbable)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range data {
				tags, _ := m.tags.numbers(s)
				want := (&oracle{m, m.Theta, tags}).trees()
				slices.SortStableFunc(want, func(a, b tree) int { return cmp.Compare(b.p, a.p) })
				got, err := p.BestTrees(s, len(want)+1)
				if err != nil || len(got) != len(want) {
					t.Fatalf("seed %d: %v of %v: %d trees, want %d, %v", seed, k, s, len(got), len(want), err)
				}
				seen := map[string]bool{}
				for i, x := range got {
					j := slices.IndexFunc(want, func(y tree) bool { return slices.Equal(y.heads, x.Heads) && slices.Equal(y.spans, x.Spans) })
					if j < 0 || seen[fmt.Sprint(x.Heads, x.Spans)] {
						t.Fatalf("seed %d: %v of %v: %+v is not a tree, or comes twice", seed, k, s, x)
					}
					seen[fmt.Sprint(x.Heads, x.Spans)] = true
					// in a rounding error's reach others may come in its place
					if math.Abs(x.LogProb-math.Log(want[j].p)) > 1e-9 || math.Abs(x.LogProb-math.Log(want[i].p)) > 1e-9 {
						t.Fatalf("seed %d: %v of %v: number %d has %v, want %v; the tree %v", seed, k, s, i, x.LogProb, math.Log(want[i].p), math.Log(want[j].p))
					}
				}
				best, err := p.Best(s)
				if err != nil || math.Abs(best.LogProb-got[0].LogProb) > 1e-9 {
					t.Fatalf("seed %d: %v of %v: Best is %+v, %v, want %+v", seed, k, s, best, err, got[0])
				}
				n := 1 + r.IntN(len(want))
				some, err := p.BestTrees(s, n)
				if err != nil || !reflect.DeepEqual(some, got[:n]) {
					t.Fatalf("seed %d: %v of %v: %d trees %+v, %v, want %+v", seed, k, s, n, some, err, got[:n])
				}
			}
		}
	}
}

// TestBestTreesTies: where all trees are equally probable, their order is the same for other
// words, other predictors and however many are asked for.
func TestBestTreesTies(t *testing.T) {
	data := [][]string{{"A", "A", "A", "A", "A"}, {"B", "B", "B", "B", "B"}}
	m := newTestModel(t, CCM, data, nil)
	for _, g := range m.Params.Groups() {
		for i := range g.In(m.Theta) {
			g.In(m.Theta)[i] = 1 / float64(g.Len())
		}
	}
	var first []*Parse
	for i := range 4 {
		p, err := m.Predictor(MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.BestTrees(data[i%2], 14-i)
		if err != nil || len(all) != 14-i || all[0].LogProb != all[len(all)-1].LogProb {
			t.Fatalf("%d trees, %v", len(all), err)
		}
		if first == nil {
			first = all
		}
		if !reflect.DeepEqual(all, first[:len(all)]) {
			t.Errorf("other trees: %+v, want %+v", all, first)
		}
	}
}

// TestBestTreesZero: trees of probability 0 are none, and a list without trees is empty.
func TestBestTreesZero(t *testing.T) {
	m := newTestModel(t, DMV, [][]string{{"A", "B"}}, nil)
	d := m.dmv
	copy(d.root.In(m.Theta), []float64{1, 0}) // only A is the root
	p, err := m.Predictor(MostProbable)
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.BestTrees([]string{"A", "B"}, 5)
	if err != nil || len(all) != 1 || !slices.Equal(all[0].Heads, []int{-1, 0}) {
		t.Errorf("%+v, %v", all, err)
	}
	for _, sentence := range [][]string{{"B"}, {"B", "B"}} {
		if all, err = p.BestTrees(sentence, 5); err != nil || len(all) > 0 {
			t.Errorf("%v: %+v, %v", sentence, all, err)
		}
	}
	_, few := p.BestTrees([]string{"A", "B"}, 0)
	_, empty := p.BestTrees(nil, 5)
	_, unknown := p.BestTrees([]string{"A", "X"}, 5)
	q, err := m.Predictor(MostHeads)
	if err != nil {
		t.Fatal(err)
	}
	_, other := q.BestTrees([]string{"A", "B"}, 5)
	for i, err := range []error{few, empty, unknown, other} {
		if !errors.Is(err, ErrInvalid) {
			t.Errorf("%d: %v, want ErrInvalid", i, err)
		}
	}
}
