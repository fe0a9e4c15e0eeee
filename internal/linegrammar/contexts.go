package linegrammar

import (
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// kindGroup is the group of the kinds of tokens.
const kindGroup = "kind"

// Groups of the strengths of a word before and after a token, with names of the form word_kind.
const (
	beforeGroup = "before"
	afterGroup  = "after"
)

// FirstMark is the label of the first mark. A machine with marks has no labels of texts on
// their tape.
const FirstMark = raw + 256

// kinds returns the probabilities of the kinds of tokens and their names.
func (g *Grammar) kinds() (probabilities []expr.W, names []string) {
	for _, group := range g.Params.Groups() {
		for i := range group.Len() {
			if name, ok := strings.CutPrefix(group.Name(i), kindGroup+"["); ok {
				probabilities = append(probabilities, group.Weight(i))
				names = append(names, strings.TrimSuffix(name, "]"))
			}
		}
	}
	return probabilities, names
}

// marked returns a model with marks on a tape that record the parameters on its paths. Each arc
// whose weight has one of params as a factor is preceded by an arc labelled FirstMark plus the
// index of the parameter in params.
func marked(space *expr.Space, m *fst.FST[expr.W], params []expr.W, tape fst.Tape) (*fst.FST[expr.W], error) {
	label := map[expr.W]int32{}
	for i, p := range params {
		label[p] = FirstMark + int32(i)
	}
	graph := m.Graph()
	row, to, weights := graph.Row(), graph.To(), graph.Weights()
	marks := make([][]int32, len(weights))
	for arc, factor := range space.Factors(weights) {
		if l, ok := label[factor.Of]; ok {
			marks[arc] = append(marks[arc], l)
		}
	}
	b := fst.NewBuilder(space)
	b.AllowZero()
	b.AddStates(m.NumStates())
	for _, s := range graph.Starts() {
		b.AddStart(s.State, s.Weight)
	}
	for s := range int32(m.NumStates()) {
		b.SetFinal(s, m.Final(s))
		for e := row[s]; e < row[s+1]; e++ {
			from, w := s, weights[e]
			for _, l := range marks[e] {
				a := fst.Arc[expr.W]{In: l, Weight: w, To: b.AddState()}
				if tape == fst.Output {
					a.In, a.Out = fst.Epsilon, l
				}
				b.AddArc(from, a)
				from, w = a.To, space.One()
			}
			b.AddArc(from, fst.Arc[expr.W]{In: m.In()[e], Out: m.Out()[e], Weight: w, To: to[e]})
		}
	}
	return b.Freeze()
}

// contexts has the features of a log-linear model of kinds: the strengths with which words
// change the probabilities of the kinds of adjacent tokens.
type contexts struct {
	words         map[string]int // numbers; the empty word is the beginning or the end of a line
	kinds         int
	before, after *em.Group // strengths, kind after kind for each word
}

// newContexts adds the strengths to the parameters. They have a normal prior with the standard
// deviation sigma.
func newContexts(params *em.Params, words, kinds []string, sigma float64) *contexts {
	c := &contexts{words: map[string]int{"": 0}, kinds: len(kinds)}
	names := []string{""}
	for _, w := range words {
		c.words[w] = len(names)
		names = append(names, w)
	}
	law := em.Exponents{Mean: em.Times(0), Sigma: sigma}
	name := func(i int) string { return names[i/len(kinds)] + "_" + kinds[i%len(kinds)] }
	c.before = params.Group(unused(params, beforeGroup), len(names)*len(kinds), law)
	c.before.SetNames(name)
	c.after = params.Group(unused(params, afterGroup), len(names)*len(kinds), law)
	c.after.SetNames(name)
	return c
}

// unused returns name, followed by a number if an earlier contexts used it.
func unused(params *em.Params, name string) string {
	free := name
	for n := 2; params.Find(free) != nil; n++ {
		free = fmt.Sprintf("%s %d", name, n)
	}
	return free
}

// name returns the name under which parameter i of a group is saved, independently of earlier
// contexts. It returns false for other groups.
func (c *contexts) name(group *em.Group, i int) (string, bool) {
	if c == nil || group != c.before && group != c.after {
		return "", false
	}
	base := beforeGroup
	if group == c.after {
		base = afterGroup
	}
	label, _ := group.Label(i)
	return base + "[" + label + "]", true
}

// weights are the values of the strengths of contexts in a ring.
type weights[W any] struct {
	ring          semiring.Semiring[W]
	before, after []W
}

// expressions returns the strengths as weights of models.
func (c *contexts) expressions(params *em.Params) weights[expr.W] {
	w := weights[expr.W]{ring: params.Space()}
	for i := range c.before.Len() {
		w.before = append(w.before, c.before.Weight(i))
		w.after = append(w.after, c.after.Weight(i))
	}
	return w
}

// costs returns the strengths at theta.
func (c *contexts) costs(theta []float64) weights[semiring.Cost] {
	w := weights[semiring.Cost]{ring: tropical}
	for i, x := range c.before.In(theta) {
		w.before = append(w.before, semiring.Cost(-x))
		w.after = append(w.after, semiring.Cost(-c.after.In(theta)[i]))
	}
	return w
}

// around returns the numbers of the words before and after each position of a line, or −1 if
// there is no word or an unknown one. Blanks separate words.
func (c *contexts) around(line []int32) (before, after []int) {
	before, after = make([]int, len(line)+1), make([]int, len(line)+1)
	for i := range before {
		before[i], after[i] = -1, -1
	}
	before[0], after[len(line)] = 0, 0
	for from := 0; from < len(line); {
		to := from
		for to < len(line) && line[to] != ' ' {
			to++
		}
		if n, ok := c.words[Decode(line[from:to])]; ok && to > from {
			after[from] = n
			if to < len(line) {
				before[to+1] = n
			}
		}
		from = to + 1
	}
	return before, after
}

// marks returns the line with marks at any positions. Each mark has the strengths of the word
// before it, and of the word after the token, which ends at the next mark. A state is a
// position and the kind of the last mark.
func marks[W any](c *contexts, w weights[W], line []int32) (*fst.FST[W], error) {
	before, after := c.around(line)
	times := func(x W, strengths []W, word, kind int) W {
		if word < 0 {
			return x
		}
		return w.ring.Times(x, strengths[word*c.kinds+kind])
	}
	b := fst.NewBuilder(w.ring)
	b.AllowZero()
	b.AddStates((len(line) + 1) * (c.kinds + 1))
	state := func(place, kind int) int32 { return int32(place*(c.kinds+1) + kind + 1) }
	b.AddStart(state(0, -1), w.ring.One())
	for place := range len(line) + 1 {
		for last := -1; last < c.kinds; last++ {
			end := w.ring.One()
			if last >= 0 {
				end = times(end, w.after, after[place], last)
			}
			if place < len(line) {
				l := line[place]
				b.AddArc(state(place, last), fst.Arc[W]{In: l, Out: l, Weight: w.ring.One(), To: state(place+1, last)})
			} else {
				b.SetFinal(state(place, last), end)
			}
			for kind := range c.kinds {
				l := FirstMark + int32(kind)
				weight := times(end, w.before, before[place], kind)
				b.AddArc(state(place, last), fst.Arc[W]{In: l, Out: l, Weight: weight, To: state(place, kind)})
			}
		}
	}
	return b.Freeze()
}
