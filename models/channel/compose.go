package channel

import (
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/nbest"
	"example.org/pathsum/semiring"
)

// compose returns the trimmed cascade between the observed source and the observed end. For a side
// between two stages the cascade ends there and writes the strings that the later stages allow.
func (p *Predictor) compose(n *network, q Query, side Side) (*nbest.Lattice, error) {
	end, err := p.end(n, q)
	if err != nil {
		return nil, err
	}
	stages := n.cascade
	if side > between {
		k := int(side - between)
		if end, err = p.behind(stages[k:], end); err != nil {
			return nil, err
		}
		if end, err = machines.Scaled.Expand(machines.Scaled.ProjectIn(end), nil); err != nil {
			return nil, err
		}
		stages = stages[:k]
	}
	if q.Source == nil { // begin at the other end
		return p.behind(stages, end)
	}
	f := fromString(q.Source)
	for _, s := range stages {
		if f, err = p.join(f, s); err != nil {
			return nil, err
		}
	}
	return p.join(f, end)
}

// behind returns stages ∘ end, composed from the end.
func (p *Predictor) behind(stages []*nbest.Lattice, end *nbest.Lattice) (f *nbest.Lattice, err error) {
	f = end
	for _, s := range slices.Backward(stages) {
		if f, err = p.join(s, f); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// end returns an acceptor of the possible targets of the cascade, given the target and the branches
// of the query. It is nil if the query contains neither.
func (p *Predictor) end(n *network, q Query) (f *nbest.Lattice, err error) {
	if q.Branches != nil && len(q.Branches) != len(n.branches) {
		return nil, nested.Errorf("channel: %w: a query with %d branches, want %d", ErrInvalid, len(q.Branches), len(n.branches))
	}
	if q.Target != nil {
		f = fromString(q.Target)
	}
	for b, z := range q.Branches {
		if z == nil {
			continue
		}
		branch, err := p.behind(n.branches[b], fromString(z))
		if err != nil {
			return nil, err
		}
		if branch, err = machines.Scaled.Expand(machines.Scaled.ProjectIn(branch), nil); err != nil {
			return nil, err
		}
		if f, err = p.join(f, branch); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// join returns a ∘ b, trimmed; a nil machine is the identity.
func (p *Predictor) join(a, b *nbest.Lattice) (*nbest.Lattice, error) {
	if a == nil {
		return b, nil
	}
	if b == nil {
		return a, nil
	}
	f, err := machines.Scaled.Connect(machines.Scaled.Compose(a, b), &fst.Options{Limit: p.opts.Limit})
	if err != nil {
		return nil, nested.Errorf("channel: %w", err)
	}
	return f, nil
}

func fromString(labels []int32) *nbest.Lattice {
	return machines.Scaled.FromString(semiring.Scaled{}, labels)
}

// check returns an error for a query with symbols that no arc of the model has.
func (p *Predictor) check(q Query) error {
	for _, s := range []struct {
		side   Side
		labels []int32
		known  map[int32]bool
	}{{Source, q.Source, p.reads}, {Target, q.Target, p.writes}} {
		for i, l := range s.labels {
			if l <= 0 || !s.known[l] {
				return nested.Errorf("channel: %w: no arc of the model has label %s, at position %d of the %v", nbest.ErrUnknown, named.Label(l), i, s.side)
			}
		}
	}
	return nil
}
