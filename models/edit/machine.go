package edit

import (
	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Machine returns the transducer of all edits between strings over the labels in
// and strings over the labels out: one state, which is final, with an arc for
// each substitution, deletion and insertion. Labels must be positive and
// distinct. It has (len(in)+1)(len(out)+1)−1 arcs.
func Machine(in, out []int32) (*fst.FST[bool], error) {
	all := fst.Edits[bool]{Keep: true, Replace: true, Delete: true, Insert: true}
	return all.Machine(semiring.Boolean{}, in, out)
}

// NewJoint returns a new model of pairs of strings: all edits and the end of the
// strings share one distribution, estimated by law. It starts uniform.
func NewJoint(in, out []int32, law em.Law) (*Model, error) {
	nonnil.Check("edit: Joint", "law", law)
	return newModel(in, out, law, em.Joint[bool])
}

// NewConditional returns a new model of output strings given the input string:
// each input symbol has a distribution over what becomes of it, and a coin says
// before each, and at the end, whether something is inserted. It starts with
// uniform distributions.
func NewConditional(in, out []int32, law em.Law) (*Model, error) {
	nonnil.Check("edit: Conditional", "law", law)
	return newModel(in, out, law, em.Conditional[bool])
}

type parameterize func(*em.Params, string, *fst.FST[bool], em.Law) (*fst.FST[expr.W], error)

func newModel(in, out []int32, law em.Law, of parameterize) (*Model, error) {
	plain, err := Machine(in, out)
	if err != nil {
		return nil, err
	}
	p := em.NewParams()
	f, err := of(p, "edit", plain, law)
	if err != nil {
		return nil, err
	}
	return &Model{Model: em.NewModel(em.Problem{Params: p, Cascade: []*fst.FST[expr.W]{f}})}, nil
}
