package ngram_test

import (
	"bytes"
	"fmt"
	"iter"
	"log"
	"math"
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

// letters are a, b and n, with the labels 1 to 3.
var letters = fst.NewSymbols("a", "b", "n")

// words yields words of these letters, each once.
func words(words ...string) iter.Seq2[[]int32, float64] {
	return func(yield func([]int32, float64) bool) {
		for _, w := range words {
			labels, err := letters.EncodeRunes(w)
			if err != nil {
				log.Fatal(err)
			}
			if !yield(labels, 1) {
				return
			}
		}
	}
}

// bananas returns a trigram model.
func bananas(opts *ngram.Options) *ngram.Model {
	m, err := ngram.Fit(3, 3, words("banana", "anna", "nab", "ban", "banana"), opts)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// How many letters, all equally probable, would be as hard to predict? Words like those that were
// seen are easier than others.
func ExampleModel_Perplexity() {
	m := bananas(nil)
	fmt.Printf("%.1f and %.1f\n", m.Perplexity(words("bananana")), m.Perplexity(words("nnbbaa")))
	// Output: 2.6 and 4.6
}

// A symbol at a time: what is the probability of each letter, and of the end of the word?
func ExampleModel_Step() {
	m := bananas(nil)
	context, total := m.Start(), 0.
	ban, err := letters.EncodeRunes("ban")
	if err != nil {
		log.Fatal(err)
	}
	for _, letter := range append(ban, ngram.End) {
		next, logp := m.Step(context, letter)
		total += logp
		if letter != ngram.End {
			context = next
		}
	}
	fmt.Printf("%.4f, %.4f\n", math.Exp(total), math.Exp(m.LogProb(ban)))
	// Output: 0.0140, 0.0140
}

// A smaller model: n-grams go that hardly change what is predicted.
func ExampleModel_Pruned() {
	m := bananas(nil)
	small, err := m.Pruned(.01)
	if err != nil {
		log.Fatal(err)
	}
	for n := 1; n <= m.Order(); n++ {
		fmt.Printf("%d-grams: %d, pruned %d\n", n, m.NumGrams(n), small.NumGrams(n))
	}
	fmt.Println("still sums to 1:", small.Validate(0) == nil)
	// Output:
	// 1-grams: 5, pruned 5
	// 2-grams: 11, pruned 5
	// 3-grams: 12, pruned 4
	// still sums to 1: true
}

// Models of other tools are read in the text form of ARPA. Words get labels as they come.
func ExampleReadARPA() {
	var file bytes.Buffer
	if err := bananas(nil).WriteARPA(&file, letters); err != nil {
		log.Fatal(err)
	}
	symbols := fst.NewSymbols()
	m, err := ngram.ReadARPA(&file, "bananas.arpa", symbols)
	if err != nil {
		log.Fatal(err)
	}
	nab, err := symbols.EncodeRunes("nab")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("order %d, P(nab) = %.3f\n", m.Order(), math.Exp(m.LogProb(nab)))
	// Output: order 3, P(nab) = 0.013
}

// A model in a file of its own, to the last bit.
func ExampleLoad() {
	m := bananas(nil)
	var file bytes.Buffer
	if err := m.Save(&file); err != nil {
		log.Fatal(err)
	}
	loaded, err := ngram.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Prob(nil, 2) == m.Prob(nil, 2))
	// Output: true
}

// Two smoothing methods, and none: what is the probability of an n after bb, which never came?
func ExampleOptions() {
	for _, o := range []*ngram.Options{nil, {Smoothing: ngram.WittenBell}, {DiscountScale: []float64{0}}} {
		fmt.Printf("%.2f ", bananas(o).Prob([]int32{2, 2}, 3))
	}
	// Output: 0.11 0.10 0.00
}

// A machine with an arc for each n-gram that was seen, and back-off arcs that are followed where
// nothing else matches. It gives each word the same probability as the model.
func ExampleBackoffAcceptor() {
	m := bananas(nil)
	machine, err := ngram.BackoffAcceptor(m, semiring.Real{}, nil)
	if err != nil {
		log.Fatal(err)
	}
	exact := fst.Match(machine, fst.Matching{Tape: fst.Input, Failure: m.Vocabulary() + 1})
	nab, err := letters.EncodeRunes("nab")
	if err != nil {
		log.Fatal(err)
	}
	p, err := fst.Weight(exact, nab, nab, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.6f, %.6f\n", p, math.Exp(m.LogProb(nab)))
	// Output: 0.013358, 0.013358
}

// What Kneser-Ney smoothing takes from counts of 1, 2, and 3 and more bigrams: each letter that
// follows another is counted once for each letter before both.
func ExampleCounter_Discounts() {
	c, err := ngram.NewCounter(2, 3)
	if err != nil {
		log.Fatal(err)
	}
	for word, weight := range words("banana", "anna", "nab", "ban") {
		if err := c.AddString(word, weight); err != nil {
			log.Fatal(err)
		}
	}
	d, err := c.Discounts()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("bigrams seen once, twice, …: %.0f; taken: %.2f\n", d[1].Counts, d[1].D)
	// Output: bigrams seen once, twice, …: [6 3 0 2]; taken: [0.50 1.00 1.50]
}

// What has been seen after “ba”, or after an ending of it, and how probable each is?
func ExampleModel_AppendSuccessors() {
	m := bananas(nil)
	context := m.Start()
	for _, letter := range []int32{2, 1} { // b, a
		context, _ = m.Step(context, letter)
	}
	for _, s := range m.AppendSuccessors(nil, context, 1, m.Vocabulary()+1, math.Inf(1)) {
		name, _ := letters.Name(s.Symbol)
		fmt.Printf("%s %.2f\n", name, math.Exp(s.LogProb))
	}
	// Output:
	// n 0.46
	// b 0.23
	// a 0.12
}

// How probable are a and b after n? The letters “nb” were not seen, so b has only what smoothing
// gives it.
func ExampleSmoothing() {
	for _, opts := range []ngram.Options{
		{Smoothing: ngram.ModifiedKneserNey},
		{Smoothing: ngram.ModifiedKneserNey, Discounts: [][3]float64{{.75, .75, .75}}},
		{Smoothing: ngram.WittenBell},
		{Smoothing: ngram.Additive, Pseudocount: .5},
		{Smoothing: ngram.StupidBackoff},
	} {
		m, err := ngram.Fit(2, 3, words("banana", "anna", "nab", "ban"), &opts)
		if err != nil {
			log.Fatal(err)
		}
		a, b, n := int32(1), int32(2), int32(3)
		history := []int32{b, a, n}
		fmt.Printf("%v: %.3f, %.3f\n", opts.Smoothing, m.Prob(history, a), m.Prob(history, b))
	}
	// Output:
	// modified Kneser-Ney: 0.511, 0.133
	// modified Kneser-Ney: 0.644, 0.068
	// Witten-Bell: 0.556, 0.056
	// additive: 0.562, 0.062
	// stupid backoff: 0.667, 0.060
}
