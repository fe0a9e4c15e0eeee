package pcfg

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// ErrInvalid is wrapped by errors about rules that make no grammar, and sentences that a
// grammar cannot take.
var ErrInvalid = errors.New("invalid input")

// Rule says that the symbol Left may become the symbols Right, one or two.
type Rule struct {
	Left  string
	Right []string
	// Weight is its probability among the rules of Left, up to a factor: a finite
	// number ≥ 0. They are where training starts.
	Weight float64
}

// String returns "Left → Right Right".
func (r Rule) String() string {
	s := r.Left + " →"
	for _, x := range r.Right {
		s += " " + x
	}
	return s
}

// Grammar is a grammar with values for the probabilities of its rules.
type Grammar struct {
	Params *em.Params
	// Theta are the values of Params. The rules of a symbol are a group.
	Theta []float64

	rules  []Rule
	names  []string         // of symbols
	number map[string]int32 // of symbols
	start  int32
	word   []bool // by symbol: it is on no left-hand side
	index  []int  // by rule: its number in Theta
	// Rules by their right-hand sides.
	unary  map[int32][]production
	binary map[[2]int32][]production
}

// production is a rule: its left-hand side, and its weight in the Space of the Params.
type production struct {
	left   int32
	weight expr.W
}

// New returns the grammar of rules whose derivations begin with the start symbol. law says
// how the rules of a symbol are estimated, em.Multinomial{} by maximum likelihood.
//
// The error wraps ErrInvalid and names a rule: one with no or more than two symbols on the
// right, a bad weight, or one that is there twice; a symbol whose weights are all zero; a
// start symbol without rules.
func New(start string, rules []Rule, law em.Law) (*Grammar, error) {
	nonnil.Check("pcfg: New", "law", law)
	g := &Grammar{Params: em.NewParams(), rules: slices.Clone(rules), number: map[string]int32{}, index: make([]int, len(rules)),
		unary: map[int32][]production{}, binary: map[[2]int32][]production{}}
	var lefts []int32 // in the order of their first rules
	of := map[int32][]int{}
	seen := map[string]bool{}
	for i, r := range rules {
		switch {
		case len(r.Right) < 1 || len(r.Right) > 2:
			return nil, fmt.Errorf("pcfg: %w: rule %d, %v, has %d symbols on the right, want 1 or 2", ErrInvalid, i+1, r, len(r.Right))
		case !(r.Weight >= 0) || math.IsInf(r.Weight, 1):
			return nil, fmt.Errorf("pcfg: %w: rule %d, %v, has weight %g, want a finite number ≥ 0", ErrInvalid, i+1, r, r.Weight)
		}
		key := fmt.Sprintf("%q %q", r.Left, r.Right)
		if seen[key] {
			return nil, fmt.Errorf("pcfg: %w: rule %d, %v, is there twice", ErrInvalid, i+1, r)
		}
		seen[key] = true
		left := g.symbol(r.Left)
		if of[left] == nil {
			lefts = append(lefts, left)
		}
		of[left] = append(of[left], i)
	}
	for _, left := range lefts {
		if err := g.group(left, of[left], law); err != nil {
			return nil, err
		}
	}
	g.start = g.symbol(start)
	g.word = make([]bool, len(g.names))
	for x := range g.word {
		g.word[x] = of[int32(x)] == nil
	}
	if g.word[g.start] {
		return nil, fmt.Errorf("pcfg: %w: the start symbol %s has none", ErrInvalid, start)
	}
	g.Theta = g.Params.Start()
	return g, nil
}

// symbol returns the number of a symbol.
func (g *Grammar) symbol(name string) int32 {
	x, ok := g.number[name]
	if !ok {
		x = int32(len(g.names))
		g.number[name] = x
		g.names = append(g.names, name)
	}
	return x
}

// group makes parameters of the rules of a symbol.
func (g *Grammar) group(left int32, rules []int, law em.Law) error {
	sum := 0.0
	for _, i := range rules {
		sum += g.rules[i].Weight
	}
	if sum == 0 || math.IsInf(sum, 1) {
		return fmt.Errorf("pcfg: %w: the weights of the rules of %s sum to %g", ErrInvalid, g.names[left], sum)
	}
	group := g.Params.Group(g.names[left], len(rules), law)
	group.SetNames(func(k int) string { return g.rules[rules[k]].String() })
	start := make([]float64, len(rules))
	for k, i := range rules {
		r := g.rules[i]
		start[k] = r.Weight / sum
		g.index[i] = group.First() + k
		p := production{left, group.Weight(k)}
		first := g.symbol(r.Right[0])
		if len(r.Right) == 1 {
			g.unary[first] = append(g.unary[first], p)
			continue
		}
		pair := [2]int32{first, g.symbol(r.Right[1])}
		g.binary[pair] = append(g.binary[pair], p)
	}
	group.SetStart(start)
	return nil
}

// Rules returns the rules in the order in which they were given, with their probabilities
// at Theta.
func (g *Grammar) Rules() []Rule {
	list := slices.Clone(g.rules)
	for i := range list {
		list[i].Weight = g.Theta[g.index[i]]
	}
	return list
}

// Data are sentences to learn from, each a sequence of words.
type Data struct {
	Sentences [][]string
	// Underivable says what to do with sentences that have no derivation, such as those
	// with words that are in no rule (default em.Fail).
	Underivable em.Policy
}

// Likelihood returns the log likelihood of data as a function of the probabilities of
// rules, for em.Fit. The error wraps ErrInvalid and names the sentence, or em.ErrInvalid
// if there is none.
func (g *Grammar) Likelihood(data Data) (em.Likelihood, error) {
	parsers := sync.Pool{New: func() any { return newDeduction(g) }}
	l, err := em.Derivations{
		Examples:    len(data.Sentences),
		Underivable: data.Underivable,
		Name:        func(i int) string { return fmt.Sprintf("sentence %d", i+1) },
		Forest: func(i int) (*forest.Forest[expr.W], error) {
			d := parsers.Get().(*deduction)
			defer parsers.Put(d)
			c, err := d.run(data.Sentences[i])
			if err != nil {
				return nil, err
			}
			return c.Forest, nil
		},
	}.Likelihood(g.Params)
	if err != nil {
		return nil, fmt.Errorf("pcfg: %w", err)
	}
	return l, nil
}

// Fit trains the grammar on data, from Theta unless opts says otherwise, and leaves the
// result in Theta; see em.Fit. A canceled run keeps what it has reached.
func (g *Grammar) Fit(ctx context.Context, data Data, opts *em.Options) (*em.Result, error) {
	l, err := g.Likelihood(data)
	if err != nil {
		return nil, err
	}
	return em.FitFrom(ctx, l, &g.Theta, opts)
}
