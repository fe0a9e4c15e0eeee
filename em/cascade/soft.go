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
// A label that the machine lacks has no derivations. A label of the machine that has no column
// has the weight 0. Both arguments are kept.
//
// Sums over a cascade of which one side is soft, and nothing of the other is known, need no
// lattice (Way). They take time in proportion to frames × arcs of what the cascade does to that
// side. All other sums compose a lattice with an arc for each label > 0 in each frame.
//
// Err of the side wraps em.ErrInvalid unless there is a label > 0 for every column, each of them
// once. Data in which a side has columns, but not one with a label of the machine, are an error
// of Problem.Likelihood that wraps em.ErrInvalid too.
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
