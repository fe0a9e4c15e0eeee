package cascade

import (
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/graphs"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// Between returns the tape, for Marginal, of the hidden string that stage k−1 of a Problem writes
// and stage k reads: Between(1) is after the first stage. A tape inside a branch has no number;
// to reach it, write the Problem with Edges, one for each machine.
func Between(k int) int { return -1 - max(k, 0) } // Between(0) is an error: tape 0 is X

// Marginal returns the unnormalized posterior of the string of a tape, given x and the model at
// theta. It is an acceptor in which each string has the weight of all derivations of x with that
// string on the tape, P(x, string). Every state and arc is on a path. Divided by its path sum,
// the weights are the posterior distribution of the string. Package models/nbest finds the best
// strings, from its Graph and labels.
//
// In a Problem without Edges, tape 0 is X, tape 1 is Y, and branch b is tape 2+b. A hidden string
// between two Stages is the tape Between(k). The side of x for the tape is a factor as well; the
// Weight of x is ignored.
//
// The errors: the error of a failed stage or side; an invalid tape or example (em.ErrInvalid); an
// invalid theta (em.ErrParameter); a lattice of more than 1<<26 states and arcs
// (semiring.ErrLimit); a divergent sum of another part of the example (semiring.ErrDiverges).
// Marginal takes time in proportion to the parameters and to the lattices.
func Marginal(p Problem, x Example, tape int, theta []float64) (*fst.FST[semiring.ScaledFloat], error) {
	tree, err := treeOf(p)
	if err != nil {
		return nil, err
	}
	if err := p.checkExample(0, &x); err != nil {
		return nil, err
	}
	if err := tapes.NewReasons(tree).Foreign(p.sides(nil, &x)); err != nil {
		return nil, wrong(0, &x, ": %w", err)
	}
	if tree, tape, err = treeWith(tree, tape); err != nil {
		return nil, err
	}
	if err := p.Params.Check(theta); err != nil {
		return nil, err
	}
	used := usedBy(p.Params, tree)
	addSets(used, p.sides(nil, &x))
	values, err := newPass(nil, p.Params, used, em.Query{Theta: theta, Temperature: 1})
	if err != nil {
		return nil, err
	}
	c := &cascade{problem: p, tree: tree, data: Data{}.complete(), used: used}
	f, others, err := c.composer().marginal(&x, tape, values)
	if err != nil {
		return nil, nested.Errorf("cascade: marginal of %s: %w", tree.Tape(tape), err)
	}
	all := semiring.ScaledFloat{Mant: 1}
	for _, part := range others {
		sum, err := graphs.PathSum(part.Graph())
		if err != nil {
			return nil, nested.Errorf("cascade: marginal of %s: %w", tree.Tape(tape), err)
		}
		all = all.Mul(sum)
	}
	starts := slices.Clone(f.Graph().Starts())
	for i := range starts {
		starts[i].Weight = starts[i].Weight.Mul(all)
	}
	if f, err = f.WithWeights(f.Graph().Weights(), starts, f.Graph().Finals()); err != nil {
		return nil, err
	}
	return machines.Scaled.Connect(f, nil)
}

// treeWith returns the tree with a tape, and its number in it. A tape between two machines of the
// cascade comes last and cuts the cascade into two edges.
func treeWith(t tapes.Tree, tape int) (tapes.Tree, int, error) {
	n, stages := len(t.Edges)+1, t.Edges[0].Machines
	switch k := Between(0) - tape; {
	case tape >= n && t.Star && len(stages) > 1:
		return t, 0, nested.Errorf("cascade: %w: tape %d of %d; the string between two machines of the cascade is cascade.Between", em.ErrInvalid, tape, n)
	case tape >= n:
		return t, 0, nested.Errorf("cascade: %w: tape %d of %d", em.ErrInvalid, tape, n)
	case tape >= 0:
		return t, tape, nil
	case !t.Star:
		return t, 0, nested.Errorf("cascade: %w: tape %d of a tree; between two machines there is a tape if each has an edge", em.ErrInvalid, tape)
	case k < 1 || k >= len(stages):
		return t, 0, nested.Errorf("cascade: %w: the tape Between(%d) of a cascade of %d machines, want from 1 to one less than these", em.ErrInvalid, k, len(stages))
	default:
		t.Cut = k
		t.Edges[0] = tapes.Edge{From: 0, To: n, Machines: stages[:k]}
		t.Edges = append(t.Edges, tapes.Edge{From: n, To: 1, Machines: stages[k:]})
		return t, n, nil
	}
}
