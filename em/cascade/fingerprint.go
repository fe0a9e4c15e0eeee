package cascade

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"example.org/pathsum/em"
	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Functions write what is made of expressions, not methods: whoever mentions a type compiles
// all that its methods mention.

// writeParams writes the values of all handles: machines are told by their handles, and
// handles by their values.
func writeParams(d digest.To, p *em.Params) {
	if values, err := p.Space().Evaluate(nil, p.Values(p.Start())); err == nil {
		d.Slice(values, len(values))
	}
}

// writeSide writes what is known of a tape.
func writeSide(d digest.To, s tapes.Side) {
	switch {
	case s.Set != nil:
		d.Ints(-2)
		writeMachine(d, tapes.Acceptor(s.Set))
	case s.String:
		d.Slice(s.Labels, len(s.Labels))
	default:
		d.Ints(-1)
	}
}

// writeMachine writes the labels of f, and its graph.
func writeMachine(d digest.To, f *fst.FST[expr.W]) {
	d.Slice(f.In(), len(f.In()))
	d.Slice(f.Out(), len(f.Out()))
	writeGraph(d, f.Graph())
}

// writeGraph writes the arcs, weights, starts and ends of g.
func writeGraph(d digest.To, g *graph.Graph[expr.W]) {
	d.Slice(g.Row(), len(g.Row()))
	d.Slice(g.To(), len(g.To()))
	d.Slice(g.Weights(), len(g.Weights()))
	d.Slice(g.Finals(), len(g.Finals()))
	for _, s := range g.Starts() {
		d.Ints(int(s.State), int(s.Weight))
	}
}

// writeForest writes the edges, weights and roots of f.
func writeForest(d digest.To, f *forest.Forest[expr.W]) {
	d.Slice(f.Edges(), len(f.Edges()))
	for e := range int32(f.NumEdges()) {
		d.Slice(f.Tails(e), len(f.Tails(e)))
	}
	d.Slice(f.Weights(), len(f.Weights()))
	for _, r := range f.Roots() {
		d.Ints(int(r.Node), int(r.Weight))
	}
}

// writeSpace writes all expressions of s.
func writeSpace(d digest.To, s *expr.Space) {
	all := make([]expr.W, s.Len())
	for h := range all {
		all[h] = expr.W(h)
	}
	rows, _ := s.FormatRows(all)
	for _, text := range rows {
		fmt.Fprintln(d, text)
	}
}

// spaceDigest is a hash of the expressions of a Space, which only grows.
type spaceDigest struct {
	mutex sync.Mutex
	n     int // expressions
	text  string
}

// of says which expressions space has, the same one in each call.
func (d *spaceDigest) of(space *expr.Space) string {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	if n := space.Len(); d.n != n {
		h := sha256.New()
		writeSpace(digest.To{Writer: h}, space)
		d.n, d.text = n, fmt.Sprintf("%d expressions %x", n, h.Sum(nil)[:8])
	}
	return d.text
}
