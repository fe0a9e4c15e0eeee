package rewrite

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// Tree is a decision tree that predicts the replacement of a label from nearby labels, for example
// the sound of a letter. Such trees are learnt from aligned words. A node is a leaf, with Outputs,
// or a question, with Yes and No.
type Tree[W any] struct {
	// The question is whether Labels contains the label at Distance from the label to rewrite: −1
	// is the label before it and 1 the label after it. Beyond the ends of the string the label is
	// Options.Begin or Options.End; if these are 0, the answer there is no.
	Distance int
	Labels   []int32
	Yes, No  *Tree[W]
	// Outputs are the replacements of the label at a leaf.
	Outputs []Output[W]
}

// Output is a string and its weight.
type Output[W any] struct {
	Labels []int32
	Weight W
}

// TreeRules returns the rules that are equivalent to a tree for label, one per leaf. Compile them
// together with the rules of trees for other labels, with the direction Simultaneous and the
// Alphabet, Begin and End of o. The error wraps ErrRule for a node that is neither a leaf nor a
// question, or asks about a distance of 0. A context has one more state than the farthest distance
// that a question asks about, and arcs for all labels that its questions leave.
//
// Sproat and Riley, "Compilation of weighted finite-state transducers from decision
// trees" (1996).
func TreeRules[W any](ring semiring.Semiring[W], label int32, t *Tree[W], o *Options[W]) ([]Rule[W], error) {
	nonnil.Check("rewrite: TreeRules", "ring", ring)
	l := leaves[W]{ring: ring, label: label, Options: o.clone()}
	l.nameEnds()
	if err := l.visit(t, map[int][]int32{}); err != nil {
		return nil, err
	}
	return l.rules, nil
}

// leaves makes the rules of the leaves of a tree.
type leaves[W any] struct {
	Options[W]
	ring  semiring.Semiring[W]
	label int32
	rules []Rule[W]
}

// visit adds the rules of t; possible contains the labels that the questions so far allow, by
// distance.
func (l *leaves[W]) visit(t *Tree[W], possible map[int][]int32) error {
	switch {
	case t == nil || (t.Yes == nil) != (t.No == nil) || (t.Yes == nil) == (len(t.Outputs) == 0):
		return nested.Errorf("rewrite: %w: a node of the tree for label %d that is neither a question with two answers nor a leaf", ErrRule, l.label)
	case t.Yes == nil:
		return l.leaf(t, possible)
	case t.Distance == 0:
		return nested.Errorf("rewrite: %w: the tree for label %d asks about a distance of 0", ErrRule, l.label)
	}
	before, asked := possible[t.Distance]
	if !asked {
		before = l.all(t.Distance)
	}
	yes := func(x int32) bool { return slices.Contains(t.Labels, x) }
	no := func(x int32) bool { return !yes(x) }
	defer func() { // possible is the caller's
		if delete(possible, t.Distance); asked {
			possible[t.Distance] = before
		}
	}()
	possible[t.Distance] = slices.DeleteFunc(slices.Clone(before), no)
	if err := l.visit(t.Yes, possible); err != nil {
		return err
	}
	possible[t.Distance] = slices.DeleteFunc(slices.Clone(before), yes)
	return l.visit(t.No, possible)
}

// end returns the label beyond the string on the side of a distance.
func (l *leaves[W]) end(distance int) int32 {
	if distance < 0 {
		return l.Begin
	}
	return l.End
}

// all returns all labels that may occur at a distance.
func (l *leaves[W]) all(distance int) []int32 {
	return append(slices.Clone(l.Alphabet), l.end(distance))
}

func (l *leaves[W]) leaf(t *Tree[W], possible map[int][]int32) error {
	var changes []fst.Path[W]
	for _, o := range t.Outputs {
		changes = append(changes, fst.Path[W]{In: []int32{l.label}, Out: o.Labels, Weight: o.Weight})
	}
	rule := Rule[W]{Change: fst.StringMap(l.ring, changes)}
	if err := fst.Err(rule.Change); err != nil {
		return err
	}
	left, err := l.side(possible, -1)
	if err != nil {
		return err
	}
	if left != nil { // it was built from the label outwards
		if rule.Left, err = fst.Reverse(left, nil); err != nil {
			return err
		}
	}
	right, err := l.side(possible, 1)
	if right != nil {
		rule.Right = right
	}
	l.rules = append(l.rules, rule)
	return err
}

// side returns the acceptor of the possible labels on one side, from the label outwards, or nil if
// no question was asked there. State d is after d labels. The string may end earlier, with the
// label of its end, if the questions about greater distances allow that.
func (l *leaves[W]) side(possible map[int][]int32, direction int) (*fst.FST[W], error) {
	depth := 0
	for distance := range possible {
		depth = max(depth, distance*direction)
	}
	if depth == 0 {
		return nil, nil
	}
	end := l.end(direction)
	at := func(d int) []int32 {
		if labels, ok := possible[d*direction]; ok {
			return labels
		}
		return l.all(direction)
	}
	one := l.ring.One()
	b := fst.NewBuilder(l.ring)
	b.AddStates(depth + 1)
	b.AddStart(0, one)
	b.SetFinal(int32(depth), one)
	ended := true // may the string have ended before distance d
	for d := depth; d > 0; d-- {
		from := int32(d - 1)
		ended = ended && slices.Contains(at(d), end)
		for _, x := range at(d) {
			to := int32(d)
			if x == end {
				if !ended {
					continue
				}
				to = int32(depth)
			}
			b.AddArc(from, fst.Arc[W]{In: x, Out: x, To: to, Weight: one})
		}
	}
	return b.Freeze()
}
