package pairgram

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

func newTestPredictor(t testing.TB, m *Model, o *PredictorOptions) *Predictor {
	t.Helper()
	d, err := m.Predictor(o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func best(t testing.TB, d interface {
	Best(context.Context, []int32, int) ([]nbest.Candidate, error)
}, x []int32, n int) []nbest.Candidate {
	t.Helper()
	c, err := d.Best(context.Background(), x, n)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestManyGoroutines: a predictor gives each the same answers.
func TestManyGoroutines(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 7))
	d := newTestPredictor(t, randomModel(t, rng, nil, false), nil)
	var sources [][]int32
	var want [][]nbest.Candidate
	for _, p := range randomPairs(rng, 20, 6) {
		sources = append(sources, p.Source)
		want = append(want, best(t, d, p.Source, 5))
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, x := range sources {
				if got, err := d.Best(context.Background(), x, 5); err != nil || !reflect.DeepEqual(got, want[i]) {
					t.Errorf("%v: %v (%v), want %v", x, got, err, want[i])
				}
			}
		})
	}
	wg.Wait()
}

// TestSaved: a loaded model decodes as the saved one, and is followed by what follows.
func TestSaved(t *testing.T) {
	for seed := range trials.Seeds(8) {
		rng := rand.New(rand.NewPCG(seed, 8))
		m := randomModel(t, rng, inventories[seed%4], seed/4%2 == 1)
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		b.WriteString("rest")
		r := bufio.NewReader(&b)
		loaded, err := Load(r)
		if err != nil {
			t.Fatal(err)
		}
		if rest, _ := r.ReadString(0); rest != "rest" {
			t.Errorf("seed %d: %q is left", seed, rest)
		}
		a, c := newTestPredictor(t, m, nil), newTestPredictor(t, loaded, nil)
		for _, p := range randomPairs(rng, 5, 4) {
			if got, want := best(t, c, p.Source, 9), best(t, a, p.Source, 9); !reflect.DeepEqual(got, want) {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
			got, _ := c.LogProb(p.Source, p.Target)
			if want, _ := a.LogProb(p.Source, p.Target); got != want {
				t.Fatalf("seed %d: %v, want %v", seed, got, want)
			}
		}
	}
}

func TestBadFiles(t *testing.T) {
	good := savedModel{Sizes: []savedSize{{1, 0}, {0, 1}, {1, 1}}, Symbols: []int32{2, 1, 1, 1}, Lengths: []uint8{0, 1, 1, 0, 1, 1}}
	if _, err := good.chunks(); err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*savedModel){
		"0 lengths":         func(s *savedModel) { s.Lengths = nil },
		"5 lengths":         func(s *savedModel) { s.Lengths = s.Lengths[:5] },
		"direction":         func(s *savedModel) { s.Direction = 2 },
		"chunk 1 has the s": func(s *savedModel) { s.Lengths[1] = 2 },
		"chunk 3 has the s": func(s *savedModel) { s.Symbols = s.Symbols[:3] },
		"in order":          func(s *savedModel) { s.Symbols = append(s.Symbols, 1) },
		"chunk 1 has":       func(s *savedModel) { s.Symbols[0] = 0 },
		"twice":             func(s *savedModel) { s.Symbols, s.Lengths = []int32{1, 1}, []uint8{0, 1, 0, 1} },
		"are not in order":  func(s *savedModel) { s.Symbols, s.Lengths = []int32{2, 1}, []uint8{1, 0, 1, 0} },
		"not both 0":        func(s *savedModel) { s.Sizes = []savedSize{{0, 0}} },
	} {
		s := good
		s.Symbols, s.Lengths = append([]int32{}, good.Symbols...), append([]uint8{}, good.Lengths...)
		change(&s)
		if _, err := s.chunks(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("error %v, want %q", err, says)
		}
	}
	if _, err := Load(strings.NewReader("pathsum hmm 1\nand more than that")); !errors.Is(err, ErrFormat) {
		t.Errorf("another file: %v", err)
	}
}

func TestUnknownSymbols(t *testing.T) {
	d := newTestPredictor(t, randomModel(t, rand.New(rand.NewPCG(3, 3)), nil, false), nil)
	_, err := d.Best(context.Background(), []int32{1, 2, 9}, 3)
	if !errors.Is(err, nbest.ErrUnknown) || !strings.Contains(err.Error(), "9 at position 2") {
		t.Errorf("error %v", err)
	}
	if logp, err := d.LogProb([]int32{9}, []int32{1}); err != nil || !math.IsInf(logp, -1) {
		t.Errorf("an unknown source has ln p %v (%v)", logp, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Best(ctx, []int32{1, 2}, 3); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// TestLongWords: 10⁴ symbols are no problem, in either order, and their targets have
// a probability.
func TestLongWords(t *testing.T) {
	for _, reversed := range []bool{false, true} {
		pairs := []Pair{{Source: []int32{1, 2, 3}, Target: []int32{4, 5, 6}}, {Source: []int32{3, 2}, Target: []int32{6, 5}}, {Source: []int32{1, 1, 2}, Target: []int32{4, 5}}}
		a := newTestAligner(t, pairs, nil)
		if _, err := a.Fit(t.Context(), pairs, nil); err != nil {
			t.Fatal(err)
		}
		counts, err := a.Count(t.Context(), pairs, &CountOptions{Order: 3, Reversed: reversed})
		if err != nil {
			t.Fatal(err)
		}
		m, err := counts.Model(nil)
		if err != nil {
			t.Fatal(err)
		}
		x := make([]int32, 10_000)
		for i := range x {
			x[i] = int32(1 + i%3)
		}
		d := newTestPredictor(t, m, nil)
		found := best(t, d, x, 2)
		if len(found) != 2 || !(found[1].LogProb <= found[0].LogProb) || math.IsInf(found[0].LogProb, 0) || len(found[0].Labels) < 9_000 {
			t.Errorf("%v: %d targets", reversed, len(found))
		}
		if _, err := d.LogProb(x, found[0].Labels); !errors.Is(err, semiring.ErrLimit) {
			t.Errorf("%v: 10⁸ places to align: %v", reversed, err)
		}
		short := x[:300]
		one := best(t, d, short, 1)[0]
		if logp, err := d.LogProb(short, one.Labels); err != nil || !(logp >= one.LogProb-1e-6) || logp > one.LogProb+30 {
			t.Errorf("%v: ln p %v (%v), the search has %v", reversed, logp, err, one.LogProb)
		}
	}
}

func count(pairs []Pair, o *CountOptions) (*Counts, error) {
	a, err := NewAligner(pairs, nil)
	if err != nil {
		return nil, err
	}
	return a.Count(context.Background(), pairs, o)
}

// TestSkipped: pairs that cannot be cut are named, by EM and in counting.
func TestSkipped(t *testing.T) {
	pairs := []Pair{{Source: []int32{1}, Target: []int32{1}}, {Source: []int32{1}, Target: []int32{1, 1, 1}, Name: "long"}, {Source: []int32{1, 2}, Target: []int32{1}}}
	a := newTestAligner(t, pairs, &AlignerOptions{Sizes: []Size{{1, 0}, {1, 1}}})
	r, err := a.Fit(t.Context(), pairs, &em.Options{Iterations: 3})
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Count(t.Context(), pairs, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := []em.Skipped{{Index: 1, Name: "long", Weight: 1, Structural: true}}
	if !reflect.DeepEqual(r.Skipped, want) || !reflect.DeepEqual(c.Skipped, want) {
		t.Errorf("%v and %v, want %v", r.Skipped, c.Skipped, want)
	}
}

// A source with several targets weighs as much as the heaviest of its pairs.
func TestQuestions(t *testing.T) {
	pairs := []Pair{{Source: []int32{1}, Target: []int32{1}, Weight: em.Times(3)}, {Source: []int32{2}, Target: []int32{1}}, {Source: []int32{1}, Target: []int32{2}, Weight: em.Times(2)}}
	got := questions(pairs)
	if len(got) != 2 || got[0].weight != 3 || got[1].weight != 1 || len(got[0].ys) != 2 || !slices.Equal(got[0].pairs, []int{0, 2}) {
		t.Errorf("%+v", got)
	}
}
