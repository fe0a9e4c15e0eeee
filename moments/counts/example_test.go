package counts_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
)

// Words, and what they may be.
const (
	the, dog, cat, sees = 0, 1, 2, 3
	other, noun         = 0, 1
)

// regions returns sentences with known numbers of nouns.
func regions() *counts.Data {
	const symbols, labels = 4, 2
	sequences := [][]int{{the, dog}, {the, cat, sees}, {dog, cat}}
	annotations := []counts.Annotation{
		{Sequence: 0, Lo: 0, Hi: 2, Labels: []int{other, noun}, Counts: []int{1, 1}},
		{Sequence: 1, Lo: 0, Hi: 3, Labels: []int{other, noun}, Counts: []int{2, 1}},
		{Sequence: 2, Lo: 0, Hi: 2, Labels: []int{other, noun}, Counts: []int{0, 2}},
	}
	d, err := counts.New(symbols, labels, sequences, annotations)
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Which of the words are nouns?
func Example() {
	d := regions()
	s, err := d.Constrained(0, counts.Stop{Tolerance: 1e-9, Iterations: 1000})
	if err != nil {
		log.Fatal(err)
	}
	for a, word := range []string{"the", "dog", "cat", "sees"} {
		fmt.Printf("%s %.2f\n", word, s.W.At(a, noun))
	}
	// Output:
	// the 0.00
	// dog 1.00
	// cat 1.00
	// sees 0.00
}

// The same by maximum likelihood, starting from the least-squares estimate.
func ExampleTagger() {
	d := regions()
	s, err := d.Constrained(1e-3, counts.Stop{Tolerance: 1e-9, Iterations: 1000})
	if err != nil {
		log.Fatal(err)
	}
	tagger := d.Tagger(em.Multinomial{})
	start, err := tagger.Theta(s.W, .1)
	if err != nil {
		log.Fatal(err)
	}
	likelihood, err := tagger.Exact(nil)
	if err != nil {
		log.Fatal(err)
	}
	fit, err := em.Fit(context.Background(), likelihood, &em.Options{Start: start, Iterations: 100})
	if err != nil {
		log.Fatal(err)
	}
	w := tagger.Distributions(fit.Theta)
	fmt.Printf("dog %.2f, sees %.2f\n", w.At(dog, noun), w.At(sees, noun))
	// Output:
	// dog 1.00, sees 0.00
}

// Without the constraint that weights be probabilities. If all that is known is that two words
// of “dog sees” have one noun among them, either is half of one.
func ExampleData_LeastSquares() {
	d, err := counts.New(4, 2, [][]int{{dog, sees}}, []counts.Annotation{
		{Sequence: 0, Lo: 0, Hi: 2, Labels: []int{noun}, Counts: []int{1}},
	})
	if err != nil {
		log.Fatal(err)
	}
	s, err := d.LeastSquares(0, counts.Stop{Tolerance: 1e-9, Iterations: 100})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("dog %.2f, sees %.2f\n", s.W.At(dog, noun), s.W.At(sees, noun))
	// Output: dog 0.50, sees 0.50
}

// A beam of two states is all that regions of three words need: how many nouns there have been
// is one of two numbers, or cannot lead to the count any more.
func ExampleTagger_Beam() {
	tagger := regions().Tagger(em.Multinomial{})
	exact, err := tagger.Exact(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, likelihood := range []em.Likelihood{exact, tagger.Beam(2), tagger.Beam(1)} {
		e, err := likelihood.Expect(context.Background(), em.Query{Theta: tagger.Params.Start()})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.3f\n", e.LogLikelihood)
	}
	// Output:
	// -3.060
	// -3.060
	// -4.852
}

// An annotator counts the labels of three positions of a sequence of five.
func ExampleSimulate() {
	for _, a := range counts.Simulate([][]int{{noun, other, noun, noun, noun}}, 2, 3, rand.NewPCG(1, 1)) {
		fmt.Println(a.Hi-a.Lo, "positions:", a.Counts[noun], "nouns")
	}
	// Output: 3 positions: 3 nouns
}

// How many taggings of three words have one noun, if the first word may be anything?
func ExampleAutomaton() {
	m, err := counts.Automaton(semiring.Scaled{}, 2, 3, counts.Annotation{Lo: 1, Hi: 3, Labels: []int{noun}, Counts: []int{1}})
	if err != nil {
		log.Fatal(err)
	}
	n, err := fst.PathSum(m, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n)
	// Output: 4
}

// Annotators look for one of two labels each.
func ExampleSimulateSubsets() {
	for _, a := range counts.SimulateSubsets([][]int{{noun, other}, {noun, noun}, {noun, noun}}, 2, 2, 1, rand.NewPCG(1, 1)) {
		fmt.Println("label", a.Labels[0], "occurs", a.Counts[0], "times")
	}
	// Output:
	// label 0 occurs 1 times
	// label 1 occurs 2 times
	// label 1 occurs 2 times
}
