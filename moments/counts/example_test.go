package counts_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/moments/counts"
)

// Words, and what they may be.
const (
	the, dog, cat, sees = 0, 1, 2, 3
	other, noun         = 0, 1
)

// regions returns sentences of which it is known how many words are nouns.
func regions() *counts.Data {
	labels := []int{other, noun}
	d, err := counts.New(4, 2, [][]int{{the, dog}, {the, cat, sees}, {dog, cat}}, []counts.Annotation{
		{Sequence: 0, Lo: 0, Hi: 2, Labels: labels, Counts: []int{1, 1}},
		{Sequence: 1, Lo: 0, Hi: 3, Labels: labels, Counts: []int{2, 1}},
		{Sequence: 2, Lo: 0, Hi: 2, Labels: labels, Counts: []int{0, 2}},
	})
	if err != nil {
		log.Fatal(err)
	}
	return d
}

// Which of the words are nouns?
func Example() {
	s, err := regions().Constrained(0, counts.Stop{Tolerance: 1e-9, Iterations: 1000})
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

// The same by maximum likelihood, from what least squares found.
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
	likelihood, err := tagger.Exact(0)
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
