package main

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
	"example.org/pathsum/semiring/trellis"
)

// answer tags the sentence of a line. For several taggings it also returns their probabilities.
func answer(_ context.Context, t *learnt, line string, n int) ([]string, error) {
	words := strings.Fields(line)
	switch {
	case len(words) == 0:
		return nil, nil
	case n > 1:
		return answers(t, words, n)
	}
	tags, err := t.tag(words)
	return []string{join(words, tags)}, err
}

// answers returns the n best taggings of words with their probabilities. If the comparison
// would need too much memory, it returns the best tagging and an error.
func answers(t tagger, words []string, n int) ([]string, error) {
	x, tags, err := t.trellis(words)
	if err != nil {
		return nil, err
	}
	if arcs := x.NumArcs(); arcs > maxArcs {
		best, err := t.tag(words)
		if err == nil {
			err = fmt.Errorf("%d words: too many for more than the best tags, without their probability", len(words))
		}
		return []string{join(words, best)}, err
	}
	var list []string
	best, err := bestPaths(x, int32(len(tags)), n)
	for _, b := range best {
		names := make([]string, len(words))
		for t, i := range b.path {
			names[t] = tags[i]
		}
		list = append(list, join(words, names), fmt.Sprintf("%.4g", b.probability))
	}
	return list, err
}

// maxArcs bounds the memory for the n best, about 20 bytes for each.
const maxArcs = 1 << 23

// candidate is a sequence of tags, by their numbers, and its probability given the words.
type candidate struct {
	path        []int32
	probability float64
}

// bestPaths returns up to n sequences of the given number of tags, the most probable first.
func bestPaths(x *trellis.Trellis, tags int32, n int) ([]candidate, error) {
	g, err := x.Graph()
	if err != nil {
		return nil, err
	}
	total := x.PathSum(new(trellis.Scratch))
	paths, err := graph.BestPaths(graph.Map(g, semiring.Viterbi{}, func(w semiring.ScaledFloat) semiring.ScaledFloat { return w }))
	if err != nil {
		return nil, err
	}
	var best []candidate
	for p := range paths {
		if p.Weight.IsZero() {
			break
		}
		c := candidate{path: []int32{p.Start}, probability: p.Weight.Div(total).Float64()}
		for _, a := range p.Arcs {
			c.path = append(c.path, g.To()[a]%tags)
		}
		if best = append(best, c); len(best) == n {
			break
		}
	}
	return best, nil
}

// join returns the words, each with a slash and its tag.
func join(words, tags []string) string {
	var b strings.Builder
	for i, tag := range tags {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(words[i] + "/" + tag)
	}
	return b.String()
}
