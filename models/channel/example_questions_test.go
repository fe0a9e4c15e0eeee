package channel_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring/expr"
)

// scribe returns the machine of a scribe who copies a and b, with the probability of each copy.
func scribe(p *em.Params, name string, right float64) cascade.Stage {
	var arcs []fst.Arc[expr.W]
	for _, in := range "ab" {
		copies := p.Group(name+" "+string(in), 2, em.Dirichlet{Alpha: 1.1})
		copies.SetStart([]float64{right, 1 - right})
		for _, out := range "ab" {
			i := 0
			if out != in {
				i = 1
			}
			arcs = append(arcs, fst.Arc[expr.W]{In: in, Out: out, Weight: copies.Weight(i)})
		}
	}
	return fst.OneState(p.Space(), expr.One, arcs...)
}

// Three copies of a lost original, by scribes who changed one letter in ten. What did it say?
func ExampleNewBranching() {
	p := em.NewParams()
	letters := p.Group("letters", 2, em.Multinomial{})
	original := fst.OneState(p.Space(), expr.One,
		fst.Arc[expr.W]{In: 'a', Out: 'a', Weight: letters.Weight(0)},
		fst.Arc[expr.W]{In: 'b', Out: 'b', Weight: letters.Weight(1)})
	var copies [][]cascade.Stage
	for _, name := range []string{"first", "second", "third"} {
		copies = append(copies, []cascade.Stage{scribe(p, name, .9)})
	}
	predictor, err := channel.NewBranching(p, []cascade.Stage{original}, copies...).Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := predictor.Best(channel.Query{Branches: [][]int32{fst.RuneLabels("abba"), fst.RuneLabels("abbb"), fst.RuneLabels("babb")}}, channel.Target, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(best[0].Text())
	// Output: abbb
}

// copies is what a scribe read and wrote.
var copies = cascade.Pairs([][2]string{{"aabb", "aabb"}, {"bbbb", "abab"}})

// A trained channel, from a file. It is asked for the source of a target.
func ExampleLoad() {
	p := em.NewParams()
	m := channel.New(p, scribe(p, "scribe", .8))
	if _, err := m.Fit(context.Background(), copies, nil); err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		log.Fatal(err)
	}
	m, err := channel.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := m.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	best, err := predictor.Best(channel.Query{Target: fst.RuneLabels("ba")}, channel.Source, 2)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range best {
		fmt.Printf("%s %.2f\n", c.Text(), c.Prob())
	}
	// Output:
	// ba 0.63
	// bb 0.22
}

// Trained for P(Y | X): of six times b, two became a. (The prior counts a little, too.)
func ExampleModel_FitConditional() {
	p := em.NewParams()
	m := channel.New(p, scribe(p, "scribe", .8))
	result, err := m.FitConditional(context.Background(), copies, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := m.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	logp, err := predictor.LogProb(channel.Query{Source: fst.RuneLabels("b"), Target: fst.RuneLabels("a")})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: b becomes a %.2f\n", result.Status, math.Exp(logp))
	// Output: converged: b becomes a 0.34
}
