package align_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/align"
)

// Nobody says what any word means, and yet the words find each other.
func ExampleModel_Fit() {
	ctx := context.Background()
	corpus := align.NewCorpus()
	for _, pair := range []string{"the house|das Haus", "the book|das Buch", "a book|ein Buch", "the small book|das kleine Buch"} {
		s := sentence(pair)
		if err := corpus.Add(s); err != nil {
			panic(err)
		}
	}
	model, err := align.New(corpus, nil)
	if err != nil {
		panic(err)
	}
	if _, err := model.Fit(ctx, corpus, nil); err != nil {
		panic(err)
	}
	s := sentence("a small house|ein kleines Haus")
	forward, backward, err := model.Posteriors(s)
	if err != nil {
		panic(err)
	}
	links := align.Average(forward, backward).Align(.5)
	for _, l := range links {
		fmt.Println(s.Source[l.Source], s.Target[l.Target])
	}
	// Output:
	// a ein
	// small kleines
	// house Haus
}

// The text that was learned from is aligned without being read again.
func ExampleModel_PosteriorsOf() {
	corpus := align.NewCorpus()
	for line, pair := range []string{"the house|das Haus", "the book|das Buch", "a book|ein Buch"} {
		if err := corpus.AddLine(line+1, sentence(pair)); err != nil {
			panic(err)
		}
	}
	model, err := align.New(corpus, nil)
	if err != nil {
		panic(err)
	}
	if _, err := model.Fit(context.Background(), corpus, nil); err != nil {
		panic(err)
	}
	for n := range corpus.Len() {
		forward, backward, err := model.PosteriorsOf(corpus, n)
		if err != nil {
			panic(err)
		}
		fmt.Println(corpus.Line(n), align.Average(forward, backward).Align(.5))
	}
	// Output:
	// 1 0-0 1-1
	// 2 0-0 1-1
	// 3 0-0 1-1
}

func sentence(pair string) align.Sentence {
	e, f, _ := strings.Cut(pair, "|")
	return align.Sentence{Source: strings.Fields(e), Target: strings.Fields(f)}
}

// house returns a model that was trained on four sentences.
func house(options *align.FitOptions) *align.Model {
	corpus := align.NewCorpus()
	for _, pair := range []string{"the house|das Haus", "the book|das Buch", "a book|ein Buch", "the small book|das kleine Buch"} {
		if err := corpus.Add(sentence(pair)); err != nil {
			log.Fatal(err)
		}
	}
	model, err := align.New(corpus, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := model.Fit(context.Background(), corpus, options); err != nil {
		log.Fatal(err)
	}
	return model
}

// Links that both directions chose, links that one of them did, and what lies between.
func ExampleIntersection() {
	forward, err := align.ParseAlignment("0-0 0-1 1-1 2-3")
	if err != nil {
		log.Fatal(err)
	}
	backward, err := align.ParseAlignment("0-0 1-1 2-2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("intersection ", align.Intersection(forward, backward))
	fmt.Println("grown        ", align.Grow(forward, backward))
	fmt.Println("and diagonal ", align.GrowDiag(forward, backward))
	fmt.Println("union        ", align.Union(forward, backward))
	// Output:
	// intersection  0-0 1-1
	// grown         0-0 1-1
	// and diagonal  0-0 1-1 2-2 2-3
	// union         0-0 0-1 1-1 2-2 2-3
}

// Does a pair of sentences fit? A wrong translation is less probable, in both directions.
func ExampleModel_LogProb() {
	model := house(nil)
	right, _, err := model.LogProb(sentence("the book|das Buch"))
	if err != nil {
		log.Fatal(err)
	}
	wrong, _, err := model.LogProb(sentence("the book|ein Haus"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(right > wrong+1)
	// Output: true
}

// New words, learnt from the text that they are in: “dog” must be the residual string.
func ExampleModel_Adapt() {
	model := house(nil)
	text := align.NewCorpus()
	s := sentence("the small dog|das kleine Hund")
	if err := text.Add(s); err != nil {
		log.Fatal(err)
	}
	adapted, err := model.Adapt(context.Background(), text, nil)
	if err != nil {
		log.Fatal(err)
	}
	forward, backward, err := adapted.PosteriorsOf(text, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range align.Product(forward, backward).Align(.3) {
		fmt.Println(s.Source[l.Source], s.Target[l.Target])
	}
	// Output:
	// the das
	// small kleine
	// dog Hund
}

// A model in a file.
func ExampleLoad() {
	var file bytes.Buffer
	if err := house(nil).Save(&file); err != nil {
		log.Fatal(err)
	}
	model, err := align.Load(&file)
	if err != nil {
		log.Fatal(err)
	}
	forward, backward, err := model.Posteriors(sentence("a house|ein Haus"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(align.Min(forward, backward).Align(.3))
	// Output: 0-0 1-1
}

// Stages of one's own: Model 1 in both directions, each by itself, and then an HMM. Beforehand,
// words that are spelt alike count as linked once.
func ExampleFitOptions() {
	model := house(&align.FitOptions{
		Stages: []align.Stage{
			{Positions: align.Model1, Iterations: 5, Counting: align.Separate},
			{Positions: align.HMM, Iterations: 3, Counting: align.Multiplied},
		},
		Prior: align.Prior{Pair: func(source, target string) float64 {
			if strings.EqualFold(source, target) {
				return 1
			}
			return 0
		}},
	})
	forward, _, err := model.Posteriors(sentence("the house|das Haus"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(forward.Align(.5))
	// Output: 0-0 1-1
}

// Choices by a threshold. The posterior of the last word is shared by two words that are far from
// each other: a competitive choice keeps the better one.
func ExampleCompetitive() {
	p := &align.Posterior{Source: 3, Target: 1, P: []float64{.4, .1, .5}}
	fmt.Println(p.Align(.3))
	fmt.Println(align.Competitive{Posterior: p}.Align(.3))
	// Output:
	// 0-0 2-0
	// 2-0
}

// A sentence of ten words is too long to be aligned at once, if six are the most. It is covered
// by windows that overlap; each link is taken from the one in whose middle it is.
func ExampleWindows() {
	for _, w := range align.Windows(10, 10, 6) {
		var decides []int
		for i := range 10 {
			if w.Decides(align.Link{Source: i, Target: i}) {
				decides = append(decides, i)
			}
		}
		fmt.Println("words", w.Source, "decide on", decides)
	}
	for _, w := range align.Pieces(10, 10, 6) {
		fmt.Println("to train on", w.Source)
	}
	// Output:
	// words [0 4] decide on [0 1 2]
	// words [2 6] decide on [3 4]
	// words [4 8] decide on [5 6]
	// words [6 10] decide on [7 8 9]
	// to train on [0 5]
	// to train on [5 10]
}

// Thresholds for two directions at once: at each, what both choose is symmetrized.
func ExampleSymmetric() {
	forward := &align.Posterior{Source: 2, Target: 2, P: []float64{.9, .2, 0, .6}}
	backward := &align.Posterior{Source: 2, Target: 2, P: []float64{.8, 0, .4, .3}}
	both := align.Symmetric{Forward: forward, Backward: backward, Combine: align.GrowDiagFinalAnd}
	for _, threshold := range []float64{.7, .5, .3} {
		fmt.Println(threshold, both.Align(threshold))
	}
	// Output:
	// 0.7 0-0
	// 0.5 0-0 1-1
	// 0.3 0-0 1-1
}
