package edit

import (
	"fmt"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Machine returns the transducer of all edits between strings over the labels in
// and strings over the labels out: one state, which is final, with an arc for
// each substitution, deletion and insertion. Labels must be positive and
// distinct. It has (len(in)+1)(len(out)+1)−1 arcs.
func Machine(in, out []int32) (*fst.FST[bool], error) {
	for _, tape := range [][]int32{in, out} {
		if err := checkLabels(tape); err != nil {
			return nil, err
		}
	}
	m := fst.NewBuilder(semiring.Semiring[bool](semiring.Boolean{}))
	s := m.AddState()
	m.AddStart(s, true)
	m.SetFinal(s, true)
	for _, i := range append([]int32{fst.Epsilon}, in...) {
		for _, o := range append([]int32{fst.Epsilon}, out...) {
			if i != fst.Epsilon || o != fst.Epsilon {
				m.AddArc(s, fst.Arc[bool]{In: i, Out: o, Weight: true, To: s})
			}
		}
	}
	return m.Freeze()
}

func checkLabels(tape []int32) error {
	seen := map[int32]bool{}
	for _, l := range tape {
		if l <= fst.Epsilon || seen[l] {
			return fmt.Errorf("edit: label %d is not positive or stands twice in the alphabet", l)
		}
		seen[l] = true
	}
	return nil
}

// Joint returns a new model of pairs of strings: all edits and the end of the
// strings share one distribution, estimated by law. It starts uniform.
func Joint(in, out []int32, law em.Parameterization) (*Model, error) {
	return newModel(in, out, law, em.Joint[bool])
}

// Conditional returns a new model of output strings given the input string:
// each input symbol has a distribution over what becomes of it, and a coin says
// before each, and at the end, whether something is inserted. It starts with
// uniform distributions.
func Conditional(in, out []int32, law em.Parameterization) (*Model, error) {
	return newModel(in, out, law, em.Conditional[bool])
}

type parameterize func(*em.Params, string, *fst.FST[bool], em.Parameterization) (*fst.FST[expr.W], error)

func newModel(in, out []int32, law em.Parameterization, of parameterize) (*Model, error) {
	plain, err := Machine(in, out)
	if err != nil {
		return nil, err
	}
	p := em.NewParams()
	f, err := of(p, "edit", plain, law)
	if err != nil {
		return nil, err
	}
	return &Model{em.NewModel(em.Problem{Params: p, Cascade: []*fst.FST[expr.W]{f}})}, nil
}
