package synchronous

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// Grammar is a synchronous grammar with values for the probabilities of its rules.
type Grammar struct {
	// Params has a group for the rules of each symbol. To train the grammar together with machines,
	// such as the channel of its lattices, add their groups and set Theta to Params.Start() again.
	Params *em.Params
	// Theta are the values of Params.
	Theta []float64

	start  string
	law    em.Law
	rules  []Rule
	index  []int            // by rule: its index in Theta
	weight []expr.W         // by rule
	ruleOf map[expr.W]int32 // the inverse
	number map[string]int32 // of the symbols on left-hand sides
	names  []string         // their names; later symbols are parts of rules
	size   int32            // the number of all symbols

	words   *fst.Symbols
	pairs   []pair           // by number: symbols that are pairs of words
	pairOf  map[pair]int32   // their symbols
	wordsOf map[int32]pair   // the inverse
	from    map[int32][]pair // pairs by their source
	parts   map[part]int32   // the symbols of parts of rules
	// Rules, and parts of rules, by their right-hand sides.
	unary  map[int32][]production
	binary [2]map[[2]int32][]production // straight and inverted ones
	first  [2]map[int32]bool            // symbols that are first on the right of a binary rule
	second [2]map[int32]bool
}

// pair is a pair of words, by labels; fst.Epsilon means that a side is empty.
type pair struct{ source, target int32 }

// order is the order of two symbols in the target, relative to the source.
type order uint8

const (
	straight order = iota
	inverted
)

// part is two adjacent symbols in a rule.
type part struct {
	order         order
	first, second int32
}

// production is a rule or a part of a rule: its left-hand side, and its weight in the Space of the
// Params.
type production struct {
	left   int32
	weight expr.W
}

// New returns the grammar of rules whose derivations begin with the start symbol. law estimates the
// rules of a symbol: em.Multinomial{} by maximum likelihood. O(rules).
//
// The error wraps ErrInvalid. It names a rule that is a duplicate, is empty on both sides, or has
// different symbols on its two sides, an order that brackets cannot make, an empty name or an
// invalid weight. It also names a symbol whose weights are all zero, or a start symbol without
// rules.
func New(start string, rules []Rule, law em.Law) (*Grammar, error) {
	nonnil.Check("synchronous: New", "law", law)
	g := &Grammar{
		Params: em.NewParams(), start: start, law: law, rules: slices.Clone(rules),
		index: make([]int, len(rules)), weight: make([]expr.W, len(rules)), ruleOf: map[expr.W]int32{}, number: map[string]int32{},
		words: fst.NewSymbols(), pairOf: map[pair]int32{}, wordsOf: map[int32]pair{}, from: map[int32][]pair{}, parts: map[part]int32{},
		unary: map[int32][]production{},
	}
	for o := range g.binary {
		g.binary[o], g.first[o], g.second[o] = map[[2]int32][]production{}, map[int32]bool{}, map[int32]bool{}
	}
	of := [][]int{} // rules by their symbols
	for i, r := range rules {
		x, ok := g.number[r.Left]
		if !ok {
			x = int32(len(g.names))
			g.number[r.Left] = x
			g.names, of = append(g.names, r.Left), append(of, nil)
		}
		of[x] = append(of[x], i)
	}
	g.size = int32(len(g.names))
	if _, ok := g.number[start]; !ok {
		return nil, nested.Errorf("synchronous: %w: the start symbol %s has no rule", ErrInvalid, start)
	}
	seen, forms := map[string]bool{}, make([]form, len(rules))
	for i, r := range rules {
		var err error
		forms[i], err = r.form(g.number)
		key := fmt.Sprintf("%q %q %q %v", r.Left, r.Source, r.Target, forms[i].place)
		if err == nil && seen[key] {
			err = fmt.Errorf("it is there twice")
		}
		if err != nil {
			return nil, nested.Errorf("synchronous: %w: rule %d, %v: %w", ErrInvalid, i+1, r, err)
		}
		seen[key] = true
	}
	for x, list := range of {
		if err := g.group(g.names[x], list); err != nil {
			return nil, err
		}
	}
	for i, r := range rules {
		if err := g.compile(i, forms[i]); err != nil {
			return nil, nested.Errorf("synchronous: %w: rule %d, %v: %w", ErrInvalid, i+1, r, err)
		}
	}
	g.Theta = g.Params.Start()
	return g, nil
}

// group creates the parameters of the rules of a symbol.
func (g *Grammar) group(left string, rules []int) error {
	sum := 0.0
	for _, i := range rules {
		sum += g.rules[i].Weight
	}
	if sum == 0 || math.IsInf(sum, 1) {
		return nested.Errorf("synchronous: %w: the weights of the rules of %s sum to %g", ErrInvalid, left, sum)
	}
	group := g.Params.Distribution(left, len(rules), g.law)
	group.SetNames(func(k int) string { return g.rules[rules[k]].String() })
	start := make([]float64, len(rules))
	for k, i := range rules {
		start[k] = g.rules[i].Weight / sum
		g.index[i], g.weight[i] = group.First()+k, group.Weight(k)
		g.ruleOf[g.weight[i]] = int32(i)
	}
	group.SetStart(start)
	return nil
}

// tree is a symbol, or two adjacent trees, which are a part of a rule.
type tree struct {
	symbol int32 // −1: a part
	part
	lo, hi int32 // the range lo … hi−1 of the rule's symbols in the target
}

// compile converts rule i, with the given form, to a production of one or two symbols. Words become
// pairs of words. Words between symbols are first joined to the symbol before them, on their side.
// Neighbors on both sides are then joined as early as possible, and finally the words before and
// after all symbols. Each derivation by the rule thus has exactly one derivation by its parts.
// compile returns an error for an order that brackets cannot make.
func (g *Grammar) compile(i int, f form) error {
	last := len(f.symbols)
	var list []tree
	if last == 0 {
		list = g.phrase(f.source[0], f.target[0])
	} else {
		core, err := g.core(f)
		if err != nil {
			return err
		}
		list = slices.Concat(g.phrase(f.source[0], f.target[0]), []tree{core}, g.phrase(f.source[last], f.target[last]))
	}
	left, w := g.number[g.rules[i].Left], g.weight[i]
	if t := g.chain(list); t.symbol < 0 {
		g.produce(left, w, t.part)
	} else {
		g.unary[t.symbol] = append(g.unary[t.symbol], production{left, w})
	}
	return nil
}

// core returns the symbols of a rule with the words between them.
func (g *Grammar) core(f form) (tree, error) {
	last := len(f.symbols) - 1
	var stack []tree
	for n, x := range f.symbols {
		place := f.place[n]
		list := []tree{{symbol: x}}
		var source, target []string // between x and the next symbol
		if n < last {
			source = f.source[n+1]
		}
		if int(place) < last {
			target = f.target[place+1]
		}
		if n < last && f.place[n+1] == place+1 {
			list = append(list, g.phrase(source, target)...)
		} else {
			list = slices.Concat(list, g.phrase(source, nil), g.phrase(nil, target))
		}
		t := g.chain(list)
		t.lo, t.hi = place, place+1
		for len(stack) > 0 {
			before := stack[len(stack)-1]
			if before.hi == t.lo {
				t = g.join(straight, before, t)
			} else if t.hi == before.lo {
				t = g.join(inverted, before, t)
			} else {
				break
			}
			stack = stack[:len(stack)-1]
		}
		stack = append(stack, t)
	}
	if len(stack) > 1 {
		return tree{}, fmt.Errorf("brackets cannot make its order: write it as several rules")
	}
	return stack[0], nil
}

// join returns the tree of two adjacent trees.
func (g *Grammar) join(o order, a, b tree) tree {
	return tree{-1, part{o, g.symbolOf(a), g.symbolOf(b)}, min(a.lo, b.lo), max(a.hi, b.hi)}
}

// chain returns the tree of one or more trees in sequence on both tapes.
func (g *Grammar) chain(list []tree) tree {
	t := list[0]
	for _, next := range list[1:] {
		t = g.join(straight, t, next)
	}
	return t
}

// symbolOf returns the symbol of a tree. The symbol of a part has a production.
func (g *Grammar) symbolOf(t tree) int32 {
	if t.symbol >= 0 {
		return t.symbol
	}
	x, ok := g.parts[t.part]
	if !ok {
		x = g.size
		g.size++
		g.parts[t.part] = x
		g.produce(x, expr.One, t.part)
	}
	return x
}

// phrase returns the adjacent pairs of words: one to one from the left, except that opening and
// closing brackets of trees are paired with brackets of the same kind only.
func (g *Grammar) phrase(source, target []string) (list []tree) {
	for len(source)+len(target) > 0 {
		x, y := len(source) > 0, len(target) > 0
		if x && y && class(source[0]) != class(target[0]) {
			x = class(source[0]) != 0
			y = !x
		}
		var p pair
		if x {
			p.source, source = g.words.Add(source[0]), source[1:]
		}
		if y {
			p.target, target = g.words.Add(target[0]), target[1:]
		}
		list = append(list, tree{symbol: g.symbolOfPair(p)})
	}
	return list
}

// symbolOfPair returns the symbol of a pair of words.
func (g *Grammar) symbolOfPair(p pair) int32 {
	x, ok := g.pairOf[p]
	if !ok {
		x = g.size
		g.size++
		g.pairOf[p], g.wordsOf[x] = x, p
		g.pairs, g.from[p.source] = append(g.pairs, p), append(g.from[p.source], p)
	}
	return x
}

// produce adds a production of two symbols.
func (g *Grammar) produce(left int32, w expr.W, p part) {
	key := [2]int32{p.first, p.second}
	g.binary[p.order][key] = append(g.binary[p.order][key], production{left, w})
	g.first[p.order][p.first], g.second[p.order][p.second] = true, true
}

// Rules returns the rules in their original order, with their probabilities at Theta.
func (g *Grammar) Rules() []Rule {
	list := slices.Clone(g.rules)
	for i := range list {
		list[i].Weight = g.Theta[g.index[i]]
	}
	return list
}

// Symbols returns the labels of the words of both tapes, for lattices. They must not be modified.
func (g *Grammar) Symbols() *fst.Symbols { return g.words }

// Data contains the training examples.
type Data struct {
	Examples []Example
	// Underivable is the policy for examples without a derivation, such as examples with
	// unknown words (default em.Fail).
	Underivable em.Policy
}

// Likelihood returns the log likelihood of data as a function of the probabilities of rules, for
// em.Fit: the sum of ln of the sums over derivations, and over all sentences of an uncertain side.
// The error names the example; it wraps ErrInvalid, or the error of a lattice that could not be
// made. It wraps em.ErrInvalid for data without examples.
func (g *Grammar) Likelihood(data Data) (em.Likelihood, error) {
	// A lattice creates its expressions here, once, because E steps run concurrently.
	inputs := make([]input, len(data.Examples))
	for i, x := range data.Examples {
		var err error
		if inputs[i], err = g.input(x); err != nil {
			return nil, nested.Errorf("synchronous: %s: %w", x.name(i), err)
		}
	}
	parsers := sync.Pool{New: func() any { return newDeduction(g) }}
	l, err := cascade.Derivations{
		Examples:    len(inputs),
		Underivable: data.Underivable,
		Name:        func(i int) string { return data.Examples[i].name(i) },
		Weight:      func(i int) float64 { return data.Examples[i].Weight.Float64() },
		Forest: func(i int) (*forest.Forest[expr.W], error) {
			d := parsers.Get().(*deduction)
			defer parsers.Put(d)
			c, err := d.run(inputs[i])
			if err != nil {
				return nil, err
			}
			return c.Forest, nil
		},
	}.Likelihood(g.Params)
	if err != nil {
		return nil, nested.Errorf("synchronous: %w", err)
	}
	return l, nil
}

// Fit trains the grammar on data and stores the result in Theta; see em.Fit. By default it starts
// at Theta. A canceled run keeps the values reached.
func (g *Grammar) Fit(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := g.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &g.Theta, opts)
}
