package ngram_test

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func Example() {
	letters := fst.NewSymbols("a", "b", "n")
	words := map[string]float64{"banana": 2, "anna": 1}
	m, err := ngram.Train(2, int32(letters.Len()-1), func(yield func([]int32, float64) bool) {
		for _, word := range []string{"banana", "anna"} {
			labels, _ := letters.EncodeRunes(word)
			if !yield(labels, words[word]) {
				return
			}
		}
	}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := letters.Find("a")
	n, _ := letters.Find("n")
	fmt.Printf("p(n | b a) = %.3f, p(end | b a) = %.3f\n", m.Prob([]int32{2, a}, n), m.Prob([]int32{2, a}, ngram.End))

	// The acceptor gives every string its probability, whether it was seen or not.
	acceptor, err := ngram.Acceptor(m, semiring.Semiring[float64](semiring.Real{}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	total, err := graph.PathSum(acceptor.Graph())
	fmt.Printf("%d states; all strings together: %.6f %v\n", acceptor.NumStates(), total, err)
	// Output:
	// p(n | b a) = 0.561, p(end | b a) = 0.335
	// 4 states; all strings together: 1.000000 <nil>
}
