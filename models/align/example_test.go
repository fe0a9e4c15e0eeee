package align_test

import (
	"context"
	"fmt"
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
