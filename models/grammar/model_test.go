package grammar

import (
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

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/internal/saved"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring/expr"
)

// TestAgreementRises: without smoothing the objective of agreement is all that training
// climbs, and it never falls; with it the penalized one does not. Nor do those of the two
// models alone.
func TestAgreementRises(t *testing.T) {
	const iterations = 10
	for seed := range trials.Seeds(trials.Serial(uint64(10))) {
		// Every yield is there often, so that hardly any is always a constituent.
		data := randomSentences(rand.New(rand.NewPCG(seed, 5)), 150, 2, 4)
		for _, s := range data {
			for i, tag := range s {
				s[i] = strings.Replace(tag, "C", "A", 1)
			}
		}
		for _, k := range kinds {
			for _, smoothing := range []Smoothing{{}, defaultSmoothing} {
				m := newTestModel(t, k, data, &Options{Smoothing: &smoothing, Start: HarmonicCounts + Start(seed%3)})
				likelihood, objective := []float64{}, []float64{}
				opts := &em.Options{Iterations: iterations, Tolerance: -1, Observer: func(v em.Event) {
					likelihood, objective = append(likelihood, v.LogLikelihood), append(objective, v.Objective)
				}}
				_, err := m.Fit(context.Background(), data, opts)
				if smoothing == (Smoothing{}) && errors.Is(err, expr.ErrDivision) {
					continue // one is
				}
				if err != nil {
					t.Fatalf("seed %d: %v: %v", seed, k, err)
				}
				rises := objective
				if smoothing == (Smoothing{}) {
					rises = likelihood
				}
				for i := 1; i < len(rises); i++ {
					if rises[i] < rises[i-1]-1e-9*math.Abs(rises[i]) {
						t.Errorf("seed %d: %v with smoothing %v: %v", seed, k, smoothing, rises)
						break
					}
				}
				if rises[iterations-1] <= rises[0] {
					t.Errorf("seed %d: %v: nothing was learned: %v", seed, k, rises)
				}
			}
		}
	}
}

// TestAgreementIsProductEM: an iteration of the product moves the two models to where each
// maximizes the expected log of its own probability, in trees drawn in proportion to the
// product of both.
func TestAgreementIsProductEM(t *testing.T) {
	for seed := range trials.Seeds(8) {
		r := rand.New(rand.NewPCG(seed, 6))
		data := randomSentences(r, 4, 2, 5)
		m := newTestModel(t, Product, data, &Options{Smoothing: &Smoothing{}})
		m.Theta = m.Params.Random(r)
		counts := expectedUses(m, data, func(x tree) float64 { return x.p })
		before := slices.Clone(m.Theta)
		if _, err := m.Fit(context.Background(), data, &em.Options{Iterations: 1}); err != nil {
			t.Fatal(err)
		}
		for _, g := range m.dmv.groups() {
			want, sum := g.In(before), 0.0
			for _, c := range g.In(counts) {
				sum += c
			}
			for i, got := range g.In(m.Theta) {
				w := want[i]
				if sum > 0 {
					w = g.In(counts)[i] / sum
				}
				if math.Abs(got-w) > 1e-9 {
					t.Fatalf("seed %d: %s is %v, want %v", seed, g.Name(i), got, w)
				}
			}
		}
	}
}

func TestSave(t *testing.T) {
	data := randomSentences(rand.New(rand.NewPCG(7, 7)), 20, 2, 8)
	for _, k := range kinds {
		m := newTestModel(t, k, data, &Options{Smoothing: &Smoothing{1, 3}})
		if _, err := m.Fit(context.Background(), data, &em.Options{Iterations: 3}); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			t.Fatal(err)
		}
		file := b.Bytes()
		again, err := Load(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		if again.Kind() != k || !slices.Equal(again.Tags(), m.Tags()) || !slices.Equal(again.Theta, m.Theta) {
			t.Errorf("%v: another model came back", k)
		}
		p, err := m.Predictor(MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		q, err := again.Predictor(MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		// The last one has spans not seen before.
		for _, s := range append(data, strings.Fields("C C C B B A A A C")) {
			x, err := p.Best(s)
			if err != nil {
				t.Fatal(err)
			}
			y, err := q.Best(s)
			if d := cmp.Diff(x, y); d != "" || err != nil {
				t.Error(d, err)
			}
		}
		// Training goes on from where it was.
		r1, err1 := m.Fit(context.Background(), data, &em.Options{Iterations: 2})
		r2, err2 := again.Fit(context.Background(), data, &em.Options{Iterations: 2})
		if err1 != nil || err2 != nil || !slices.Equal(r1.Objective, r2.Objective) {
			t.Errorf("%v: %v and %v, %v and %v", k, r1, r2, err1, err2)
		}
		m.Theta[0] = 7
		if err := m.Save(&b); !errors.Is(err, em.ErrParameter) {
			t.Errorf("error %v, want ErrParameter", err)
		}
	}
}

// FuzzLoad: no file makes a model that cannot parse.
func FuzzLoad(f *testing.F) {
	data := [][]string{{"A", "B"}, {"B", "A", "C"}}
	for _, k := range kinds {
		m := newTestModel(f, k, data, nil)
		var b bytes.Buffer
		if err := m.Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		var m *Model
		var err error
		memtest.Bound(t, len(file)+saved.Ahead/2000, 2000, func() { m, err = Load(bytes.NewReader(file)) })
		if err != nil || len(m.Tags()) == 0 {
			return
		}
		p, err := m.Predictor(MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		p.Best([]string{m.Tags()[0], m.Tags()[0]})
	})
}

// TestOneWord: a sentence of one word has one tree, and one that a DMV makes impossible none.
func TestOneWord(t *testing.T) {
	data := [][]string{{"A", "B", "A"}, {"B", "A"}}
	p, err := newTestModel(t, CCM, data, nil).Predictor(MostProbable)
	if err != nil {
		t.Fatal(err)
	}
	if x, err := p.Best([]string{"B"}); err != nil || x.Spans == nil || len(x.Spans) > 0 || x.Heads != nil {
		t.Errorf("a word is %+v, %v", x, err)
	}
	d := newTestModel(t, DMV, data, nil)
	copy(d.dmv.root.In(d.Theta), []float64{0, 1})
	if p, err = d.Predictor(MostHeads); err != nil {
		t.Fatal(err)
	}
	for _, sentence := range [][]string{{"A"}, {"A", "A"}} {
		if x, err := p.LogProb(sentence); err != nil || !math.IsInf(x, -1) {
			t.Errorf("ln of the probability of %v is %v, %v", sentence, x, err)
		}
		if _, err = p.Best(sentence); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("%v: %v", sentence, err)
		}
	}
}

// TestConcurrent: one predictor gives many goroutines the parses that it gives one.
func TestConcurrent(t *testing.T) {
	data := randomSentences(rand.New(rand.NewPCG(8, 8)), 30, 2, 8)
	for _, kind := range []Kind{DMV, CCM, Product} {
		m := newTestModel(t, kind, data, nil)
		shared, err := m.Predictor(MostProbable)
		if err != nil {
			t.Fatal(err)
		}
		sentence := func(i int) []string { return append(slices.Clone(data[i]), "A", "C") }
		type answer struct {
			best, second *Parse
			logProb      float64
		}
		ask := func(p *Predictor, i int) (x answer, err error) {
			if x.best, err = p.Best(sentence(i)); err != nil {
				return x, err
			}
			trees, err := p.BestTrees(sentence(i), 2)
			if err != nil {
				return x, err
			}
			x.second = trees[len(trees)-1]
			x.logProb, err = p.LogProb(sentence(i))
			return x, err
		}
		want := make([]answer, len(data))
		for i := range data {
			p, err := m.Predictor(MostProbable)
			if err != nil {
				t.Fatal(err)
			}
			if want[i], err = ask(p, i); err != nil {
				t.Fatal(err)
			}
		}
		var group sync.WaitGroup
		for g := range 8 {
			group.Go(func() {
				for k := range data {
					i := (k + 5*g) % len(data)
					if got, err := ask(shared, i); err != nil || !reflect.DeepEqual(got, want[i]) {
						t.Errorf("%v, sentence %d: %+v, error %v, want %+v", kind, i, got, err, want[i])
					}
				}
			})
		}
		group.Wait()
	}
}
