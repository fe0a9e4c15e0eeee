package align

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// A corpus has the sentences and lines that it was given.
func TestCorpusSentences(t *testing.T) {
	r, c := random(1), NewCorpus()
	var want []Sentence
	for n := range 50 {
		s := randomSentence(r, 6)
		if err := c.AddLine(3*n, s); err != nil {
			t.Fatal(err)
		}
		want = append(want, s)
	}
	for n, s := range want {
		if d := cmp.Diff(s, c.Sentence(n)); d != "" || c.Line(n) != 3*n {
			t.Errorf("sentence %d, of line %d: %s", n, c.Line(n), d)
		}
	}
}

// The posteriors of a sentence of the corpus are those of its words, to the last bit.
func TestPosteriorsOf(t *testing.T) {
	for _, kind := range []Positions{Model1, Model2, Diagonal, HMM} {
		for seed := range trials.Seeds(30) {
			r := random(seed)
			c := randomCorpus(r, 1+r.IntN(20), 6)
			m := randomModelOf(r, kind, c)
			for n := range c.Len() {
				p, q, wantErr := m.Posteriors(c.Sentence(n))
				forward, backward, err := m.PosteriorsOf(c, n)
				if (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
					t.Fatalf("%v, seed %d: error %v, want %v", kind, seed, err, wantErr)
				}
				if err == nil && (!slices.Equal(p.P, forward.P) || !slices.Equal(q.P, backward.P)) {
					t.Fatalf("%v, seed %d: %v and %v, want %v and %v", kind, seed, forward, backward, p, q)
				}
			}
		}
	}
}

// A corpus that is not the one of the model is refused, also if it is of the same sentences.
func TestPosteriorsOfAnother(t *testing.T) {
	c, same := textOf(t, lines...), textOf(t, lines...)
	m, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(c *Corpus) {
		t.Helper()
		if _, _, err := m.PosteriorsOf(c, 0); !errors.Is(err, ErrInvalid) {
			t.Errorf("error %v", err)
		}
	}
	accepted := func(c *Corpus) {
		t.Helper()
		if _, _, err := m.PosteriorsOf(c, 0); err != nil {
			t.Error(err)
		}
	}
	accepted(c)
	refused(same)
	if _, err := m.Fit(t.Context(), same, &FitOptions{Stages: []Stage{{Model1, 1, Own, Separately}}}); err != nil {
		t.Fatal(err)
	}
	accepted(same)
	refused(c)
	if err := same.Add(Sentence{strings.Fields("the house"), strings.Fields("das haus")}); err != nil {
		t.Fatal(err)
	}
	refused(same)
}

// A sentence of the corpus that has become impossible is named by an error.
func TestPosteriorsOfUnderivable(t *testing.T) {
	c := textOf(t, lines...)
	m := train(t, c, &setup{Stages: []Stage{{HMM, 1, Own, Separately}}, Floor: -1})
	for n := range c.Len() {
		s := c.Sentence(n)
		for _, f := range s.Target {
			m.put("", f, 0)
			for _, e := range s.Source {
				m.put(e, f, 0)
			}
		}
		if _, _, err := m.PosteriorsOf(c, n); !errors.Is(err, em.ErrUnderivable) {
			t.Errorf("sentence %d: error %v", n, err)
		}
	}
}
