package pairset

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/pairgram"
)

func TestParseKinds(t *testing.T) {
	one := []pairgram.Size{{Source: 1, Target: 0}, {Source: 1, Target: 1}}
	two := []pairgram.Size{{Source: 1, Target: 2}}
	for _, x := range []struct {
		list, direction string
		want            []Kind
		err             string
	}{
		{"10,11", Forward, []Kind{{one, false}}, ""},
		{"10,11", Both, []Kind{{one, false}, {one, true}}, ""},
		{"10,11:backward+12", Both, []Kind{{one, true}, {two, false}, {two, true}}, ""},
		{"10,1x", Forward, nil, `"1x" is not a size`},
		{"10,111", Forward, nil, `"111" is not a size`},
		{"10:up", Forward, nil, `"up" is not a direction`},
	} {
		got, err := ParseKinds(x.list, x.direction)
		if d := cmp.Diff(x.want, got); d != "" || x.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), x.err) {
			t.Errorf("%s, %s: %v, %s", x.list, x.direction, err, d)
		}
	}
}

// trained returns models of a few pairs, of two classes or without classes.
func trained(t *testing.T, classes []float64) (*Trainer, []pairgram.Pair, *Set) {
	t.Helper()
	var pairs []pairgram.Pair
	for range 5 {
		pairs = append(pairs, pairgram.Texts("ab", "xy"), pairgram.Texts("b", "y"), pairgram.Texts("ba", "yx"))
	}
	kinds, err := ParseKinds("10,01,11:both+11,12", Forward)
	if err != nil {
		t.Fatal(err)
	}
	x := &Trainer{Kinds: kinds, Recipe: pairgram.Recipe{Count: pairgram.CountOptions{Order: 2}}}
	if err := x.Align(t.Context(), pairs, func(int) *em.Options { return &em.Options{Iterations: 3} }); err != nil {
		t.Fatal(err)
	}
	of := [][]pairgram.Pair{pairs}
	if classes != nil {
		of = append(of, pairs[:9])
	}
	s, err := x.Joint(t.Context(), classes, of...)
	if err != nil {
		t.Fatal(err)
	}
	return x, pairs, s
}

// TestJoint: kinds with the same chunks share an aligner, and a model equals the result of its
// recipe.
func TestJoint(t *testing.T) {
	x, pairs, s := trained(t, nil)
	if len(x.Aligners) != 2 || len(x.Fits) != 2 || len(s.Joint) != 3 {
		t.Fatalf("%d aligners, %d models", len(x.Aligners), len(s.Joint))
	}
	for i, k := range x.Kinds {
		recipe, a := x.Of(k)
		want, err := recipe.FitAligned(t.Context(), a, pairs)
		if err != nil {
			t.Fatal(err)
		}
		var got, again bytes.Buffer
		if err := errors.Join(s.Joint[i].Save(&got), want.Save(&again)); err != nil || !bytes.Equal(got.Bytes(), again.Bytes()) {
			t.Errorf("model %d: %v", i, err)
		}
		if s.Joint[i].Reversed() != k.Reversed || !slices.Equal(a.Chunks().Sizes(), s.Joint[i].Chunks().Sizes()) {
			t.Errorf("model %d is of another kind", i)
		}
	}
	if _, err := s.Single(); !errors.Is(err, ErrSeveral) {
		t.Errorf("error %v of three models", err)
	}
	if m, err := (&Set{Joint: s.Joint[:1]}).Single(); err != nil || m != s.Joint[0] {
		t.Errorf("error %v of one model", err)
	}
}

// TestPredictor: the score of a pair is the mean of the models' ln p, or with classes of the
// mixtures' ln p, before and after saving.
func TestPredictor(t *testing.T) {
	for _, classes := range [][]float64{nil, {.25, .75}} {
		_, pairs, s := trained(t, classes)
		want := 0.0
		n := max(1, len(classes))
		for group := range slices.Chunk(s.Joint, n) {
			p := 0.0
			for k, m := range group {
				one, err := m.Predictor(nil)
				if err != nil {
					t.Fatal(err)
				}
				logp, err := one.LogProb(pairs[0].Source, pairs[0].Target)
				if err != nil {
					t.Fatal(err)
				}
				weight := 1.0
				if classes != nil {
					weight = classes[k]
				}
				p += weight * math.Exp(logp)
			}
			want += math.Log(p) / 3
		}
		var b bytes.Buffer
		for _, m := range s.Savers() {
			if err := m.Save(&b); err != nil {
				t.Fatal(err)
			}
		}
		loaded, err := Load(&b, len(s.Joint), false, classes)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []*Set{s, loaded} {
			p, err := s.Predictor(nil)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := p.LogProb(pairs[0].Source, pairs[0].Target); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("classes %v: ln p %g, want %g, %v", classes, got, want, err)
			}
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for _, x := range []struct {
		n           int
		conditional bool
		classes     []float64
		want        string
	}{
		{0, false, nil, "0 models"},
		{3, false, []float64{.5, .5}, "3 models of 2 classes"},
		{2, true, []float64{.5, .5}, "conditional models of classes"},
		{1, false, nil, ""},
		{1, true, nil, ""},
	} {
		if _, err := Load(new(bytes.Buffer), x.n, x.conditional, x.classes); err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%+v: %v", x, err)
		}
	}
}

func TestNewScore(t *testing.T) {
	split := func(s string) []string { return strings.Split(s, "") }
	got, err := NewScore([][][]string{
		{split("xyz"), split("xy")},               // right
		{split("pqs"), split("x"), split("pqrs")}, // third; one error of four
		nil, // two of two
	}, [][][]string{{split("xy"), split("xyz")}, {split("pqrs")}, {split("pq")}})
	if err != nil {
		t.Fatal(err)
	}
	want := Score{WER: 2. / 3, PER: 3. / 9, Words: 3, Top10: 2. / 3, Pair1: 1. / 4, Pair10: 3. / 4}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestAlignment: the longest readable pair is drawn.
func TestAlignment(t *testing.T) {
	x, pairs, _ := trained(t, nil)
	pairs = append(pairs, pairgram.Texts(strings.Repeat("a", readable+1), "x"))
	letters := fst.RuneSymbols("a-z")
	f, err := Alignment(x.Aligners[0], pairs, letters, letters)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := f.Write(&b, "svg"); err != nil || !strings.Contains(b.String(), "Posteriors of the alignment") {
		t.Errorf("%v, %d bytes", err, b.Len())
	}
	if _, err := Alignment(x.Aligners[0], pairs, fst.NewSymbols(), letters); !errors.Is(err, fst.ErrSymbol) {
		t.Errorf("error %v of symbols without names", err)
	}
}
