package crf_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/crf"
	"example.org/pathsum/moments"
	"example.org/pathsum/moments/counts"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// wordTagger returns a predictor of tags, learnt from a few sentences.
func wordTagger(kind crf.Kind) *crf.Predictor {
	data := crf.NewData()
	for _, s := range []string{"the/D fish/N swims/V", "they/P fish/V", "a/D fish/N", "they/P swim/V"} {
		var words, tags []string
		for _, token := range strings.Fields(s) {
			word, tag, _ := strings.Cut(token, "/")
			words, tags = append(words, word), append(tags, tag)
		}
		if err := data.Add(tags, word(words)); err != nil {
			panic(err)
		}
	}
	model, err := crf.New(kind, data, em.LogLinearOptions{Sigma: 2})
	if err != nil {
		panic(err)
	}
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		panic(err)
	}
	p, err := model.Predictor()
	if err != nil {
		panic(err)
	}
	return p
}

// word is the only attribute of a position.
func word(words []string) crf.Features {
	return func(t int, a *crf.Attributes) { a.Add("word=", words[t]) }
}

// Is fish a noun or a verb? A model of single positions cannot decide; a chain model uses the
// preceding tag.
func ExampleKind() {
	words := []string{"they", "fish"}
	for _, kind := range []crf.Kind{crf.Node, crf.MEMM, crf.Chain} {
		tags, err := wordTagger(kind).Best(len(words), word(words))
		if err != nil {
			panic(err)
		}
		fmt.Println(kind, tags)
	}
	// Output:
	// node [P N]
	// memm [P V]
	// crf [P V]
}

// The posterior of each tag.
func ExamplePredictor_Posteriors() {
	p := wordTagger(crf.Chain)
	words := []string{"they", "fish"}
	posteriors, err := p.Posteriors(len(words), word(words))
	if err != nil {
		panic(err)
	}
	for t, row := range posteriors {
		for i, label := range p.Labels() {
			if row[i] > .1 {
				fmt.Printf("%s is %s: %.1f\n", words[t], label, row[i])
			}
		}
	}
	// Output:
	// they is D: 0.2
	// they is P: 0.7
	// fish is N: 0.3
	// fish is V: 0.6
}

// A model is read back from its file, and its weights by the names of attributes and labels.
func ExamplePredictor_Save() {
	var file bytes.Buffer
	if err := wordTagger(crf.Chain).Save(&file); err != nil {
		panic(err)
	}
	p, err := crf.Load(&file)
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Kind(), p.Labels())
	fmt.Println("after a pronoun rather a verb than a noun:", p.Transition("P", "V") > p.Transition("P", "N"))
	fmt.Println("“the” is a determiner:", p.Weight("word=the", "D") > 0)
	// Output:
	// crf [D N V P]
	// after a pronoun rather a verb than a noun: true
	// “the” is a determiner: true
}

// Learning without labels, by moments. The sentence is not tagged, but it is known that “the” is
// a determiner, and “fish” a noun two times of three. Data.Allow creates the weights, Statistics
// returns their expected statistics, and moments.Fit estimates the weights.
func ExampleLikelihood_LogPartition() {
	// The probabilities of D, N and V, in the order of LogPartition.Labels.
	known := map[string][]float64{"the": {1, 0, 0}, "fish": {0, 2. / 3, 1. / 3}}
	sentence := []string{"the", "fish"}
	data := crf.NewData()
	if err := data.Add([]string{"D", "N"}, word(sentence)); err != nil { // as good as any labels
		panic(err)
	}
	if err := data.Allow([]string{"D", "V"}, word(sentence)); err != nil {
		panic(err)
	}
	model, err := crf.New(crf.Node, data, em.LogLinearOptions{})
	if err != nil {
		panic(err)
	}
	likelihood, err := model.Likelihood(data)
	if err != nil {
		panic(err)
	}
	partition, err := likelihood.LogPartition()
	if err != nil {
		panic(err)
	}
	var probability []float64
	for _, w := range sentence {
		probability = append(probability, known[w]...)
	}
	result, err := moments.Fit(context.Background(), partition, partition.Statistics(probability), &moments.Options{Ridge: .01})
	if err != nil {
		panic(err)
	}
	model.Theta = result.Theta
	p, err := model.Predictor()
	if err != nil {
		panic(err)
	}
	row, err := p.Posteriors(1, word([]string{"fish"}))
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: %.2f\n", p.Labels(), row[0])
	// Output: [D N V]: [0.05 0.64 0.31]
}

// Learning from counts. Only the number of nouns in each pair of words is known: a counting
// automaton allows the taggings with this number. The pairs together determine the tags of the
// words.
func ExampleLikelihood_CountConstraint() {
	pairs := [][]string{{"the", "fish"}, {"fish", "the"}, {"the", "the"}}
	nouns := []int{1, 1, 0}
	data := crf.NewData()
	for _, words := range pairs {
		for _, tags := range [][]string{{"D", "N"}, {"N", "D"}} { // all weights that there may be
			if err := data.Allow(tags, word(words)); err != nil {
				panic(err)
			}
		}
		if err := data.Add([]string{"D", "N"}, word(words)); err != nil { // as good as any labels
			panic(err)
		}
	}
	model, err := crf.New(crf.Node, data, em.LogLinearOptions{Sigma: 3})
	if err != nil {
		panic(err)
	}
	likelihood, err := model.Likelihood(data)
	if err != nil {
		panic(err)
	}
	var annotations []counts.Annotation
	for i, n := range nouns {
		annotations = append(annotations, counts.Annotation{Sequence: i, Hi: 2, Labels: []int{0}, Counts: []int{n}})
	}
	constraint, err := likelihood.CountConstraint([]string{"N", "D"}, annotations)
	if err != nil {
		panic(err)
	}
	constrained, err := likelihood.Constrained(constraint)
	if err != nil {
		panic(err)
	}
	if _, err := em.FitFrom(context.Background(), constrained, &model.Theta, &em.Options{Method: em.LBFGS{}}); err != nil {
		panic(err)
	}
	p, err := model.Predictor()
	if err != nil {
		panic(err)
	}
	tags, err := p.Best(2, word([]string{"fish", "the"}))
	if err != nil {
		panic(err)
	}
	fmt.Println(tags)
	// Output: [N D]
}

// A custom constraint: a machine that allows every tagging of a pair except two nouns.
func ExampleLikelihood_Constrained() {
	data := crf.NewData()
	if err := data.Add([]string{"D", "N"}, word([]string{"the", "fish"})); err != nil {
		panic(err)
	}
	model, err := crf.New(crf.Chain, data, em.LogLinearOptions{})
	if err != nil {
		panic(err)
	}
	likelihood, err := model.Likelihood(data)
	if err != nil {
		panic(err)
	}
	const d, n = 1, 2 // 1 + the number in Model.Labels
	one := semiring.NewScaled(1)
	machine := fst.FromArcs(semiring.Scaled{}, map[int32]semiring.ScaledFloat{2: one},
		[]fst.Arc[semiring.ScaledFloat]{{In: d, Out: d, Weight: one, To: 1}, {In: n, Out: n, Weight: one, To: 3}},
		[]fst.Arc[semiring.ScaledFloat]{{In: d, Out: d, Weight: one, To: 2}, {In: n, Out: n, Weight: one, To: 2}},
		nil,
		[]fst.Arc[semiring.ScaledFloat]{{In: d, Out: d, Weight: one, To: 2}})
	constrained, err := likelihood.Constrained(crf.Constraint{
		Labelings: func(int) (fst.Machine[semiring.ScaledFloat], error) { return machine, nil },
	})
	if err != nil {
		panic(err)
	}
	ln, err := em.LogLikelihood(context.Background(), constrained, model.Theta)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", math.Exp(ln)) // with weights of 0
	// Output: 0.75
}

// The two best labelings, by a query of package graph.
func ExamplePredictor_Trellis() {
	p := wordTagger(crf.Chain)
	words := []string{"the", "fish"}
	trellis, err := p.Trellis(len(words), word(words))
	if err != nil {
		panic(err)
	}
	g, err := trellis.Graph()
	if err != nil {
		panic(err)
	}
	paths, err := graph.BestPaths(graph.Map(g, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		panic(err)
	}
	all, err := graph.PathSum(g)
	if err != nil {
		panic(err)
	}
	n := 0
	for path := range paths {
		fmt.Printf("%.2f\n", path.Weight.Float64()/all.Float64())
		if n++; n == 2 {
			break
		}
	}
	// Output:
	// 0.61
	// 0.12
}
