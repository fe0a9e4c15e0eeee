package edit

import (
	"errors"
	"io"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// ErrInvalid is wrapped by errors about invalid alphabets, options, words and data.
var ErrInvalid = nested.ErrInvalid

// Model is a stochastic edit transducer, the only machine of its cascade, and its
// parameters. The machine reads Labels. Fit, of cascade.Model, trains it on pairs of strings.
type Model struct {
	cascade.Model
	contexts *contexts // nil: labels are symbols
}

// NewJoint returns an untrained model of pairs of strings over the labels source and
// target, which must be positive and distinct: the error wraps ErrInvalid. All edits and the
// end of the strings share one distribution, estimated by law. It starts uniform. The machine
// has one state and (len(source)+1)(len(target)+1)−1 arcs.
func NewJoint(source, target []int32, law em.Law) (*Model, error) {
	nonnil.Check("edit: NewJoint", "law", law)
	return newModel(source, target, func(p *em.Params, m fst.Machine[bool]) cascade.Stage {
		return cascade.Joint(p, "edit", m, law)
	})
}

// NewConditional is NewJoint for targets given the source: each source symbol has a distribution
// over its replacements, and a coin decides before each symbol, and at the end, whether to insert.
func NewConditional(source, target []int32, law em.Law) (*Model, error) {
	nonnil.Check("edit: NewConditional", "law", law)
	return newModel(source, target, func(p *em.Params, m fst.Machine[bool]) cascade.Stage {
		return cascade.Conditional(p, "edit", m, law)
	})
}

// NewFeatured is NewConditional with probabilities computed from features. The probability of a
// replacement of a source symbol, or of an insertion, is proportional to the product of the
// strengths of the edit's features (em.LogLinear). Edits with a common feature, such as the
// distance of two keys, share its strength, so that little training data suffices. An edit without
// features has strength 1.
func NewFeatured(source, target []int32, features func(Edit) []em.Feature, opts em.LogLinearOptions) (*Model, error) {
	nonnil.Check("edit: NewFeatured", "features", features)
	return newModel(source, target, func(p *em.Params, m fst.Machine[bool]) cascade.Stage {
		return cascade.ConditionalLogLinear(p, "edit", m, func(_ int32, a *fst.Arc[bool]) []em.Feature {
			if a == nil {
				return nil
			}
			return features(Edit{a.In, a.Out})
		}, opts)
	})
}

func newModel(source, target []int32, of func(*em.Params, fst.Machine[bool]) cascade.Stage) (*Model, error) {
	if err := errors.Join(checkAlphabet("source ", source), checkAlphabet("target ", target)); err != nil {
		return nil, err
	}
	all := fst.Edits[bool]{Keep: true, Replace: true, Delete: true, Insert: true}
	p := em.NewParams()
	f := of(p, all.Machine(semiring.Boolean{}, source, target))
	if err := fst.Err(f); err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	return &Model{Model: cascade.NewModel(cascade.Problem{Params: p, Stages: []cascade.Stage{f}})}, nil
}

// checkAlphabet returns an error for labels that are not positive and distinct; side is part of the
// message.
func checkAlphabet(side string, labels []int32) error {
	seen := map[int32]bool{}
	for _, l := range labels {
		switch {
		case l <= fst.Epsilon:
			return nested.Errorf("edit: %w: label %d in the %salphabet, want labels > 0", ErrInvalid, l, side)
		case seen[l]:
			return nested.Errorf("edit: %w: label %s occurs twice in the %salphabet", ErrInvalid, named.Label(l), side)
		}
		seen[l] = true
	}
	return nil
}

// Labels returns the labels that the machine reads for the source x: x itself, or in a contextual
// model the contexts of its symbols. It returns false if x has a symbol that a contextual model
// does not know.
func (m *Model) Labels(x []int32) ([]int32, bool) {
	if m.contexts == nil {
		return x, true
	}
	return m.contexts.labels(x)
}

// machine returns the frozen machine of the model.
func (m *Model) machine() (*fst.FST[expr.W], error) { return machines.Exprs.Expand(m.Stages[0], nil) }

// Load reads a model that Save wrote. The error wraps em.ErrFormat if the text is not an edit
// model.
func Load(r io.Reader) (*Model, error) {
	m, err := cascade.Load(r)
	if err != nil {
		return nil, nested.Errorf("edit: %w", err)
	}
	if len(m.Stages) != 1 {
		return nil, nested.Errorf("edit: %w: %d machines, want one", em.ErrFormat, len(m.Stages))
	}
	loaded := &Model{Model: *m}
	f, err := loaded.machine()
	if err != nil {
		return nil, err
	}
	if f.NumStates() == 0 {
		return nil, nested.Errorf("edit: %w: the machine has no state", em.ErrFormat)
	}
	if names := f.InSymbols(); names != nil {
		if loaded.contexts, err = readContexts(names); err != nil {
			return nil, err
		}
	}
	return loaded, nil
}
