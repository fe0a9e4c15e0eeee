package pcfg

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
)

// ErrInvalid is wrapped by errors about invalid rules and sentences.
var ErrInvalid = nested.ErrInvalid

// Rule rewrites the symbol Left as the symbols Right, one or two.
type Rule struct {
	Left  string
	Right []string
	// Weight is its probability among the rules of Left, up to a factor: a finite number ≥ 0.
	// Training starts at these probabilities.
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
	// Params has a group for the rules of each symbol. To train the grammar together with other
	// machines, such as the channel of its lattices, add their groups and set Theta to
	// Params.Start() again.
	Params *em.Params
	// Theta are the values of Params.
	Theta []float64

	rules  []Rule
	names  []string         // of symbols
	number map[string]int32 // of symbols
	start  int32
	word   []bool   // by symbol: it is on no left-hand side
	index  []int    // by rule: its index in Theta
	weight []expr.W // by rule
	// Rules by their right-hand sides.
	unary  map[int32][]production
	binary map[[2]int32][]production

	symbols *fst.Symbols
	network *cfg.Grammar[expr.W] // for lattices
}

// production is a rule: its left-hand side, and its weight in the Space of the Params.
type production struct {
	left   int32
	weight expr.W
}

// New returns the grammar of rules whose derivations begin with the start symbol. law estimates the
// rules of each symbol; em.Multinomial{} is maximum likelihood.
//
// The error wraps ErrInvalid for a rule with no or more than two symbols on the right, an invalid
// weight or a duplicate rule. It also wraps ErrInvalid for a symbol whose weights are all zero, and
// a start symbol without rules.
func New(start string, rules []Rule, law em.Law) (*Grammar, error) {
	nonnil.Check("pcfg: New", "law", law)
	g := &Grammar{Params: em.NewParams(), rules: slices.Clone(rules), number: map[string]int32{}, index: make([]int, len(rules)), weight: make([]expr.W, len(rules)),
		unary: map[int32][]production{}, binary: map[[2]int32][]production{}}
	var lefts []int32 // in the order of their first rules
	of := map[int32][]int{}
	seen := map[string]bool{}
	for i, r := range rules {
		switch {
		case len(r.Right) < 1 || len(r.Right) > 2:
			return nil, nested.Errorf("pcfg: %w: rule %d, %v, has %d symbols on the right, want 1 or 2", ErrInvalid, i+1, r, len(r.Right))
		case !(r.Weight >= 0) || math.IsInf(r.Weight, 1):
			return nil, nested.Errorf("pcfg: %w: rule %d, %v, has weight %g, want a finite number ≥ 0", ErrInvalid, i+1, r, r.Weight)
		}
		key := fmt.Sprintf("%q %q", r.Left, r.Right)
		if seen[key] {
			return nil, nested.Errorf("pcfg: %w: rule %d, %v, is there twice", ErrInvalid, i+1, r)
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
		return nil, nested.Errorf("pcfg: %w: the start symbol %s has no rules", ErrInvalid, start)
	}
	g.Theta = g.Params.Start()
	return g, g.connect()
}

// connect makes the grammar for parsing lattices. The label of a symbol is its number plus one.
func (g *Grammar) connect() error {
	g.symbols = fst.NewSymbols()
	var terminals []int32
	for x, name := range g.names {
		if label := g.symbols.Add(name); g.word[x] {
			terminals = append(terminals, label)
		}
	}
	rules := make([]cfg.Rule[expr.W], len(g.rules))
	for i, r := range g.rules {
		right, err := g.symbols.Encode(r.Right...)
		if err != nil {
			return nested.Errorf("pcfg: %w", err)
		}
		rules[i] = cfg.Rule[expr.W]{Left: g.number[r.Left] + 1, Right: right, Weight: g.weight[i]}
	}
	var err error
	g.network, err = cfg.FromRules(g.Params.Space(), g.start+1, terminals, rules)
	if err != nil {
		return nested.Errorf("pcfg: %w", err)
	}
	return nil
}

// Symbols returns the labels of words, and of other symbols, for lattices. They must not be
// modified.
func (g *Grammar) Symbols() *fst.Symbols { return g.symbols }

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

// group creates the parameters of the rules of a symbol.
func (g *Grammar) group(left int32, rules []int, law em.Law) error {
	sum := 0.0
	for _, i := range rules {
		sum += g.rules[i].Weight
	}
	if sum == 0 || math.IsInf(sum, 1) {
		return nested.Errorf("pcfg: %w: the weights of the rules of %s sum to %g", ErrInvalid, g.names[left], sum)
	}
	group := g.Params.Distribution(g.names[left], len(rules), law)
	group.SetNames(func(k int) string { return g.rules[rules[k]].String() })
	start := make([]float64, len(rules))
	for k, i := range rules {
		r := g.rules[i]
		start[k] = r.Weight / sum
		g.index[i], g.weight[i] = group.First()+k, group.Weight(k)
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

// Rules returns the rules in their original order, with their probabilities at Theta.
func (g *Grammar) Rules() []Rule {
	list := slices.Clone(g.rules)
	for i := range list {
		list[i].Weight = g.Theta[g.index[i]]
	}
	return list
}

// Data contains the training sentences, each a sequence of words, or lattices in their place.
type Data struct {
	Sentences [][]string
	// Lattices are sets of sentences, with weights in the Space of the grammar's Params: machines
	// that read words, by the labels of Symbols. For a channel and its output, compose them to one
	// machine; the channel is trained with the grammar if its parameters are in the same Params.
	// Arcs without a word have no label.
	Lattices []cascade.Stage
	// Underivable selects the treatment of sentences without a derivation, such as sentences with
	// words that are in no rule (default em.Fail).
	Underivable em.Policy
}

// Likelihood returns the log likelihood of data as a function of the probabilities of rules, for
// em.Fit. For a lattice it is ln of the sum over its paths and their derivations. The error wraps
// ErrInvalid, or comes from a lattice that could not be made, and names the sentence. It wraps
// em.ErrInvalid for an empty Data.
func (g *Grammar) Likelihood(data Data) (em.Likelihood, error) {
	if len(data.Sentences) > 0 && len(data.Lattices) > 0 {
		return nil, nested.Errorf("pcfg: %w: %d sentences and %d lattices, want one kind", ErrInvalid, len(data.Sentences), len(data.Lattices))
	}
	name := func(i int) string { return fmt.Sprintf("sentence %d", i+1) }
	// A lattice creates its expressions here, once, because E steps run concurrently.
	lattices := make([]*fst.FST[expr.W], len(data.Lattices))
	for i, m := range data.Lattices {
		var err error
		if lattices[i], err = frozen(m); err != nil {
			return nil, nested.Errorf("pcfg: %s: %w", name(i), err)
		}
	}
	parsers := sync.Pool{New: func() any { return newDeduction(g) }}
	l, err := cascade.Derivations{
		Examples:    max(len(data.Sentences), len(data.Lattices)),
		Underivable: data.Underivable,
		Name:        name,
		Forest: func(i int) (*forest.Forest[expr.W], error) {
			if len(lattices) > 0 {
				c, err := g.network.Parse(lattices[i], nil)
				if err != nil {
					return nil, err
				}
				return c.Forest, nil
			}
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
		return nil, nested.Errorf("pcfg: %w", err)
	}
	return l, nil
}

// frozen returns a lattice with all its states.
func frozen(lattice cascade.Stage) (*fst.FST[expr.W], error) {
	if nonnil.Is(lattice) {
		return nil, fmt.Errorf("%w: there is no lattice", ErrInvalid)
	}
	return machines.Exprs.Expand(lattice, nil)
}

// Superset returns a machine that accepts the sentences of the grammar and others, as a joint
// distribution with the parameters of the grammar. It is cfg.Grammar.Superset with the
// probabilities of the rules, normalized at each state by cascade.NormalizeStates. Without
// normalization its path sum may diverge. Use it in a cascade, which cannot contain the grammar
// itself.
//
// The probability of a sentence therefore differs from the grammar's unless all recursion is on one
// side (cfg.Grammar.StronglyRegular). A choice at a state is among rules, or, at the end of a
// symbol, among its possible callers, which have equal weights. A greater depth means fewer other
// sentences and a larger machine.
//
// The normalizing sums have negative counts, so it can be trained by em.LBFGS and em.SGD, but not
// by EM. Errors of cfg.Grammar.Superset are stored in the machine. Labels are as in Symbols.
func (g *Grammar) Superset(depth int) cascade.Stage {
	f, err := machines.Exprs.Expand(g.network.Superset(depth), nil)
	if err != nil {
		return fst.Failed[expr.W](g.Params.Space(), nested.Errorf("pcfg: %w", err))
	}
	return cascade.NormalizeStates[expr.W](f.WithSymbols(g.symbols, g.symbols))
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
