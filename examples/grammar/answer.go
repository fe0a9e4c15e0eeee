package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// answer parses the sentence of a line.
func answer(_ context.Context, i *induced, line string, n int) ([]string, error) {
	s, err := tokens(line)
	if err != nil || len(s.Words) == 0 {
		return nil, err
	}
	o, err := i.open()
	if err != nil {
		return nil, err
	}
	found, total, err := o.best(s.Tags, n)
	if err != nil {
		return nil, err
	}
	var answers []string
	for _, x := range found {
		s.Spans = x.Spans
		tree, err := s.Tree(phrase)
		if err != nil {
			return nil, err
		}
		answers = append(answers, tree.String())
		if x.Heads != nil {
			answers = append(answers, numbers(x.Heads))
		}
		if n > 1 {
			given := 0.0 // at most 0, and exactly 0 for the only tree
			if x.LogProb < total {
				given = x.LogProb - total
			}
			answers = append(answers, fmt.Sprintf("%.4g", given))
		}
	}
	return answers, errors.Join(o.check(s.Tags)...)
}

// phrase is the label of all constituents: their kinds are unknown.
const phrase = "X"

// tokens returns the sentence of a line. In word_TAG the last _ separates the word and the tag;
// any other token is both.
func tokens(line string) (s treebank.Sentence, err error) {
	for i, token := range strings.Fields(line) {
		word, tag := token, token
		if k := strings.LastIndexByte(token, '_'); k > 0 {
			word, tag = token[:k], token[k+1:]
		}
		if tag == "" {
			return s, fmt.Errorf("token %d is %s, want a tag after _", i+1, text.Quote(token))
		}
		s.Words, s.Tags = append(s.Words, word), append(s.Tags, tag)
	}
	return s, nil
}

// numbers returns the numbers of heads, from 1, and 0 for the root.
func numbers(heads []int) string {
	list := make([]string, len(heads))
	for i, h := range heads {
		list[i] = strconv.Itoa(h + 1)
	}
	return strings.Join(list, " ")
}

// open parses arbitrary sentences, including ones with unknown tags.
type open struct {
	*grammar.Predictor
	known map[string]bool // tags
	most  int             // the maximum length of a sentence parsed as a whole
}

// share is the fraction of the probabilities of the dependency model that is reserved for
// unseen events.
const share = 1e-3

// The maximum number of words that are parsed as one sentence. The trees of a product are a
// table of n⁴/7 edges for n words, the trees of its parts of n³.
const (
	mostOfProduct = 40
	mostOfPart    = 60
)

func newOpen(m *grammar.Model) (*open, error) {
	o := &open{known: map[string]bool{}, most: mostOfPart}
	if m.Kind() == grammar.Product {
		o.most = mostOfProduct
	}
	for _, tag := range m.Tags() {
		o.known[tag] = true
	}
	m, err := m.Open(share)
	if err != nil {
		return nil, err
	}
	o.Predictor, err = m.Predictor(grammar.MostProbable)
	return o, err
}

// check returns the reasons why the parse of a sentence is a guess.
func (o *open) check(tags []string) (problems []error) {
	if i := slices.IndexFunc(tags, func(tag string) bool { return !o.known[tag] }); i >= 0 {
		problems = append(problems, fmt.Errorf("word %d has the tag %s, which the model does not know", i+1, text.Quote(tags[i])))
	}
	if n := o.parts(len(tags)); n > 1 {
		problems = append(problems, fmt.Errorf("%d words, parsed in %d parts of at most %d", len(tags), n, o.most))
	}
	return problems
}

// parts returns the number of parts in which a sentence of the given number of words is parsed.
func (o *open) parts(words int) int { return (words + o.most - 1) / o.most }

// best returns up to n structures, the most probable first. If n is more than 1, it also
// returns ln of the sum over all structures. A sentence that is parsed in parts has one
// structure, and the sum is over the structures with the same parts.
func (o *open) best(tags []string, n int) (found []*grammar.Parse, total float64, err error) {
	if n == 1 || o.parts(len(tags)) > 1 {
		x, err := o.parse(tags)
		if err != nil || n == 1 {
			return []*grammar.Parse{x}, 0, err
		}
		for k := range o.parts(len(tags)) {
			lo, hi := o.part(len(tags), k)
			part, err := o.LogProb(tags[lo:hi])
			if err != nil {
				return nil, 0, err
			}
			total += part
		}
		return []*grammar.Parse{x}, total, nil
	}
	if total, err = o.LogProb(tags); err == nil {
		found, err = o.BestTrees(tags, n)
	}
	return found, total, err
}

// part returns the bounds of the k-th part of a sentence of the given number of words.
func (o *open) part(words, k int) (lo, hi int) {
	n := o.parts(words)
	return k * words / n, (k + 1) * words / n
}

// parse returns the most probable structure. A sentence that is too long is parsed in parts of
// about equal length. Each part is joined with all that follow it, whose heads depend on the
// head of the first part.
func (o *open) parse(tags []string) (*grammar.Parse, error) {
	n, whole := o.parts(len(tags)), new(grammar.Parse)
	if n == 1 {
		return o.Best(tags)
	}
	root := -1
	for k := range n {
		lo, hi := o.part(len(tags), k)
		part, err := o.Best(tags[lo:hi])
		if err != nil {
			return nil, err
		}
		whole.LogProb += part.LogProb
		for _, h := range part.Heads {
			switch {
			case h >= 0:
				h += lo
			case root >= 0:
				h = root
			default:
				root, h = slices.Index(part.Heads, -1), -1
			}
			whole.Heads = append(whole.Heads, h)
		}
		if k < n-1 {
			whole.Spans = append(whole.Spans, treebank.Span{I: lo, J: len(tags)})
		}
		for _, s := range part.Spans {
			whole.Spans = append(whole.Spans, treebank.Span{I: lo + s.I, J: lo + s.J})
		}
	}
	slices.SortFunc(whole.Spans, treebank.Span.Compare)
	return whole, nil
}
