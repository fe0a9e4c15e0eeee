package models_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/beamtest"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/semiring"
)

// A pipeline trains tags of sentences as one process does: em.Fit
// gets the likelihood of a job instead of the likelihood of the sentences.
func Example() {
	ctx := context.Background()
	sentences := [][]string{{"D", "N", "V"}, {"N", "V", "D", "N"}, {"D", "N", "V", "N"}}
	m, err := grammar.New(grammar.Product, sentences, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, files := exampleText(sentences) // a line for each sentence
	text, err := beam.Survey(ctx, dir, nil, files...)
	if err != nil {
		fmt.Println(err)
		return
	}
	var saved bytes.Buffer
	if err := m.Save(&saved); err != nil {
		fmt.Println(err)
		return
	}
	shards := text.Cut(em.NewCut(text.Lines()))
	job := beam.Job{Model: models.Grammar, Saved: saved.Bytes(), Dir: dir, Shards: shards}
	l, err := beam.New(ctx, job)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer l.Close()
	result, err := em.FitFrom(ctx, l, &m.Theta, &em.Options{Iterations: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d shards, %.4f nats\n", l.Shards(), result.LogLikelihood)
	// Output: 3 shards, -208.2324 nats
}

// opened is a grammar as opened by a worker; a careless one creates weights for its shards.
type opened struct {
	*grammar.Model
	careless bool
}

func (o opened) Shard(_ context.Context, lines iter.Seq2[cascade.Line, error]) (em.Divisible, error) {
	var sentences [][]string
	for l, err := range lines {
		if err != nil {
			return nil, err
		}
		if o.careless {
			o.Params.Space().Const(semiring.NewScaled(1 / float64(2+len(l.Text))))
		}
		sentences = append(sentences, strings.Fields(l.Text))
	}
	l, err := o.Model.Shard(sentences)
	return l.(em.Divisible), err
}

// failures is a testing.TB that records failures instead of failing.
type failures struct {
	testing.TB
	said []string
}

func (f *failures) Helper() {}

func (f *failures) Errorf(format string, args ...any) {
	f.said = append(f.said, fmt.Sprintf(format, args...))
}

func (f *failures) Fatalf(format string, args ...any) {
	f.Errorf(format, args...)
	panic(f)
}

// TestCheck: the checker accepts a good model, and reports the errors of others.
func TestCheck(t *testing.T) {
	lines := []string{"D N V", "N V D N", "D N V N", "N", "V N", "D D N"}
	var sentences [][]string
	for _, l := range lines {
		sentences = append(sentences, strings.Fields(l))
	}
	m, err := grammar.New(grammar.DMV, sentences, nil)
	if err != nil {
		t.Fatal(err)
	}
	var saved bytes.Buffer
	if err := m.Save(&saved); err != nil {
		t.Fatal(err)
	}
	want, err := m.Likelihood(sentences)
	if err != nil {
		t.Fatal(err)
	}
	var shards [][]string
	for _, l := range lines {
		shards = append(shards, []string{l})
	}
	check := func(careless bool, theta []float64, shards [][]string) []string {
		f := &failures{TB: t}
		func() {
			defer func() {
				if x := recover(); x != nil && x != any(f) {
					panic(x)
				}
			}()
			open := func(r io.Reader) (beam.Model, error) {
				m, err := grammar.Load(r)
				return opened{m, careless}, err
			}
			beamtest.Check(f, open, saved.Bytes(), shards, theta, want)
		}()
		return f.said
	}
	if said := check(false, m.Theta, shards); said != nil {
		t.Errorf("a good model: %q", said)
	}
	if said := check(true, m.Theta, shards); len(said) != 1 || !strings.Contains(said[0], "as the model is opened") {
		t.Errorf("a careless model: %q", said)
	}
	if said := check(false, m.Theta[1:], shards); len(said) != 1 || !strings.Contains(said[0], "44 values") {
		t.Errorf("θ too short: %q", said)
	}
	if said := check(false, m.Theta, shards[1:]); len(said) != 1 || !strings.Contains(said[0], "shards") {
		t.Errorf("too few shards: %q", said)
	}
	swapped := append([][]string{shards[1], shards[0]}, shards[2:]...)
	if said := check(false, m.Theta, swapped); said != nil && len(said) != 2 {
		t.Errorf("other order: %q", said)
	}
	other := append([][]string{{"V V V"}}, shards[1:]...)
	if said := check(false, m.Theta, other); len(said) != 2 || !strings.Contains(said[0], "differ in their bits") {
		t.Errorf("other lines: %q", said)
	}
}
