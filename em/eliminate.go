package em

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// derivations returns the lattice of all derivations of x, which may be lazy. The lattices
// of parts that are independent stand one behind the other.
func (b *composer) derivations(x *Example) (fst.Machine[expr.W], error) {
	b.sides = b.of.problem.sides(b.sides[:0], x)
	b.cut()
	if err := b.eliminate(); err != nil {
		return nil, err
	}
	if len(b.parts) == 1 {
		return b.parts[0], nil
	}
	for i, m := range b.parts {
		f, err := b.arena.Expand(m, b.limit)
		if err != nil {
			return nil, err
		}
		b.parts[i] = f.WithSymbols(nil, nil) // their tapes differ
	}
	return fst.Concat(b.parts[0], b.parts[1:]...)
}

// given returns the acceptor of what the example and the machines say of the string of a
// tape: each string has the weight of all derivations of the part of the tree that the tape
// is in. The lattices of other parts are in b.parts.
func (b *composer) given(x *Example, tape int) (*fst.FST[expr.W], error) {
	b.sides = b.of.problem.sides(b.sides[:0], x)
	if s := b.sides[tape]; s.string {
		b.sides[tape] = Side{set: b.arena.String(s.labels)} // which does not cut
	}
	b.cut()
	n := b.node[tape]
	b.degree[n]++ // as by an edge that is never done
	err := b.eliminate()
	return b.known[n], err
}

// cut makes the nodes.
func (b *composer) cut() {
	clear(b.done)
	b.known, b.degree, b.parts = b.known[:0], b.degree[:0], b.parts[:0]
	for t := range b.node {
		b.node[t] = -1
	}
	for i, e := range b.edges {
		for end, t := range [2]int{e.From, e.To} {
			n := b.node[t]
			if n < 0 || b.sides[t].string {
				n = len(b.known)
				b.known, b.degree = append(b.known, b.side(b.sides[t])), append(b.degree, 0)
			}
			b.node[t], b.ends[i][end] = n, n
			b.degree[n]++
		}
	}
}

// eliminate does all edges. The last one of each part leaves its lattice in b.parts.
func (b *composer) eliminate() error {
	for range b.edges {
		i := b.next()
		from, to := b.ends[i][0], b.ends[i][1]
		m, err := b.between(b.known[from], b.edges[i].Machines, b.known[to])
		if err == nil {
			switch {
			case b.degree[from] == 1 && b.degree[to] == 1:
				b.parts = append(b.parts, m)
			case b.degree[to] == 1:
				b.known[from], err = b.project(m, fst.ProjectIn)
			default:
				b.known[to], err = b.project(m, fst.ProjectOut)
			}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", b.of.problem.edge(i), err)
		}
		b.done[i] = true
		b.degree[from]--
		b.degree[to]--
	}
	return nil
}

// project returns a projection of m, without what is on no path.
func (b *composer) project(m fst.Machine[expr.W], to func(fst.Machine[expr.W]) fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	f, err := b.arena.Expand(m, b.limit)
	if err != nil {
		return nil, err
	}
	return fst.Expand(to(fst.Connect(f)), 0)
}

// between returns left ∘ T₁ ∘ … ∘ Tₙ ∘ right, of which either end may be nil, unknown. All
// machines but the first are first composed with right, which restricts them, so that these
// products are small. What begins with left is composed lazily with that, so that only what
// both allow is visited. All is lazy, from the left, where right is the larger one and no
// string.
func (b *composer) between(left *fst.FST[expr.W], ms []*fst.FST[expr.W], right *fst.FST[expr.W]) (fst.Machine[expr.W], error) {
	all := b.chain[:0]
	if left != nil {
		all = append(all, left)
	}
	head := len(all) + 1
	for _, m := range ms {
		all = append(all, m)
	}
	if right != nil {
		all = append(all, right)
	}
	b.chain = all
	if right == nil || left != nil && right.NumArcs() >= right.NumStates() && states(right) > states(left) {
		return b.left(all)
	}
	var product fst.Machine[expr.W] = right
	for _, m := range slices.Backward(all[head : len(all)-1]) {
		var err error
		if product, err = b.compose(m, product); err != nil {
			return nil, err
		}
	}
	l, err := b.left(all[:head])
	if err != nil {
		return nil, err
	}
	return b.arena.Compose(l, product)
}

// compose returns l ∘ r, expanded.
func (b *composer) compose(l, r fst.Machine[expr.W]) (*fst.FST[expr.W], error) {
	c, err := b.arena.Compose(l, r)
	if err != nil {
		return nil, err
	}
	return b.arena.Expand(c, b.limit)
}

// left composes ms lazily from the left.
func (b *composer) left(ms []fst.Machine[expr.W]) (fst.Machine[expr.W], error) {
	m := ms[0]
	for _, next := range ms[1:] {
		var err error
		if m, err = b.arena.Compose(m, next); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// side returns the acceptor of s, nil for all strings.
func (b *composer) side(s Side) *fst.FST[expr.W] {
	switch {
	case s.string:
		return b.arena.String(s.labels)
	case s.set != nil:
		return s.set.WithSemiring(b.space)
	}
	return nil
}

// Marginal returns what x and the model at theta say of the string of a tape: an acceptor in
// which each string has the weight of all derivations of x with that string there, which is
// P(x, string), and no state or arc without a path. Divided by its path sum, the weights are
// the posterior distribution of the string. Package models/nbest finds the best ones, by
// their Graph and labels.
//
// The tapes of a Problem without Edges are X, 0, Y, 1, and the branches from 2 on. What x
// says of the tape counts as well; its Weight does not.
//
// The errors: a tape or an example that makes no sense (ErrInvalid), an illegal theta
// (ErrParameter), a lattice of more than 1<<26 states and arcs (semiring.ErrLimit), another
// part of the example without a sum (semiring.ErrDiverges). Time is in proportion to the
// parameters and to the lattices.
func (p Problem) Marginal(x Example, tape int, theta []float64) (*fst.FST[semiring.ScaledFloat], error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if err := p.checkExample(0, &x); err != nil {
		return nil, err
	}
	if tapes := len(p.tree()) + 1; tape < 0 || tape >= tapes {
		return nil, fmt.Errorf("em: %w: tape %d of %d", ErrInvalid, tape, tapes)
	}
	if err := p.Params.Check(theta); err != nil {
		return nil, err
	}
	values, err := newPass(nil, p.Params, Query{Theta: theta, Temperature: 1}, nil)
	if err != nil {
		return nil, err
	}
	c := &cascade{problem: p, data: Data{}.complete()}
	f, others, err := c.maker().(*composer).marginal(&x, tape, values)
	if err != nil {
		return nil, fmt.Errorf("em: marginal of %s: %w", p.tape(tape), err)
	}
	all := semiring.ScaledFloat{Mant: 1}
	for _, part := range others {
		sum, err := graph.PathSum(part.Graph())
		if err != nil {
			return nil, fmt.Errorf("em: marginal of %s: %w", p.tape(tape), err)
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
	return fst.Connect(f), nil
}

// marginal returns, in numbers by the values of p, what the part of x that a tape is in says
// of the string there, and the other parts.
func (b *composer) marginal(x *Example, tape int, p pass) (own *fst.FST[semiring.ScaledFloat], others []*fst.FST[semiring.ScaledFloat], err error) {
	b.begin()
	given, err := b.given(x, tape)
	for i := 0; i < len(b.parts) && err == nil; i++ {
		b.parts[i], err = b.arena.Expand(b.parts[i], b.limit)
	}
	if err != nil {
		return nil, nil, b.tooLarge(x, err)
	}
	values := slices.Clone(p.values[:b.of.problem.Params.space.Len()])
	if values, err = b.space.EvaluateTempered(values, nil, p.temperature); err != nil {
		return nil, nil, err
	}
	ring := semiring.Scaled{}
	for _, m := range append([]fst.Machine[expr.W]{given}, b.parts...) {
		f, err := fst.Expand(fst.Map(m, ring, func(w expr.W) semiring.ScaledFloat { return values[w] }), 0)
		if err != nil {
			return nil, nil, err
		}
		others = append(others, fst.Connect(f))
	}
	return others[0], others[1:], nil
}

// tooLarge returns err and, if the lattice of x has too many states or arcs, how many there
// are in those that it is the product of: the machines of each edge, composed with what is
// known of a tape that no other edge has, and what is known of the other tapes. Those of a
// single edge are told apart where they are composed last.
func (b *composer) tooLarge(x *Example, err error) error {
	if !errors.Is(err, semiring.ErrLimit) {
		return err
	}
	b.arena.Reset()
	f := factors{composer: b}
	p := b.of.problem
	if len(b.edges) == 1 {
		e := b.edges[0]
		from, to := b.side(b.sides[e.From]), b.side(b.sides[e.To])
		f.add(p.tape(e.From)+" and the first machine", from, e.Machines[:1], nil)
		if rest := e.Machines[1:]; len(rest) > 0 {
			f.add("the other machines and "+p.tape(e.To), nil, rest, to)
		} else if to != nil {
			f.add(p.tape(e.To), to, nil, nil)
		}
	} else {
		f.addTree()
	}
	if len(f.sizes) == 1 {
		return err
	}
	return fmt.Errorf("%w: the lattice is the product of %s", err, strings.Join(f.sizes, ", "))
}

// factors collects the sizes of what a lattice is the product of.
type factors struct {
	*composer
	sizes []string
}

// add adds left ∘ ms ∘ right.
func (f *factors) add(name string, left *fst.FST[expr.W], ms []*fst.FST[expr.W], right *fst.FST[expr.W]) {
	size := name + " with more" // or another error, of which there is one already
	if m, err := f.between(left, ms, right); err == nil {
		if g, err := f.arena.Expand(m, f.limit); err == nil {
			size = fmt.Sprintf("%s with %d states and %d arcs", name, g.NumStates(), g.NumArcs())
		}
	}
	f.sizes = append(f.sizes, size)
}

// addTree adds the factors of several edges.
func (f *factors) addTree() {
	edges := make([]int, len(f.sides)) // per tape
	for _, e := range f.edges {
		edges[e.From]++
		edges[e.To]++
	}
	p := f.of.problem
	for i, e := range f.edges {
		var left, right *fst.FST[expr.W]
		if edges[e.From] == 1 {
			left = f.side(f.sides[e.From])
		} else if edges[e.To] == 1 {
			right = f.side(f.sides[e.To])
		}
		f.add(p.edge(i), left, e.Machines, right)
	}
	for t, s := range f.sides {
		if edges[t] > 1 && !s.Absent() {
			f.add(p.tape(t), f.side(s), nil, nil)
		}
	}
}

var noValue = []error{semiring.ErrDiverges, semiring.ErrInaccurate}

// explain names the tapes that nothing bounds if that is the reason for err.
func (c *cascade) explain(i int, err error, p pass) error {
	if !isAny(err, noValue) {
		return err
	}
	for x, fault := range c.data.all() {
		if fault != nil {
			return err
		}
		if i == 0 {
			return c.blame(&x, err, p)
		}
		i--
	}
	return err
}

// blame returns err, which ended the sum of x, and the tapes that alone can be its reason.
func (c *cascade) blame(x *Example, err error, p pass) error {
	var names []string
	for t, s := range c.problem.sides(nil, x) {
		if !s.string && c.unbounded(x, t, p) {
			names = append(names, c.problem.tape(t))
		}
	}
	if len(names) == 0 {
		return err
	}
	return fmt.Errorf("%w; nothing bounds the sum over the strings of %s", err, strings.Join(names, " or "))
}

// unbounded reports whether x has no sum over the strings of a tape, but one over any
// finite set of them.
func (c *cascade) unbounded(x *Example, tape int, p pass) bool {
	b := c.maker().(*composer)
	f, _, err := b.marginal(x, tape, p)
	if err != nil {
		return false
	}
	if _, err := graph.PathSum(f.Graph()); !isAny(err, noValue) {
		return false
	}
	// Strings of a finite set go round no cycle that reads a label.
	g := f.Graph()
	weights := slices.Clone(g.Weights())
	component, _ := g.Components()
	for s := range int32(g.NumStates()) {
		for e := g.Row()[s]; e < g.Row()[s+1]; e++ {
			if f.In()[e] != fst.Epsilon && component[s] == component[g.To()[e]] {
				weights[e] = semiring.ScaledFloat{}
			}
		}
	}
	f, err = f.WithWeights(weights, g.Starts(), g.Finals())
	if err != nil {
		return false
	}
	_, err = graph.PathSum(fst.Connect(f).Graph())
	return !isAny(err, noValue)
}
