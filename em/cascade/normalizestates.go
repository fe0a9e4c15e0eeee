package cascade

import (
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// NormalizeStates returns m with the weights of each state, of its arcs and of stopping, divided
// by their sum: the joint normalization at each state. The weights of the starts are divided by
// the sum of the starts. So ⟦m⟧ sums to 1 over all pairs if weights are not negative. Arcs and
// starts that lead to no final state have the weight 0̄, because they would lose probability.
//
// Over the expressions of a Params the sums are functions of θ, for any operations that made m.
// Combine machines with their own parameters first, then normalize the result. It is a
// distribution of the same parameters (Eisner 2002, §2). Joint makes new parameters in place of
// the weights instead.
//
// Normalize divides by the sum over all paths, which must be finite. It keeps the ratios of the
// weights of any two paths; NormalizeStates keeps the ratios of any two choices at a state. So
// NormalizeStates also works for machines whose path sum diverges, such as the approximation of a
// grammar from above (cfg.Grammar.Superset).
//
// The result trains like any machine. Each use of a parameter in a sum counts negatively, so
// only methods that follow a gradient apply: em.LBFGS and em.SGD. At a temperature β a path has
// the weight (∏ w/z)^β, for the sums z at β = 1.
//
// The ring must have division. fst.Err wraps semiring.ErrCapability if it has not, and
// em.ErrParameter, with the number of a state, for a sum that is 0, infinite or NaN. A sum of
// expressions that is 0 is an error when it is evaluated. O(arcs + states).
func NormalizeStates[W any](m fst.Machine[W]) fst.Machine[W] {
	nonnil.Check("cascade: NormalizeStates", "machine", m)
	return normalizeStates("NormalizeStates", m, (*stateNormalizer[W]).joint)
}

// NormalizeInputs returns m with the weights of the arcs of each state and input divided by
// their sum, and with 1 as the stop weight of final states: the conditional normalization at
// each state. The weights of the starts are divided by their sum. So ⟦m⟧(x, ·) sums to 1 for
// every x with which m never gets stuck, as Conditional describes it.
//
// A state with insertions that also reads or stops first chooses whether to insert, as in
// Conditional. The weight of not inserting is the average over stopping and each input. So a
// machine that is already normalized is unchanged.
//
// Otherwise it is like NormalizeStates. NormalizeConditional divides by the sum over all outputs
// of an input, instead of state by state.
func NormalizeInputs[W any](m fst.Machine[W]) fst.Machine[W] {
	nonnil.Check("cascade: NormalizeInputs", "machine", m)
	return normalizeStates("NormalizeInputs", m, (*stateNormalizer[W]).conditional)
}

// normalizeStates returns m with the weights that the function state computes at each state.
func normalizeStates[W any](op string, m fst.Machine[W], state func(*stateNormalizer[W], int32)) fst.Machine[W] {
	return made(op, m.Semiring(), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[W], error) {
		n, err := newStateNormalizer(f)
		if err != nil {
			return nil, err
		}
		for s := range int32(f.NumStates()) {
			state(n, s)
		}
		return n.machine()
	})
}

// stateNormalizer collects the new weights of a machine.
type stateNormalizer[W any] struct {
	f       *fst.FST[W]
	ring    semiring.Semiring[W]
	divider semiring.Divider[W]
	row     []int32
	live    []bool // states that lead to a final one
	plain   *fst.FST[W]
	whole   func(W) W // makes sums of weights of plain one factor
	arcs    []W
	final   []W
	err     error
}

func newStateNormalizer[W any](f *fst.FST[W]) (*stateNormalizer[W], error) {
	ring := f.Semiring()
	divider, err := semiring.Require[semiring.Divider[W]](ring)
	if err != nil {
		return nil, err
	}
	m, whole := untempered(f)
	plain, err := fst.Expand(m, nil)
	if err != nil {
		return nil, err
	}
	n := &stateNormalizer[W]{f: f, ring: ring, divider: divider, row: f.Graph().Row(), live: f.Graph().Coaccessible(),
		plain: plain, whole: whole, arcs: make([]W, f.NumArcs()), final: make([]W, f.NumStates())}
	for e := range n.arcs {
		n.arcs[e] = ring.Zero()
	}
	for s := range n.final {
		n.final[s] = ring.Zero()
	}
	return n, nil
}

// leads reports whether arc e has a weight other than 0̄ and leads to a final state.
func (n *stateNormalizer[W]) leads(e int32) bool {
	return n.live[n.f.Graph().To()[e]] && !n.ring.IsZero(n.f.Graph().Weights()[e])
}

// joint divides the weights of state s by their sum.
func (n *stateNormalizer[W]) joint(s int32) {
	sum := n.plain.Final(s)
	for e := n.row[s]; e < n.row[s+1]; e++ {
		if n.leads(e) {
			sum = n.ring.Plus(sum, n.plain.Graph().Weights()[e])
		}
	}
	at := Fault{State: s, Input: AnyInput}
	z := n.divisor(sum, at)
	for e := n.row[s]; e < n.row[s+1]; e++ {
		if n.leads(e) {
			n.arcs[e] = n.quotient(n.f.Graph().Weights()[e], z, at)
		}
	}
	n.final[s] = n.quotient(n.f.Final(s), z, at)
}

// conditional divides the weights of state s by their sums for each input.
func (n *stateNormalizer[W]) conditional(s int32) {
	sums := map[int32]W{}
	var inputs []int32                                 // keys of sums, in the order of the arcs
	others, choices := n.plain.Final(s), n.ring.Zero() // of reading and stopping
	if !n.ring.IsZero(others) {
		choices = n.ring.One()
	}
	for e := n.row[s]; e < n.row[s+1]; e++ {
		if !n.leads(e) {
			continue
		}
		in, w := n.f.In()[e], n.plain.Graph().Weights()[e]
		if in != fst.Epsilon {
			others = n.ring.Plus(others, w)
		}
		sum, ok := sums[in]
		if !ok {
			sum = n.ring.Zero()
			inputs = append(inputs, in)
			if in != fst.Epsilon {
				choices = n.ring.Plus(choices, n.ring.One())
			}
		}
		sums[in] = n.ring.Plus(sum, w)
	}
	// The share of insertions is choices·insert / (choices·insert + others): insert relative to
	// insert plus the average of the others.
	insert, read := n.ring.One(), n.ring.One() // factors
	if sum, ok := sums[fst.Epsilon]; ok && !n.ring.IsZero(choices) {
		sum = n.ring.Times(choices, sum)
		at := Fault{State: s, Input: fst.Epsilon}
		z := n.divisor(n.ring.Plus(sum, others), at)
		insert, read = n.quotient(n.whole(sum), z, at), n.quotient(n.whole(others), z, at)
	}
	for _, in := range inputs {
		sums[in] = n.divisor(sums[in], Fault{State: s, Input: in})
	}
	for e := n.row[s]; e < n.row[s+1]; e++ {
		if !n.leads(e) {
			continue
		}
		in, factor := n.f.In()[e], read
		if in == fst.Epsilon {
			factor = insert
		}
		w := n.quotient(n.f.Graph().Weights()[e], sums[in], Fault{State: s, Input: in})
		n.arcs[e] = n.ring.Times(factor, w)
	}
	if !n.ring.IsZero(n.f.Final(s)) {
		n.final[s] = read
	}
}

// divisor returns the sum of weights of plain for the choice at, as a divisor.
func (n *stateNormalizer[W]) divisor(sum W, at Fault) W {
	z := n.whole(sum)
	if prober, ok := semiring.As[semiring.Probabilistic[W]](n.ring); ok && !(prober.Log(z) <= math.MaxFloat64) {
		n.fail(z, at)
	}
	return z
}

// quotient returns z\w for the divisor z of the choice at. It returns 0̄ if w is 0̄.
func (n *stateNormalizer[W]) quotient(w, z W, at Fault) W {
	if n.ring.IsZero(w) {
		return w
	}
	q, ok := n.divider.LDiv(z, w)
	if !ok {
		n.fail(z, at)
	}
	return q
}

func (n *stateNormalizer[W]) fail(z W, at Fault) {
	if n.err == nil {
		n.err = fmt.Errorf("%w: %s: the weights sum to %v, want a finite sum that is not 0", em.ErrParameter, at.at("input", n.f.InSymbols()), z)
	}
}

// machine returns the machine with the new weights, and with starts that sum to 1.
func (n *stateNormalizer[W]) machine() (*fst.FST[W], error) {
	starts, sum := n.f.AppendStarts(nil), n.ring.Zero()
	for i, s := range n.plain.AppendStarts(nil) {
		if n.live[s.State] {
			sum = n.ring.Plus(sum, s.Weight)
		} else {
			starts[i].Weight = n.ring.Zero()
		}
	}
	at := Fault{State: NoState, Input: AnyInput}
	z := n.divisor(sum, at)
	for i, s := range starts {
		starts[i].Weight = n.quotient(s.Weight, z, at)
	}
	if n.err != nil {
		return nil, n.err
	}
	return n.f.WithWeights(n.arcs, starts, n.final)
}
