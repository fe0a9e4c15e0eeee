package align

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/likelihoodtest"
)

// shardwise is a FitOptions.Via by which models that were saved and loaded make E steps of
// single shards.
func shardwise(t *testing.T, m func() *Model, c *Corpus) func(Stage, em.Divisible) (em.Likelihood, error) {
	return func(s Stage, head em.Divisible) (em.Likelihood, error) {
		var file bytes.Buffer
		if err := m().Save(&file); err != nil {
			return nil, err
		}
		loaded, err := Load(&file)
		if err != nil {
			return nil, err
		}
		cut := c.Cut()
		return likelihoodtest.Divided{Head: head, N: cut.Shards(), Shard: func(i int) (em.Divisible, error) {
			lo, hi := cut.Shard(i)
			var part []Sentence
			for n := lo; n < hi; n++ {
				part = append(part, c.Sentence(n))
			}
			l, err := loaded.Shard(part, s)
			if err == nil && l.Shards() != 1 {
				t.Errorf("%d shards, want 1", l.Shards())
			}
			return l, err
		}}, nil
	}
}

// TestShards: training by single shards, each made by a loaded model that has no other
// sentences, has the bits of training.
func TestShards(t *testing.T) {
	c := randomCorpus(random(7), 130, 6)
	if n := c.Cut().Shards(); n < 40 || n == c.Len() {
		t.Fatalf("%d shards of %d sentences", n, c.Len())
	}
	for _, how := range []Counting{Separately, Averaged, Multiplied} {
		for _, kind := range []Positions{Model2, Diagonal, HMM} {
			t.Run(fmt.Sprint(how, kind), func(t *testing.T) {
				c.Prune([]float64{0, .3}[kind%2])
				opts := &FitOptions{Stages: []Stage{{Model1, 2, Own, how}, {kind, 2, Joint, how}}}
				whole, err := New(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				want, err := whole.Fit(t.Context(), c, opts)
				if err != nil {
					t.Fatal(err)
				}
				m, err := New(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				opts.Via = shardwise(t, func() *Model { return m }, c)
				got, err := m.Fit(t.Context(), c, opts)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(m.theta, whole.theta) || !slices.Equal(got.Objective, want.Objective) {
					t.Errorf("other bits: objectives %v, want %v", got.Objective, want.Objective)
				}
			})
		}
	}
}

// TestBadShards: what is no shard of the model's corpus is refused.
func TestBadShards(t *testing.T) {
	c := NewCorpus()
	for _, s := range []string{"a b|x y", "c|z"} {
		e, f, _ := strings.Cut(s, "|")
		if err := c.Add(Sentence{strings.Fields(e), strings.Fields(f)}); err != nil {
			t.Fatal(err)
		}
	}
	m, err := New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	good := Stage{Model1, 1, Own, Separately}
	for _, test := range []struct {
		what      string
		sentences []Sentence
		stage     Stage
	}{
		{"no sentences", nil, good},
		{"another stage", []Sentence{{[]string{"a"}, []string{"x"}}}, Stage{HMM, 1, Own, Separately}},
		{"no stage", []Sentence{{[]string{"a"}, []string{"x"}}}, Stage{Model1, 1, Own, 17}},
		{"an unknown word", []Sentence{{[]string{"a", "q"}, []string{"x"}}}, good},
		{"an unknown pair", []Sentence{{[]string{"a"}, []string{"z"}}}, good},
		{"an empty side", []Sentence{{[]string{"a"}, nil}}, good},
	} {
		if _, err := m.Shard(test.sentences, test.stage); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want an error that wraps ErrInvalid", test.what, err)
		}
	}
	if _, err := m.Shard([]Sentence{{[]string{"c"}, []string{"z"}}}, good); err != nil {
		t.Error(err)
	}
}
