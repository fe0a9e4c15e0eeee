package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/linegrammar"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// tropical is the ring of the machines.
var tropical = semiring.Tropical{}

// channel reads a grammar backward, as a noisy channel. It explains an output line y by the
// most probable text x, by P(x) P(y | x). P(y | x) is the share of y in all readings of x by
// the grammar, over all parses, and P(x) is an n-gram model of words.
type channel struct {
	grammar   *linegrammar.Grammar
	back      *fst.FST[semiring.Cost] // from outputs of the grammar to inputs
	posterior *linegrammar.Posterior
	words     *fst.FST[semiring.Cost] // from characters to the words of the model
	model     *ngram.Model
	source    *fst.FST[semiring.Cost]
}

// Options of channels.
const (
	// channelOrder is the order of the n-gram model.
	channelOrder = 2
	// candidates is the number of texts that are ranked by their exact probabilities.
	candidates = 20
	// firstWord is the label of the first word of the model.
	firstWord = linegrammar.FirstMark
)

// newChannel returns the channel of a grammar at the current parameters. Its n-gram model is
// trained on the texts, and treats all digits alike.
func newChannel(g *linegrammar.Grammar, texts []string) (*channel, error) {
	c := &channel{grammar: g}
	numbers, names := map[string]int32{}, []string(nil)
	var data [][]int32
	for _, text := range texts {
		var line []int32
		for _, w := range strings.Fields(text) {
			w = shape(w)
			if numbers[w] == 0 {
				names = append(names, w)
				numbers[w] = int32(len(names))
			}
			line = append(line, numbers[w])
		}
		data = append(data, line)
	}
	var err error
	all := func(yield func([]int32, float64) bool) {
		for _, line := range data {
			if !yield(line, 1) {
				return
			}
		}
	}
	if c.model, err = ngram.Fit(channelOrder, int32(len(names))+1, all, &ngram.Options{Smoothing: ngram.WittenBell}); err != nil {
		return nil, err
	}
	if c.source, err = ngram.Acceptor(c.model, tropical, nil); err != nil {
		return nil, err
	}
	if c.words, err = wordMachine(g.Alphabet, names); err != nil {
		return nil, err
	}
	noMarks := func(l int32) int32 {
		if l >= linegrammar.FirstMark {
			return fst.Epsilon
		}
		return l
	}
	if c.back, err = fst.Expand(fst.Invert(fst.Relabel(g.Machine, noMarks, nil)), nil); err != nil {
		return nil, err
	}
	c.posterior, err = g.Posterior()
	return c, err
}

// shape returns a word with 0 for every digit.
func shape(word string) string {
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return '0'
		}
		return r
	}, word)
}

// wordMachine returns the machine from the characters of a line to the numbers of its words.
// The digits of a shape are equally probable. Every word can also be read as the unknown word,
// numbered after the named words, whose characters are all equally probable.
func wordMachine(characters *fst.Symbols, names []string) (*fst.FST[semiring.Cost], error) {
	alphabet := fst.NewSymbols()
	for l, name := range characters.All() {
		if l == fst.Epsilon {
			continue
		}
		if err := alphabet.Set(name, l); err != nil {
			return nil, err
		}
	}
	number := func(i int) string { return fmt.Sprintf("word %d", i) }
	for i := range len(names) + 1 {
		if err := alphabet.Set(number(i), firstWord+int32(i)); err != nil {
			return nil, err
		}
	}
	var numbers []rx.Span
	for i := range len(names) + 1 {
		numbers = append(numbers, rx.One(number(i)))
	}
	digit := rx.Concat(rx.OneOf(rx.Range('0', '9')), rx.Weight(rx.Number(.1)))
	other := rx.Concat(rx.NoneOf(append(numbers, rx.One(" "))...), rx.Weight(rx.Number(1/float64(characters.Len()))))
	all := []rx.Expr{rx.Concat(rx.Plus(other), rx.Cross(rx.Concat(), rx.Symbol(number(len(names)))))}
	for i, name := range names {
		var spelled []rx.Expr
		for len(name) > 0 {
			r, size := utf8.DecodeRuneInString(name)
			symbol, known := characters.Name(r)
			switch {
			case r == '0':
				spelled = append(spelled, digit)
			case known && (r != utf8.RuneError || size > 1):
				spelled = append(spelled, rx.Symbol(symbol))
			default:
				for _, b := range []byte(name[:size]) {
					spelled = append(spelled, rx.Symbol(linegrammar.ByteName(b)))
				}
			}
			name = name[size:]
		}
		spelled = append(spelled, rx.Cross(rx.Concat(), rx.Symbol(number(i))))
		all = append(all, rx.Concat(spelled...))
	}
	word := rx.Union(all[0], all[1:]...)
	blank := rx.Cross(rx.Symbol(" "), rx.Concat())
	compiler := rx.NewCompiler(tropical, alphabet)
	line := rx.Concat(rx.Star(blank), rx.Optional(rx.Concat(word, rx.Star(rx.Concat(rx.Plus(blank), word)), rx.Star(blank))))
	f, err := compiler.Compile(line)
	if err != nil {
		return nil, err
	}
	toWord := func(l int32) int32 { return max(l-firstWord+1, 0) }
	return fst.Expand(fst.Relabel(f, nil, toWord), nil)
}

// Apply returns the n texts that are most probable given the line, among those whose best parse
// is probable.
func (c *channel) Apply(line string, n int) ([]linegrammar.Reading, error) {
	labels := c.grammar.Encode(line)
	f, err := c.texts(labels)
	if err != nil {
		return nil, err
	}
	if f, err = c.weigh(f); err != nil {
		return nil, err
	}
	best, err := graph.UniqueBestPaths(f.Graph(), f.In())
	if err != nil {
		return nil, err
	}
	var all []linegrammar.Reading
	for text := range best {
		cost, err := c.cost(text, labels)
		if err != nil {
			return nil, err
		}
		all = append(all, linegrammar.Reading{Text: linegrammar.Decode(text), Cost: cost})
		if len(all) == max(n, candidates) {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the grammar writes no %q", line)
	}
	slices.SortStableFunc(all, func(a, b linegrammar.Reading) int { return cmp.Compare(a.Cost, b.Cost) })
	return all[:min(n, len(all))], nil
}

// Backward returns the most probable text for the line by the grammar alone.
func (c *channel) Backward(line string) (string, error) {
	f, err := c.texts(c.grammar.Encode(line))
	if err != nil {
		return "", err
	}
	best, err := graph.UniqueBestPaths(f.Graph(), f.In())
	if err != nil {
		return "", err
	}
	for text := range best {
		return linegrammar.Decode(text), nil
	}
	return "", fmt.Errorf("the grammar writes no %q", line)
}

// texts returns the acceptor of the texts that the grammar can read as the line.
func (c *channel) texts(line []int32) (*fst.FST[semiring.Cost], error) {
	f, err := fst.Connect(fst.Compose(fst.FromString(tropical, line), c.back), &fst.Options{Limit: linegrammar.MaxStates})
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.ProjectOut(f), nil)
}

// weigh returns texts with the costs of their words.
func (c *channel) weigh(texts *fst.FST[semiring.Cost]) (_ *fst.FST[semiring.Cost], err error) {
	for _, m := range []*fst.FST[semiring.Cost]{c.words, c.source} {
		if texts, err = fst.Connect(fst.Compose(texts, m), &fst.Options{Limit: linegrammar.MaxStates}); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// cost returns −ln P(text) P(line | text).
func (c *channel) cost(text, line []int32) (float64, error) {
	reading, err := c.posterior.LogProb(text, line)
	if err != nil {
		return 0, err
	}
	source, err := c.logProb(text)
	return -reading - source, err
}

// logProb returns ln P(text) by its best segmentation into words; a named word has more than
// one.
func (c *channel) logProb(text []int32) (float64, error) {
	f, err := c.weigh(fst.FromString(tropical, text))
	if err != nil {
		return 0, err
	}
	w, err := fst.PathSum(f, nil)
	return -float64(w), err
}
