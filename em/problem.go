package em

import (
	"fmt"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Problem is a model of strings on tapes, seen or hidden, and of machines between them whose
// weights are expressions over the same parameters. It is a chain, the Cascade, perhaps with
// Branches at its end, or any tree, by its Edges.
//
// The Cascade is a model f_θ = T₁ ∘ T₂ ∘ … ∘ Tₙ. Each machine may be trained, or
// constant, or both in parts.
//
// A lattice x ∘ T₁ ∘ … ∘ Tₙ ∘ y is built for each example that needs one, beginning at the
// ends that were observed. Two machines that are small when composed are best
// composed beforehand, once; machines that are large together are best left to
// the cascade.
//
// Where there are Branches, the string that the cascade writes, often hidden, goes
// through further channels independently of each other: one string that several people
// pronounced, or translated. Each branch is a cascade whose first machine reads it, and
// Example.Branches holds what came out of each. The likelihood is then
//
//	Σ ⟦T₁ ∘ … ∘ Tₙ⟧(x, y) · Π_b Σ_z ⟦branch b⟧(y, z)    over x in X, y in Y, z in Branches[b],
//
// a sum over the paths of the intersection of what the branches say of y.
//
// Edges, which stand instead of Cascade and Branches, connect the tapes 0, 1, … len(Edges),
// each two of them in one way. Example.Tapes holds what was observed on them, and the
// likelihood is
//
//	Σ Π_e ⟦machines of e⟧(s at e.From, s at e.To)    over all s with s_t in Tapes[t].
//
// A machine for the strings of one tape, such as a language model, leads there from a tape
// of its own that is never observed, as the first machine of a cascade may.
//
// The lattice of an example is made from the leaves: what is known of a leaf, composed with
// the machines of its edge and projected to the other end, is what is then known there. So
// a lattice is as large as the product of what meets at one tape. The string of a tape that
// was observed as a string cuts the tree, and the parts are summed up independently.
// Where nothing at all is known beyond a tape, and the machines there sum to 1 whatever it
// is, a Problem without them has the same likelihood and smaller lattices.
type Problem struct {
	Params   *Params
	Cascade  []*fst.FST[expr.W]
	Branches [][]*fst.FST[expr.W]
	Edges    []Edge
}

func (p Problem) check() error {
	if p.Params == nil || len(p.Cascade) == 0 && len(p.Edges) == 0 {
		return fmt.Errorf("em: %w: no parameters or no machine", ErrInvalid)
	}
	if len(p.Edges) > 0 && (p.Cascade != nil || p.Branches != nil) {
		return fmt.Errorf("em: %w: both Edges and a Cascade or Branches", ErrInvalid)
	}
	for i, e := range p.tree() {
		if len(e.Machines) == 0 {
			return fmt.Errorf("em: %w: %s has no machine", ErrInvalid, p.edge(i))
		}
		if err := p.checkCascade(p.edge(i), e.Machines); err != nil {
			return err
		}
	}
	return p.checkTree()
}

func (p Problem) checkCascade(name string, ms []*fst.FST[expr.W]) error {
	for i, m := range ms {
		if m == nil {
			return fmt.Errorf("em: %w: machine %d of %s is nil", ErrInvalid, i, name)
		}
		if m.Semiring() != semiring.Semiring[expr.W](p.Params.space) {
			return fmt.Errorf("em: %w: the weights of machine %d of %s are not of the problem's Space", ErrInvalid, i, name)
		}
	}
	return nil
}

// Constants returns f with its weights as constants of p's Space. The ring of f
// must be a Prober.
func Constants[W any](p *Params, f *fst.FST[W]) (*fst.FST[expr.W], error) {
	nonnil.Check("em: Constants", "parameters", p, "machine", f)
	number, err := semiring.Convert(f.Semiring(), semiring.Scaled{})
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.Map(f, p.space, func(w W) expr.W { return p.space.Const(number(w)) }), 0)
}

// Instantiate returns f at the parameters theta, a machine over ring, which must
// be a Prober. Its weights come from Params.Estimate. It is an error if theta is
// not legal or a weight has no value.
func Instantiate[W any](p *Params, f *fst.FST[expr.W], theta []float64, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("em: Instantiate", "parameters", p, "machine", f, "ring", ring)
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	number, err := semiring.FromScaled(ring)
	if err != nil {
		return nil, err
	}
	values, err := p.space.Evaluate(nil, p.Estimate(theta))
	if err != nil {
		return nil, err
	}
	return fst.Expand(fst.Map(f, ring, func(h expr.W) W { return number(values[h]) }), 0)
}

// Edge is a cascade of machines between two tapes of a tree: the first machine reads the
// string of the tape From, the last one writes that of the tape To.
type Edge struct {
	From, To int
	Machines []*fst.FST[expr.W]
}

// tree returns all edges of a problem. Those of the short forms are between X, which is
// tape 0, Y, tape 1, and a tape for each branch.
func (p Problem) tree() []Edge {
	if len(p.Edges) > 0 {
		return p.Edges
	}
	edges := make([]Edge, 0, 1+len(p.Branches))
	edges = append(edges, Edge{0, 1, p.Cascade})
	for b, ms := range p.Branches {
		edges = append(edges, Edge{1, 2 + b, ms})
	}
	return edges
}

// sides appends what x says of each tape of the tree.
func (p Problem) sides(dst []Side, x *Example) []Side {
	if len(p.Edges) == 0 {
		return append(append(dst, x.X, x.Y), x.Branches...)
	}
	dst = append(dst, x.Tapes...)
	for range len(p.Edges) + 1 - len(x.Tapes) {
		dst = append(dst, Side{})
	}
	return dst
}

// tape returns what users call a tape of the tree.
func (p Problem) tape(t int) string {
	switch {
	case len(p.Edges) > 0:
		return fmt.Sprintf("tape %d", t)
	case t < 2:
		return [2]string{"X", "Y"}[t]
	}
	return fmt.Sprintf("branch %d", t-2)
}

// edge returns what users call an edge of the tree.
func (p Problem) edge(i int) string {
	switch {
	case len(p.Edges) > 0:
		return fmt.Sprintf("edge %d (tape %d to %d)", i, p.Edges[i].From, p.Edges[i].To)
	case i == 0:
		return "the cascade"
	}
	return fmt.Sprintf("branch %d", i-1)
}

// checkTree returns an error unless the edges connect the tapes 0, 1, … in one way each.
func (p Problem) checkTree() error {
	tapes := len(p.Edges) + 1
	part := make([]int, tapes) // tapes that are connected have the same number
	for t := range part {
		part[t] = t
	}
	for i, e := range p.Edges {
		if e.From < 0 || e.From >= tapes || e.To < 0 || e.To >= tapes {
			return fmt.Errorf("em: %w: %s: a tree of %d edges has the tapes 0 to %d", ErrInvalid, p.edge(i), tapes-1, tapes-1)
		}
		from, to := part[e.From], part[e.To]
		if from == to {
			return fmt.Errorf("em: %w: %s: its tapes are connected without it, want a tree", ErrInvalid, p.edge(i))
		}
		for t := range part {
			if part[t] == to {
				part[t] = from
			}
		}
	}
	return nil
}

// elimination is how the lattice of an example comes from a tree: leaf by leaf. What is known
// of a leaf is composed with the machines of its edge. The projection to the other end is an
// acceptor of what is then known there. The string of a tape that was observed cuts the tree
// there: the parts are independent.
type elimination struct {
	edges  []Edge    // with machines over the Space of a shard
	states []float64 // per edge: the product of its machines' numbers of states
	sides  []Side    // of the example, per tape

	// A node is a tape, or one end of an edge where the string of a tape was observed.
	node   []int              // per tape: the last one
	ends   [][2]int           // per edge, the nodes of From and To
	known  []*fst.FST[expr.W] // per node, an acceptor of what is known of it; nil: nothing
	degree []int              // per node: edges that are left there
	done   []bool             // per edge
	parts  []fst.Machine[expr.W]
}

// begin takes the edges of a problem, over space.
func (e *elimination) begin(edges []Edge, space *expr.Space) {
	if e.edges == nil {
		n := len(edges)
		e.edges, e.states = make([]Edge, n), make([]float64, n)
		e.node, e.ends, e.done = make([]int, n+1), make([][2]int, n), make([]bool, n)
		for i, edge := range edges {
			e.states[i] = 1
			for _, m := range edge.Machines {
				e.states[i] *= float64(m.NumStates())
			}
		}
	}
	for i, edge := range edges {
		e.edges[i] = Edge{edge.From, edge.To, over(space, e.edges[i].Machines, edge.Machines)}
	}
}

// next returns the edge to be done next, which has a leaf: that of the smallest product,
// by an estimate, and one of which nothing is known at either end last.
func (e *elimination) next() int {
	best, open, least := -1, true, math.Inf(1)
	for i, ends := range e.ends {
		if e.done[i] || e.degree[ends[0]] > 1 && e.degree[ends[1]] > 1 {
			continue
		}
		l, r := e.known[ends[0]], e.known[ends[1]]
		size, unknown := e.states[i]*states(l)*states(r), l == nil && r == nil
		if best < 0 || open && !unknown || open == unknown && size < least {
			best, open, least = i, unknown, size
		}
	}
	return best
}

// states returns the number of states of an acceptor, 1 for that of all strings.
func states(known *fst.FST[expr.W]) float64 {
	if known == nil {
		return 1
	}
	return float64(known.NumStates())
}
