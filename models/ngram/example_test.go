package ngram_test

import (
	"fmt"
	"os"

	"example.org/pathsum/fst"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func Example() {
	letters := fst.NewSymbols("a", "b", "n")
	words := map[string]float64{"banana": 2, "anna": 1}
	vocabulary := int32(letters.Len() - 1) // 0 is ε
	data := func(yield func([]int32, float64) bool) {
		for _, word := range []string{"banana", "anna"} {
			labels, _ := letters.EncodeRunes(word)
			if !yield(labels, words[word]) {
				return
			}
		}
	}
	m, err := ngram.Fit(2, vocabulary, data, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, _ := letters.Find("a")
	n, _ := letters.Find("n")
	fmt.Printf("p(n | b a) = %.3f, p(end | b a) = %.3f\n", m.Prob([]int32{2, a}, n), m.Prob([]int32{2, a}, ngram.End))
	symbols := []int32{2, a, n}
	logp := m.LogProb(symbols)
	fmt.Printf("ban: %.2f nats\n", logp)

	// The acceptor gives every string its probability, whether it was seen or not.
	acceptor, err := ngram.Acceptor(m, semiring.Real{}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	total, err := graph.PathSum(acceptor.Graph())
	fmt.Printf("%d states; all strings together: %.6f %v\n", acceptor.NumStates(), total, err)
	// Output:
	// p(n | b a) = 0.531, p(end | b a) = 0.174
	// ban: -4.85 nats
	// 4 states; all strings together: 1.000000 <nil>
}

// A model of uncertain data, pruned and written for other tools.
func ExampleCounter() {
	c, err := ngram.NewCounter(2, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	letters := fst.NewSymbols("a", "b")
	// It was "ab", or with a probability of 1/4 "aa", and then "a".
	for _, seen := range []struct {
		history []int32
		symbol  int32
		p       float64
	}{
		{nil, 1, 1}, {[]int32{1}, 2, .75}, {[]int32{1}, 1, .25}, {[]int32{1, 2}, ngram.End, .75}, {[]int32{1, 1}, ngram.End, .25},
		{nil, 1, 1}, {[]int32{1}, ngram.End, 1},
	} {
		if err := c.Add(seen.history, seen.symbol, seen.p); err != nil {
			fmt.Println(err)
			return
		}
	}
	m, err := c.Model(nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if m, err = m.Pruned(.02); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.WriteARPA(os.Stdout, letters); err != nil {
		fmt.Println(err)
	}
	// Output:
	// \data\
	// ngram 1=4
	// ngram 2=2
	//
	// \1-grams:
	// -99	<s>	-0.301029996
	// -0.401168979	</s>
	// -0.475195334	a
	// -0.571625198	b	-0.301029996
	//
	// \2-grams:
	// -0.175608978	<s> a
	// -0.155822076	b </s>
	//
	// \end\
}
