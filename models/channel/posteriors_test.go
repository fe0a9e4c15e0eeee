package channel_test

import (
	"cmp"
	"fmt"
	"log"
	"math"
	"slices"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// TestPosteriors: the probabilities of strings given the query are those of all strings that the
// model allows, each with the query, divided by their sum.
func TestPosteriors(t *testing.T) {
	p := em.NewParams()
	var arcs []fst.Arc[bool]
	for in := int32(1); in <= 2; in++ {
		for out := int32(0); out <= 2; out++ {
			arcs = append(arcs, fst.Arc[bool]{In: in, Out: out, Weight: true})
		}
	}
	m := channel.New(p, cascade.Conditional(p, "channel", fst.OneState(semiring.Boolean{}, true, arcs...), em.Multinomial{}))
	m.Theta = p.Random(fsttest.Rand(3))
	d, err := m.Predictor(nil)
	if err != nil {
		t.Fatal(err)
	}
	source := []int32{1, 2, 2}
	all, sum := map[string]float64{}, 0.0
	for _, target := range fsttest.Strings(2, len(source)) {
		logp, err := d.LogProb(channel.Query{Source: source, Target: append([]int32{}, target...)})
		if err != nil {
			t.Fatal(err)
		}
		all[fmt.Sprint(target)] = math.Exp(logp)
		sum += math.Exp(logp)
	}
	const n = 10
	list, err := d.Posteriors(channel.Query{Source: source}, channel.Target, n)
	if err != nil || len(list) != n {
		t.Fatalf("%d candidates, %v", len(list), err)
	}
	if !slices.IsSortedFunc(list, func(a, b nbest.Candidate) int { return cmp.Compare(b.LogProb, a.LogProb) }) {
		t.Errorf("not the most probable first: %v", list)
	}
	for _, x := range list {
		if got, want := x.Prob(), all[fmt.Sprint(x.Labels)]/sum; !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("P(%v | %v) is %g, want %g", x.Labels, source, got, want)
		}
	}

	// Of a string that the model cannot have written there is no source.
	list, err = d.Posteriors(channel.Query{Source: []int32{}, Target: []int32{1}}, channel.Source, n)
	if err != nil || len(list) != 0 {
		t.Errorf("candidates %v, %v, want none", list, err)
	}
	if _, err := d.Posteriors(channel.Query{Source: []int32{9}}, channel.Target, n); err == nil {
		t.Error("no error for a symbol that no arc has")
	}
}

// What was written, if "kop" was heard, and how probable is each answer?
func ExamplePredictor_Posteriors() {
	params := em.NewParams()
	constant := func(stop float64, arcs ...fst.Arc[float64]) cascade.Stage {
		return cascade.Constants(params, fst.OneState(semiring.Real{}, stop, arcs...))
	}
	letter := func(written, heard rune, p float64) fst.Arc[float64] {
		return fst.Arc[float64]{In: written, Out: heard, Weight: p}
	}
	words := constant(.2, letter('c', 'c', .2), letter('k', 'k', .2), letter('o', 'o', .2), letter('p', 'p', .2))
	sounds := constant(1, letter('c', 'k', .75), letter('c', 's', .25), letter('k', 'k', 1), letter('o', 'o', 1), letter('p', 'p', 1))
	predictor, err := channel.New(params, words, sounds).Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	candidates, err := predictor.Posteriors(channel.Query{Target: []rune("kop")}, channel.Source, 5)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range candidates {
		fmt.Printf("%s %.3f\n", c.Text(), c.Prob())
	}
	// Output:
	// kop 0.571
	// cop 0.429
}
