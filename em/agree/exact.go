package agree

import (
	"fmt"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
)

// exactLimit is the default of Data.LatticeLimit for Exact: about 130 MB if all arcs have
// distinct weights. The default for a single cascade is larger.
const exactLimit = 1 << 20

// Exact returns Σ_x ln Σ_z Π_m p_m(x, z), the objective of exact product EM, for submodels that
// are cascades: data[m] is the data on which problems[m] would be trained alone. The hidden
// string z is the common output of all cascades. Example.Y constrains z, and is usually absent. A
// submodel observes Example.X, from which it leads to z, or the outputs of branches that read z,
// or both.
//
// A derivation of an example combines derivations of all submodels with the same z. They are
// composed on z: for two cascades that read x₁ and x₂, as x₁ ∘ p₁ ∘ p₂⁻¹ ∘ x₂, which is the
// likelihood of a cascade.Problem. With further submodels, branches, or a given Y, all cascades
// but the first become branches of the Problem.
//
// A product can be as large as the product of its parts. If a lattice exceeds Data.LatticeLimit
// states and arcs, an E step fails before building more of it. The default limit, 1<<20, takes up
// to 130 MB. The error wraps semiring.ErrLimit and contains the sizes of the parts. For larger
// products use DomainApproximate, ParameterApproximate or Averaged.
//
// Error messages name the tapes after their submodels, and the hidden string z.
//
// The error wraps em.ErrInvalid if two submodels constrain z to different strings (cascade.Pairs
// used instead of cascade.Inputs), or if data and problems do not match. It also does so for
// submodels with different Params, numbers of examples, weights or policies, and for examples
// from a Stream or a Text. Exact uses the largest CacheBytes and LatticeLimit of all Data, and
// the Way of the first.
func Exact(data []cascade.Data, problems ...cascade.Problem) (em.Excluder, error) {
	p, all, err := multiplied(data, problems)
	if err != nil {
		return nil, err
	}
	return p.Likelihood(all)
}

// multiplied returns the problem of the product, and the data of all submodels.
func multiplied(data []cascade.Data, problems []cascade.Problem) (cascade.Problem, cascade.Data, error) {
	fail := func(err error) (cascade.Problem, cascade.Data, error) { return cascade.Problem{}, cascade.Data{}, err }
	if len(problems) == 0 || len(data) != len(problems) {
		return fail(nested.Errorf("agree: %w: %d submodels, data for %d", em.ErrInvalid, len(problems), len(data)))
	}
	first := problems[0].Params
	for m, p := range problems {
		if data[m].Stream != nil {
			return fail(nested.Errorf("agree: submodel %d: %w: the product of submodels takes Examples, no Stream or Text", m, em.ErrInvalid))
		}
		if _, err := p.Likelihood(data[m]); err != nil {
			return fail(nested.Errorf("agree: submodel %d: %w", m, err))
		}
		switch {
		case p.Params != first:
			return fail(nested.Errorf("agree: %w: submodels 0 and %d have different em.Params, want one for all", em.ErrInvalid, m))
		case len(data[m].Examples) != len(data[0].Examples):
			return fail(nested.Errorf("agree: %w: submodel %d has %d examples, submodel 0 has %d", em.ErrInvalid, m, len(data[m].Examples), len(data[0].Examples)))
		case data[m].Underivable != data[0].Underivable:
			return fail(nested.Errorf("agree: %w: submodels 0 and %d do not have the same policy for underivable examples", em.ErrInvalid, m))
		}
	}
	joint := cascade.Problem{Params: first, Stages: slices.Clone(problems[0].Stages), Names: []string{"X of submodel 0", "z"}}
	all := cascade.Data{Underivable: data[0].Underivable, Strategy: data[0].Strategy}
	two := facing(data, problems)
	for m, p := range problems {
		if m > 0 {
			inverse := invert(p.Stages)
			if two {
				joint.Stages = append(joint.Stages, inverse...)
				joint.Names[1] = "X of submodel 1"
			} else {
				joint.Branches = append(joint.Branches, inverse)
				joint.Names = append(joint.Names, fmt.Sprintf("X of submodel %d", m))
			}
		}
		for b := range p.Branches {
			joint.Names = append(joint.Names, fmt.Sprintf("Branches[%d] of submodel %d", b, m))
		}
		joint.Branches = append(joint.Branches, p.Branches...)
		all.CacheBytes, all.LatticeLimit = max(all.CacheBytes, data[m].CacheBytes), max(all.LatticeLimit, data[m].LatticeLimit)
	}
	if all.LatticeLimit == 0 {
		all.LatticeLimit = exactLimit
	}
	for i := range data[0].Examples {
		x, err := seen(data, i, first)
		if err != nil {
			return fail(err)
		}
		if two {
			x.Y, x.Branches = x.Branches[0], nil
		}
		all.Examples = append(all.Examples, x)
	}
	return joint, all, nil
}

// facing reports whether there are two cascades without branches and without constraints on z.
func facing(data []cascade.Data, problems []cascade.Problem) bool {
	if len(problems) != 2 {
		return false
	}
	for m, p := range problems {
		if len(p.Branches) > 0 || slices.ContainsFunc(data[m].Examples, func(x cascade.Example) bool { return !x.Y.Unknown() }) {
			return false
		}
	}
	return true
}

// seen returns the combined observations of example i, as the product's problem reads them.
func seen(data []cascade.Data, i int, p *em.Params) (cascade.Example, error) {
	x := data[0].Examples[i]
	x.Branches = slices.Clip(x.Branches)
	for m, d := range data[1:] {
		more := d.Examples[i]
		if more.Weight != x.Weight {
			return x, nested.Errorf("agree: %w: example %d has weight %v in submodel %d and %v in submodel 0, want the same", em.ErrInvalid, i, more.Weight, m+1, x.Weight)
		}
		a, one := x.Y.Labels()
		if b, two := more.Y.Labels(); one && two && !slices.Equal(a, b) {
			return x, nested.Errorf("agree: %w: %v: Y, the evidence for the hidden string z, is %v in submodel %d and %v in earlier ones; if the outputs of the cascades are not z, invert them (fst.Invert) and leave Y out, as cascade.Inputs does",
				em.ErrInvalid, em.Skipped{Index: i, Name: x.Name}, more.Y, m+1, x.Y)
		}
		x.Y = cascade.Intersect(p, x.Y, more.Y)
		if err := x.Y.Err(); err != nil {
			return x, nested.Errorf("agree: example %d: submodel %d: the evidence for the hidden string: %w", i, m+1, err)
		}
		x.Branches = append(append(x.Branches, more.X), more.Branches...)
	}
	return x, nil
}

// invert returns the cascade of the inverted machines, in reverse order.
func invert(stages []cascade.Stage) (inverse []cascade.Stage) {
	for _, f := range slices.Backward(stages) {
		inverse = append(inverse, fst.Invert(f))
	}
	return inverse
}
