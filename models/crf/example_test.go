package crf_test

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/crf"
)

// features returns the features of the words of a sentence.
func features(words []string) crf.Features {
	return func(t int, a *crf.Attributes) {
		a.Add("word=", words[t])
		a.Add("ending=", words[t][max(0, len(words[t])-2):])
		if t == 0 {
			a.Add("first")
		}
	}
}

func Example() {
	ctx := context.Background()
	data := crf.NewData()
	for _, s := range []string{
		"the/D fish/N swims/V", "they/P fish/V", "they/P swim/V here/A",
		"a/D boat/N rocks/V", "the/D rocks/N fall/V", "they/P fall/V here/A",
	} {
		var words, tags []string
		for _, token := range strings.Fields(s) {
			word, tag, _ := strings.Cut(token, "/")
			words, tags = append(words, word), append(tags, tag)
		}
		if err := data.Add(tags, features(words)); err != nil {
			panic(err)
		}
	}
	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{Sigma: 2})
	if err != nil {
		panic(err)
	}
	if _, err := model.Fit(ctx, data, nil); err != nil {
		panic(err)
	}
	tagger, err := model.Predictor()
	if err != nil {
		panic(err)
	}
	for _, s := range []string{"the fish rocks", "they fish here"} {
		words := strings.Fields(s)
		tags, err := tagger.Best(len(words), features(words))
		if err != nil {
			panic(err)
		}
		log, err := tagger.LogProb(tags, features(words))
		if err != nil {
			panic(err)
		}
		fmt.Printf("%v: %v, ln P = %.2f\n", words, tags, log)
	}
	// Output:
	// [the fish rocks]: [D N V], ln P = -0.44
	// [they fish here]: [P V A], ln P = -0.32
}

// Attributes by their names, where no function is needed.
func ExampleNames() {
	data := crf.NewData()
	for _, s := range []struct{ tags, words []string }{
		{[]string{"D", "N", "V"}, []string{"the", "fish", "swims"}},
		{[]string{"P", "V"}, []string{"they", "fish"}},
	} {
		if err := data.Add(s.tags, crf.Names(attributes(s.words)...)); err != nil {
			panic(err)
		}
	}
	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{Sigma: 2})
	if err != nil {
		panic(err)
	}
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		panic(err)
	}
	tagger, err := model.Predictor()
	if err != nil {
		panic(err)
	}
	tags, err := tagger.Best(2, crf.Names([]string{"the", "first"}, []string{"fish"}))
	if err != nil {
		panic(err)
	}
	fmt.Println(tags)
	// Output: [D N]
}

// attributes lists the attributes of each word.
func attributes(words []string) [][]string {
	var all [][]string
	for i, w := range words {
		all = append(all, []string{w})
		if i == 0 {
			all[0] = append(all[0], "first")
		}
	}
	return all
}
