package cascade_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/frames"
)

// A recognizer has read two words, letter by letter, and gives weights to a and b. The
// frequencies of the letters are learnt without a decision on the words. They then decide the
// second word: its first letter looks more like a b, but as are more frequent.
func ExampleSoft() {
	model := unigram("ab", em.Multinomial{})
	var data cascade.Data
	for _, p := range [][]float64{{.9, .1, .8, .2, .1, .9, .9, .1}, {.4, .6, .9, .1}} {
		output, err := frames.Probabilities(len(p)/2, 2, p, nil)
		if err != nil {
			log.Fatal(err)
		}
		data.Examples = append(data.Examples, cascade.Example{Y: cascade.Soft(output, []int32{'a', 'b'})})
	}
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("a %.2f, b %.2f\n", model.Theta[0], model.Theta[1])

	word, err := cascade.Marginal(model.Problem, data.Examples[1], 1, model.Theta)
	if err != nil {
		log.Fatal(err)
	}
	best, err := fst.BestPaths(word.WithSemiring(semiring.Viterbi{}), 1, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(string(best[0].Out))
	// Output:
	// a 0.84, b 0.16
	// aa
}
