package cfg

import (
	"fmt"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Rule is Left → Right with a weight. Left is a nonterminal, and so are the labels in
// Right that are Left of some rule; an empty Right derives ε.
type Rule[W any] struct {
	Left   int32
	Right  []int32
	Weight W
}

// FromRules returns the grammar of rules, of which equal ones add their weights; one that
// weighs Zero is left out. The error is that of New, or wraps ErrGrammar for a label in a
// right-hand side that is neither in terminals nor has rules, for one that is both, and
// for a label that is not positive, and names the rule; or it wraps fst.ErrInvalid for
// a weight that is not a number. O(labels).
func FromRules[W any](ring semiring.Semiring[W], start int32, terminals []int32, rules []Rule[W]) (*Grammar[W], error) {
	nonnil.Check("cfg: FromRules", "ring", ring)
	terminal := map[int32]bool{}
	for _, label := range terminals {
		terminal[label] = true
	}
	sides := map[int32]*side[W]{}
	for _, r := range rules {
		if sides[r.Left] == nil {
			sides[r.Left] = newSide(ring)
		}
		sides[r.Left].add(r)
	}
	for i, r := range rules {
		if terminal[r.Left] {
			return nil, fmt.Errorf("cfg: %w: rule %d rewrites the terminal %d", ErrGrammar, i, r.Left)
		}
		for _, label := range r.Right {
			if label <= fst.Epsilon || !terminal[label] && sides[label] == nil {
				return nil, fmt.Errorf("cfg: %w: rule %d: label %d is no terminal and has no rules", ErrGrammar, i, label)
			}
		}
	}
	parts := map[int32]*fst.FST[W]{}
	for left, x := range sides {
		x.SetFinal(0, x.empty)
		f, err := x.Freeze()
		if err != nil {
			return nil, fmt.Errorf("cfg: nonterminal %d: %w", left, err)
		}
		parts[left] = f
	}
	return New(start, parts)
}

// side is the machine of the right-hand sides of a nonterminal. Weights come first, so
// that who enters a rule pays for it, wherever it is left.
type side[W any] struct {
	*fst.Builder[W]
	ring  semiring.Semiring[W]
	empty W // the weight of ε
}

func newSide[W any](ring semiring.Semiring[W]) *side[W] {
	x := &side[W]{fst.NewBuilder(ring), ring, ring.Zero()}
	x.AddStates(2)
	x.AddStart(0, ring.One())
	x.SetFinal(1, ring.One())
	return x
}

func (x *side[W]) add(r Rule[W]) {
	if len(r.Right) == 0 {
		x.empty = x.ring.Plus(x.empty, r.Weight)
		return
	}
	from, w := int32(0), r.Weight
	for i, label := range r.Right {
		to := int32(1)
		if i < len(r.Right)-1 {
			to = x.AddState()
		}
		x.AddArc(from, fst.Arc[W]{In: label, Out: label, To: to, Weight: w})
		from, w = to, x.ring.One()
	}
}
