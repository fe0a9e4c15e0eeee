package edit

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/mistakes"
	"example.org/pathsum/models/pairgram"
	"example.org/pathsum/semiring"
)

// TestMessages: mistakes are refused in words that name what is wrong.
func TestMessages(t *testing.T) {
	var all mistakes.List
	alphabetMistakes(&all)
	contextMistakes(t, &all)
	correctorMistakes(t, &all)
	a, _, _ := mixed(t, 1)
	other, _, _ := mixed(t, 2)
	all.Add("NewMixture: no models", ErrInvalid, func() error { _, err := NewMixture(); return err })
	all.Add("NewMixture: models of different contexts", ErrInvalid, func() error { _, err := NewMixture(a, other); return err })
	var text bytes.Buffer
	if err := contextual(t, randomPairs(rand.New(rand.NewPCG(7, 7)), 10), few).Save(&text); err != nil {
		t.Fatal(err)
	}
	for _, x := range [][2]string{
		{`"0 1 2"`, `"0 1 x"`},
		{`"0 1 3"`, `"2 1 3"`},
		{`"0 2 3"`, `"0"`},
		{`{"format":"pathsum`, `{"format":"other`},
	} {
		if !strings.Contains(text.String(), x[0]) {
			t.Fatalf("no %s in the file", x[0])
		}
		all.Add("Load: "+x[1]+" for "+x[0], em.ErrFormat, func() error {
			_, err := Load(strings.NewReader(strings.Replace(text.String(), x[0], x[1], 1)))
			return err
		})
	}
	mistakes.Check(t, all)
}

func alphabetMistakes(all *mistakes.List) {
	for _, x := range []struct {
		call   string
		labels []int32
	}{{"label 0", []int32{0}}, {"label -1", []int32{-1}}, {"a label twice", []int32{1, 1}}} {
		all.Add("NewJoint: "+x.call, ErrInvalid, func() error { _, err := NewJoint(x.labels, []int32{1}, em.Multinomial{}); return err })
		all.Add("NewConditional: "+x.call, ErrInvalid, func() error { _, err := NewConditional([]int32{1}, x.labels, em.Multinomial{}); return err })
	}
	one := pairgram.Chunk{Source: []int32{1}}
	for _, x := range []struct {
		call   string
		chunks []pairgram.Chunk
		prior  float64
	}{
		{"an empty chunk", []pairgram.Chunk{{}}, 0},
		{"label 0", []pairgram.Chunk{{Source: []int32{0}}}, 0},
		{"label -1", []pairgram.Chunk{{Target: []int32{-1}}}, 0},
		{"a chunk twice", []pairgram.Chunk{one, one}, 0},
		{"a negative prior", []pairgram.Chunk{one}, -1},
		{"a prior that is not a number", []pairgram.Chunk{one}, math.NaN()},
		{"an infinite prior", []pairgram.Chunk{one}, math.Inf(1)},
	} {
		all.Add("NewChunks: "+x.call, ErrInvalid, func() error { _, err := NewChunks(x.chunks, x.prior, em.Multinomial{}); return err })
	}
}

func contextMistakes(t *testing.T, all *mistakes.List) {
	ok := []Pair{{Source: letters, Target: letters}}
	for _, x := range []struct {
		call     string
		alphabet []int32
		data     []Pair
		opts     ContextOptions
	}{
		{"label 0", []int32{0, 1}, ok, ContextOptions{}},
		{"a negative label", []int32{-1}, ok, ContextOptions{}},
		{"a label twice", []int32{1, 1}, ok, ContextOptions{}},
		{"no first window", letters, ok, ContextOptions{Windows: []Window{{0, 1}}}},
		{"no windows", letters, ok, ContextOptions{Windows: []Window{}}},
		{"a window that shrinks", letters, ok, ContextOptions{Windows: []Window{{0, 0}, {1, 1}, {0, 2}}}},
		{"a window twice", letters, ok, ContextOptions{Windows: []Window{{0, 0}, {0, 1}, {0, 1}}}},
		{"a window to the left only", letters, ok, ContextOptions{Windows: []Window{{0, 0}, {1, 0}}}},
		{"a negative prior", letters, ok, ContextOptions{Prior: -1}},
		{"least that is not a number", letters, ok, ContextOptions{MinCount: math.NaN()}},
	} {
		all.Add("NewContextual: "+x.call, ErrInvalid, func() error { _, err := NewContextual(x.alphabet, x.data, &x.opts); return err })
	}
	fit := func(p Pair) func() error {
		return func() error { _, _, err := fitContextual(t, letters, []Pair{p}, nil, nil); return err }
	}
	all.Add("Contextual.Fit: an unknown symbol in a source", ErrInvalid, fit(Pair{Source: []int32{4}}))
	all.Add("Contextual.Fit: an unknown symbol in a target", em.ErrUnderivable, fit(Pair{Source: letters, Target: []int32{4}}))
}

func correctorMistakes(t *testing.T, all *mistakes.List) {
	m := contextual(t, []Pair{{Source: letters, Target: letters}}, nil)
	one := Word{[]int32{1, 2}, 1}
	for _, x := range []struct {
		call  string
		words []Word
		opts  *CorrectorOptions
	}{
		{"equal words", []Word{one, {[]int32{3}, 1}, one}, nil},
		{"weight 0", []Word{{[]int32{1}, 0}}, nil},
		{"an infinite weight", []Word{{[]int32{1}, math.Inf(1)}}, nil},
		{"width -1", []Word{one}, &CorrectorOptions{Width: -1}},
		{"a margin that is not a number", []Word{one}, &CorrectorOptions{Margin: math.NaN()}},
		{"prune -1", []Word{one}, &CorrectorOptions{Prune: -1}},
		{"-1 candidates", []Word{one}, &CorrectorOptions{Candidates: -1}},
	} {
		all.Add("NewCorrector: "+x.call, ErrInvalid, func() error { _, err := NewCorrector(m, x.words, x.opts); return err })
	}
	c, err := NewCorrector(m, []Word{one}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, x := range []struct {
		call string
		ask  func(context.Context, []int32, int) ([]Correction, error)
	}{{"Best", c.Best}, {"Posteriors", c.Posteriors}} {
		all.Add("Corrector."+x.call+": a string that is too long", semiring.ErrLimit, func() error { _, err := x.ask(t.Context(), make([]int32, 5), 1); return err })
		all.Add("Corrector."+x.call+": canceled", context.Canceled, func() error { _, err := x.ask(ctx, []int32{1, 2}, 1); return err })
	}
}
