package cascade

import (
	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/frames"
)

// Soft returns the side on which a recognizer weighed the labels of each frame, without a
// decision. With T frames E it stands for all strings of T labels, each of which has the product
// of the weights of its labels. A soft Y makes the likelihood of an example
//
//	Σ ⟦f⟧(X, s) · E[1][s₁] ⋯ E[T][s_T]    over all strings s of T labels.
//
// It is soft evidence: the value is a probability if E are the recognizer's probabilities of what
// it saw given each label. For posteriors, divide by the prior (frames.Options). Where a label
// spans several frames, or a frame may be blank, a machine that reads frames and writes labels is
// one more stage. At a temperature β the weights are raised to the power β, as those of a Set.
//
// labels[v] is the label of column v of e. nil stands for v+1, as in machines that read frames.
// Strings with a label that the machine lacks have no derivation. A label of the machine without a
// column has the weight 0. Both arguments are kept.
//
// If nothing is known of the other side of a cascade, sums need no lattice (Way). They take time in
// proportion to the frames, times the arcs of the cascade as a machine for that side. All other
// sums compose a lattice with the acceptor of the side, which has an arc for each weight > 0.
// Of a Stream, a worker holds the emissions of a shard (Data.ShardSize).
//
// Err of the side wraps em.ErrInvalid unless there is a label > 0 for every column, each of them
// once. Problem.Likelihood returns an error that wraps em.ErrInvalid if the machine lacks all
// labels of a side.
//
// Source: Pearl 1988, "Probabilistic Reasoning in Intelligent Systems" (virtual evidence).
func Soft(e *frames.Emissions, labels []int32) Side {
	nonnil.Check("cascade: Soft", "emissions", e)
	x, err := soft.New(e, labels)
	if err != nil {
		return Side{err: nested.Errorf("cascade: Soft: %w", err)}
	}
	return Side{known: tapes.Side{Set: x}}
}
