package rewrite

import (
	"errors"
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// ErrRule is returned, wrapped, for invalid rules or options.
var ErrRule = errors.New("bad rule")

// Rule is φ → ψ / λ __ ρ.
type Rule[W any] struct {
	// Change is the weighted relation of strings φ and their replacements ψ.
	Change fst.Machine[W]
	// Left and Right are the acceptors of λ and ρ. Only whether their weights are Zero counts; nil
	// is the empty context, which matches everywhere.
	Left, Right fst.Machine[W]
}

// frozenRule is a rule with frozen machines; nil is an empty context.
type frozenRule[W any] struct{ change, left, right *fst.FST[W] }

// Direction is the order in which a string is rewritten.
type Direction int

// The directions.
const (
	LeftToRight Direction = iota
	RightToLeft
	Simultaneous
)

// String returns the name of d.
func (d Direction) String() string {
	return named.One(d, "Direction", "left to right", "right to left", "at once")
}

// Application is whether rules must be applied.
type Application int

const (
	// Obligatory rules are applied wherever they match.
	Obligatory Application = iota
	// Optional rules may be applied or not; both have their paths.
	Optional
)

// String returns the name of a.
func (a Application) String() string {
	return named.One(a, "Application", "obligatory", "optional")
}

// Match selects one of several strings φ that match at a position. Insertions compete only with
// insertions: see the package comment.
type Match int

const (
	// Any of them is an alternative, and so are several rules with the same φ.
	Any Match = iota
	// Longest is the longest of them, rewritten by the first rule in the list that matches it. Each
	// input is then rewritten in one way, except that a change may have several outputs for one φ:
	// if each change is a conditional distribution given φ, so is the whole relation.
	Longest
	// Shortest is the shortest of them, and otherwise like Longest.
	Shortest
)

// String returns the name of m.
func (m Match) String() string {
	return named.One(m, "Match", "any", "longest", "shortest")
}

// Coin contains the weights of applying a rule and of not applying it.
type Coin[W any] struct{ Heads, Tails W }

// Options are the settings of Compile; nil stands for the zero value.
type Options[W any] struct {
	// Alphabet holds the labels of the strings to rewrite, positive and distinct. A
	// label of a rule that is not among them occurs in no input.
	Alphabet []int32
	// Begin and End are labels that contexts use for the ends of the string: λ = Begin a* is a
	// run of a at the beginning. They are not in the alphabet. 0 stands for a label near
	// 2³¹−1 that is not in the alphabet, for rules that do not name the ends.
	Begin, End  int32
	Direction   Direction
	Application Application
	Match       Match
	// Coin, if not nil, is tossed only where an Optional rule could be applied: once for all
	// insertions at a position, and once for all other changes. Nil stands for the weight One of
	// both sides.
	Coin *Coin[W]
	// Limit bounds the states and arcs of the result, and the states of contexts that
	// its states remember, together; 0 stands for fst.DefaultLimit.
	Limit int
}

// clone returns a copy of o, the zero value if o is nil.
func (o *Options[W]) clone() Options[W] {
	if o == nil {
		return Options[W]{}
	}
	return *o
}

func (o *Options[W]) check() error {
	seen := map[int32]bool{fst.Epsilon: true, o.Begin: true, o.End: true}
	for _, l := range o.Alphabet {
		if l < 0 || seen[l] {
			return nested.Errorf("rewrite: %w: label %d of the alphabet is 0, negative, the label of an end, or there twice", ErrRule, l)
		}
		seen[l] = true
	}
	if o.Begin < 0 || o.End < 0 || o.Begin == o.End && o.End != 0 {
		return nested.Errorf("rewrite: %w: %d and %d as labels of the ends, want two of them, or 0", ErrRule, o.Begin, o.End)
	}
	if o.Direction < LeftToRight || o.Direction > Simultaneous || o.Application < Obligatory || o.Application > Optional {
		return nested.Errorf("rewrite: %w: direction %d, application %d", ErrRule, o.Direction, o.Application)
	}
	if o.Match < Any || o.Match > Shortest {
		return nested.Errorf("rewrite: %w: match %d", ErrRule, o.Match)
	}
	if o.Coin != nil && o.Application != Optional {
		return nested.Errorf("rewrite: %w: a coin for rules that are not optional", ErrRule)
	}
	if o.Limit == 0 {
		o.Limit = fst.DefaultLimit
	}
	o.nameEnds()
	return nil
}

// nameEnds sets Begin and End, where they are 0, to the greatest unused labels.
func (o *Options[W]) nameEnds() {
	taken := map[int32]bool{o.Begin: true, o.End: true}
	for _, l := range o.Alphabet {
		taken[l] = true
	}
	free := int32(math.MaxInt32)
	for _, end := range []*int32{&o.Begin, &o.End} {
		for *end == 0 {
			if !taken[free] {
				*end = free
			}
			free--
		}
	}
}

// Compile returns the transducer that applies rules, one of them at a position. It works over any
// ring; from right to left, the ring must be one that fst.Reverse accepts. The error wraps ErrRule
// for a rule without Change or a context that is a transducer, and fst.ErrMismatch if rings or
// names of labels differ, because all rules share one alphabet; it contains the index of the rule.
// It wraps semiring.ErrLimit if the result would exceed the limit. Machines that are not frozen are
// expanded, with the errors of fst.Expand. o may be nil. The result is trimmed, not minimal.
//
// The number of states may be exponential in the number of states of λ and φ ρ, as for any
// determinization, and is often near their sum. Each state has an arc per label of the alphabet.
func Compile[W any](rules []Rule[W], o *Options[W]) (*fst.FST[W], error) {
	settings := o.clone()
	if err := settings.check(); err != nil {
		return nil, err
	}
	if len(rules) == 0 {
		return nil, nested.Errorf("rewrite: %w: no rules", ErrRule)
	}
	backward := settings.Direction == RightToLeft
	if backward && settings.Coin != nil && rules[0].Change != nil {
		settings.Coin = settings.Coin.reversed(rules[0].Change.Semiring())
	}
	c := newCompiler(settings)
	for i, rule := range rules {
		r, err := rule.freeze()
		if err == nil {
			err = c.join(r)
		}
		if err == nil && backward {
			r, err = r.reversed()
		}
		if err == nil {
			err = c.add(r)
		}
		if err != nil {
			return nil, nested.Errorf("rewrite: rule %d: %w", i, err)
		}
	}
	f, err := c.compile()
	if err != nil || !backward {
		return f, err
	}
	return fst.Reverse(f, nil)
}

// freeze returns the rule with frozen machines.
func (r Rule[W]) freeze() (z frozenRule[W], err error) {
	if r.Change == nil {
		return z, fmt.Errorf("%w: no change", ErrRule)
	}
	nonnil.Check("rewrite: Compile", "change", r.Change)
	if z.change, err = fst.Expand(r.Change, nil); err != nil {
		return z, err
	}
	if z.left, err = frozenContext("left", r.Left); err != nil {
		return z, err
	}
	z.right, err = frozenContext("right", r.Right)
	return z, err
}

// frozenContext returns the frozen form of a context, nil for the empty context.
func frozenContext[W any](name string, m fst.Machine[W]) (*fst.FST[W], error) {
	if m == nil {
		return nil, nil
	}
	nonnil.Check("rewrite: Compile", name+" context", m)
	f, err := fst.Expand(m, nil)
	if err != nil {
		return nil, err
	}
	for e, in := range f.In() {
		if in != f.Out()[e] {
			return nil, fmt.Errorf("%w: arc %d of the %s context has labels %d:%d, want an acceptor", ErrRule, e, name, in, f.Out()[e])
		}
	}
	return f, nil
}

// reversed returns the coin for strings read backwards.
func (c *Coin[W]) reversed(ring semiring.Semiring[W]) *Coin[W] {
	r, ok := semiring.As[semiring.Reverser[W]](ring)
	if !ok {
		return c
	}
	return &Coin[W]{r.Reverse(c.Heads), r.Reverse(c.Tails)}
}

// reversed returns the rule for strings read backwards.
func (r frozenRule[W]) reversed() (frozenRule[W], error) {
	var err error
	reverse := func(f *fst.FST[W]) *fst.FST[W] {
		if f == nil || err != nil {
			return nil
		}
		f, err = fst.Reverse(f, nil)
		return f
	}
	return frozenRule[W]{change: reverse(r.change), left: reverse(r.right), right: reverse(r.left)}, err
}
