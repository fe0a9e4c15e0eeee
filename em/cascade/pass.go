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

// pass holds the state of one E step that all shards share.
type pass struct {
	eStep       em.EStep
	temperature float64
	theta       []semiring.ScaledFloat // of the parameters
	values      []semiring.ScaledFloat // of the handles of the Params' Space; NaN if unused
	tangents    []float64              // of values; nil without second derivatives
	feed        *feeder                // nil if the source needs none
	ways        uint                   // bit n: way n is in use
	own         *byte                  // id: unique per pass
	list        bool                   // whether to list bounds of single examples
	draws       draws                  // replaces expectations
}

// newPass returns the pass of a complete query, with values of the expressions in used, as in
// evaluate. The values are stored in dst, if there is room.
func newPass(dst []semiring.ScaledFloat, p *em.Params, used *expr.Subset, q em.Query) (pass, error) {
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

// inherited returns p with the values of only those expressions that a fork inherited from the
// Params' Space. The Params' Space may have grown since. The handles of its new expressions
// belong to other expressions in the fork.
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

// backpropagate converts counts of the space's own handles to counts of inherited handles and of
// parameters.
func (p pass) backpropagate(space *expr.Space, handles, params expr.Dual) {
	if p.tangents == nil {
		space.Backpropagate(p.values, handles.Value, params.Value)
		return
	}
	space.BackpropagateAlong(p.values, p.tangents, handles, params)
}

// feeder hands out the examples of shards during one E step.
type feeder struct {
	// examples returns the examples of a shard, at most once per shard. They are valid until p,
	// the storage of the calling goroutine, is used again.
	examples func(shard int, p *feed.Portion[Example]) ([]Example, error)
	close    func()
	ways     uint    // ways in use, as a bit set
	choice   *choice // nil for whole lattices
	choose   bool    // whether to choose parts again
}

// choice is an E step that chooses parts of lattices.
type choice struct {
	Pruning
	pass
	ceiling *part.Ceiling
}

// explainer explains the findings of an E step.
type explainer interface {
	// explain returns err, which ended the sum of example i at the values of p, with its possible
	// reason.
	explain(i int, err error, p pass) error
	// reason returns the reason why an example has no derivation, or "" if it is unknown. A
	// thorough search takes long.
	reason(x *Example, thorough bool) string
	// remarks returns possible mistakes in the model.
	remarks() []string
}
