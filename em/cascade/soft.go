package cascade

import (
	"example.org/pathsum/em/internal/soft"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/frames"
)

// Soft returns the side of the undecided output of a recognizer, which weighted the labels of
// each frame. With T frames E it stands for all strings of T labels. The weight of a string is
// the product of the weights of its labels. A soft Y makes the likelihood of an example
//
//	Σ ⟦f⟧(X, s) · E[1][s₁] ⋯ E[T][s_T]    over all strings s of T labels.
//
// This is soft evidence. The value is a probability if E contains the recognizer's probabilities
// of its observation given each label. If it outputs posteriors, divide them by the prior
// (frames.Options). If a label spans several frames, or a frame may be blank, add a stage that
// reads frames and writes labels. At a temperature β the weights are raised to the power β, like
// the weights of a Set.
//
// labels[v] is the label of column v of e. A nil labels stands for v+1, as in machines that read
// frames. Strings with a label that the machine lacks have no derivation. A label of the machine
// without a column has the weight 0. Both arguments are kept.
//
// If the other side of a cascade is unknown, sums need no lattice (Strategy). They take time in
// proportion to the frames, times the arcs of the cascade as a machine for that side. All other
// sums compose a lattice with the acceptor of the side, which has an arc for each weight > 0.
// With a Stream, a worker holds the emissions of a shard (Data.ShardSize).
//
// Err of the side wraps em.ErrInvalid unless every column has a label > 0 and the labels are
// distinct. Problem.Likelihood returns an error that wraps em.ErrInvalid if the machine lacks all
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
