package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// kindGroup is the group of the kinds of tokens.
const kindGroup = "kind"

// firstMark is the label of the first mark. A machine with marks has no texts on their tape.
const firstMark = raw + 256

// kinds returns the probabilities of the kinds of tokens and their names.
func (g *grammar) kinds() (probabilities []expr.W, names []string) {
	for _, group := range g.params.Groups() {
		for i := range group.Len() {
			if name, ok := strings.CutPrefix(group.Name(i), kindGroup+"["); ok {
				probabilities = append(probabilities, group.Weight(i))
				names = append(names, strings.TrimSuffix(name, "]"))
			}
		}
	}
	return probabilities, names
}

// marked returns the model with marks on a tape, which tell what its paths use: before each arc
// whose weight has one of params for a factor there is one with the label firstMark and the number
// of the parameter among them.
func (g *grammar) marked(params []expr.W, tape fst.Tape) (*fst.FST[expr.W], error) {
	space, m := g.params.Space(), g.model
	label := map[expr.W]int32{}
	for i, p := range params {
		label[p] = firstMark + int32(i)
	}
	graph := m.Graph()
	row, to, weights := graph.Row(), graph.To(), graph.Weights()
	marks := make([][]int32, len(weights))
	for arc, factor := range space.Factors(weights) {
		if l, ok := label[factor.Of]; ok {
			marks[arc] = append(marks[arc], l)
		}
	}
	b := fst.NewBuilder[expr.W](space)
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

// contextWords returns up to n words that are copied in at least two examples, the most frequent
// first: those that stand around what is not.
func contextWords(examples []example, n int) []string {
	count := map[string]int{}
	for _, x := range examples {
		written := map[string]bool{}
		for _, w := range strings.Fields(x.expected) {
			written[w] = true
		}
		for _, w := range strings.Fields(x.input) {
			if written[w] && isWord(w) {
				count[w]++
				delete(written, w)
			}
		}
	}
	words := slices.SortedFunc(maps.Keys(count), func(a, b string) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), strings.Compare(a, b))
	})
	words = slices.DeleteFunc(words, func(w string) bool { return count[w] < 2 })
	return words[:min(n, len(words))]
}

// isWord reports whether w has nothing but letters of ASCII.
func isWord(w string) bool {
	return strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyz") == ""
}

// contextMachines returns two machines, which put marks into a line, anywhere, and then read them. The
// first gives each the strength of its kind after the word before the token, the second that before
// the word behind it, where words has one: the features of a log-linear model of the kinds.
// Beginning and end of the line are words, too. Strengths have a normal prior with the standard
// deviation sigma.
func (g *grammar) contextMachines(words []string, sigma float64) ([]*fst.FST[expr.W], error) {
	_, kinds := g.kinds()
	alphabet := fst.NewSymbols()
	var marks []rx.Span
	for l, name := range g.alphabet.All() {
		if l == fst.Epsilon {
			continue
		}
		if err := alphabet.Set(name, l); err != nil {
			return nil, err
		}
	}
	for i, kind := range kinds {
		name := fmt.Sprintf("<%s>", kind)
		if err := alphabet.Set(name, firstMark+int32(i)); err != nil {
			return nil, err
		}
		marks = append(marks, rx.One(name))
	}
	compiler := rx.NewCompiler(semiring.Semiring[expr.W](g.params.Space()), alphabet)
	compiler.Groups = em.Alternatives(g.params, func(string, []string) em.Law {
		return em.Exponents{Mean: em.Times(0), Sigma: sigma}
	})
	character, mark, blank := rx.NoneOf(marks...), rx.OneOf(marks...), rx.Symbol(" ")
	var before, after []rx.Rule
	for _, w := range append([]string{""}, words...) {
		left := rx.Concat(rx.Union(blank, mark), rx.Text(w), blank)
		right := rx.Concat(rx.Star(character), mark, rx.Text(w), rx.Union(blank, rx.Edge()))
		if w == "" {
			left, right = rx.Edge(), rx.Concat(rx.Star(character), rx.Edge())
		}
		for _, kind := range kinds {
			symbol := rx.Symbol(fmt.Sprintf("<%s>", kind))
			strength := func(group string) rx.Expr {
				return rx.Concat(symbol, rx.Weight(rx.Param(group, w+"_"+kind)))
			}
			before = append(before, rx.Rule{Change: strength("before"), Left: left})
			after = append(after, rx.Rule{Change: strength("after"), Right: right})
		}
	}
	insert := rx.Star(rx.Union(character, rx.Cross(rx.Concat(), mark)))
	var all []*fst.FST[expr.W]
	for _, e := range []rx.Expr{
		rx.Compose(insert, rx.Rewrite(rx.Manner{}, before...)),
		rx.Rewrite(rx.Manner{Direction: rewrite.RightToLeft}, after...),
	} {
		f, err := compiler.Compile(e)
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}
