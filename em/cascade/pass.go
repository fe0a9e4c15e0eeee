package cascade

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/feed"
	"example.org/pathsum/em/internal/part"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// pass is what an E step over a corpus has in common for all shards.
type pass struct {
	eStep       em.EStep
	temperature float64
	theta       []semiring.ScaledFloat // of the parameters
	values      []semiring.ScaledFloat // of the handles of the Params' Space; NaN: not used
	tangents    []float64              // of these; nil: no second derivatives
	feed        *feeder                // nil: the source needs none
	ways        uint                   // bit n: way n is taken
	own         *byte                  // of this pass and no other
	list        bool                   // bounds of single examples
	draws       draws                  // in place of expectations
}

// newPass returns the pass of a query that is complete, with values of the expressions in used,
// as in evaluate. They are in dst, if there is room.
func newPass(dst []semiring.ScaledFloat, p *em.Params, used *expr.Part, q em.Query) (pass, error) {
	theta := p.Values(q.Theta)
	values, err := evaluate(slices.Grow(dst[:0], p.Space().Len()), p.Space(), used, theta, q.Temperature)
	if err != nil {
		return pass{}, nested.Errorf("cascade: %w", err)
	}
	ps := pass{eStep: q.EStep, temperature: q.Temperature, theta: theta, values: values, own: new(byte), list: q.Bounds}
	if q.Tangent != nil {
		direction := make([]float64, p.Len()) // of the tempered values
		floats.ScaleTo(direction, q.Temperature, q.Tangent)
		ps.tangents = p.Space().Tangents(nil, values, direction, q.Temperature)
	}
	return ps, nil
}

// inherited returns p with the values of those expressions alone that a fork of the Params'
// Space has from it. The Params' Space may have grown since, and the handles of what is new
// there are those of other expressions in the fork.
func (p pass) inherited(fork *expr.Space) pass {
	n := fork.Inherited()
	if n > len(p.values) {
		panic("cascade: expressions were made in the Params' Space during an E step")
	}
	p.values = p.values[:n]
	if p.tangents != nil {
		p.tangents = p.tangents[:n]
	}
	return p
}

// backpropagate turns counts of the space's own handles into counts of other handles and
// of parameters.
func (p pass) backpropagate(space *expr.Space, handles, params expr.Dual) {
	if p.tangents == nil {
		space.Backpropagate(p.values, handles.Value, params.Value)
		return
	}
	space.BackpropagateAlong(p.values, p.tangents, handles, params)
}

// feeder hands out the examples of shards during one E step.
type feeder struct {
	// examples returns those of a shard, which may be asked for once. They are valid until p,
	// the storage of the goroutine that asks, is used again.
	examples func(shard int, p *feed.Portion[Example]) ([]Example, error)
	close    func()
	ways     uint    // that the E step takes
	choice   *choice // nil: of whole lattices
	choose   bool    // parts anew
}

// choice is an E step that chooses parts of lattices.
type choice struct {
	Within
	pass
	ceiling *part.Ceiling
}

// explainer explains what an E step finds.
type explainer interface {
	// explain returns err, which ended the sum of example i at the values of p, and what may
	// be its reason.
	explain(i int, err error, p pass) error
	// reason returns why an example has no derivation, "" if that is not known. It takes long
	// if it is to be thorough.
	reason(x *Example, thorough bool) string
	// remarks returns what may be a mistake in the model.
	remarks() []string
}
