package cascade

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"example.org/pathsum/em/internal/digest"
	"example.org/pathsum/em/internal/tapes"
	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// Writers are functions, not methods, because every package that mentions a type compiles all of
// its methods and their dependencies.

// handleNumbers numbers the expressions of a Space in the order of writing. So the output does
// not depend on other expressions of the Space. A nil handleNumbers uses the numbers of the
// Space.
type handleNumbers struct {
	number  []expr.W // by handle, from 1; 0 if not written
	written []expr.W
	scratch []expr.W
}

// of returns the numbers of expressions. The result is valid until the next call.
func (n *handleNumbers) of(ws []expr.W) []expr.W {
	if n == nil {
		return ws
	}
	n.scratch = n.scratch[:0]
	for _, w := range ws {
		if int(w) >= len(n.number) {
			n.number = append(n.number, make([]expr.W, int(w)+1-len(n.number))...)
		}
		if n.number[w] == 0 {
			n.written = append(n.written, w)
			n.number[w] = expr.W(len(n.written))
		}
		n.scratch = append(n.scratch, n.number[w])
	}
	return n.scratch
}

// write writes the numbers of expressions.
func (n *handleNumbers) write(d digest.To, ws []expr.W) { d.Slice(n.of(ws), len(ws)) }

// finish writes the expressions that have been numbered.
func (n *handleNumbers) finish(d digest.To, space *expr.Space) {
	rows, place := space.FormatRows(n.written)
	for _, text := range rows {
		fmt.Fprintln(d, text)
	}
	d.Slice(place, len(place))
}

// writeSide writes the side of a tape.
func writeSide(d digest.To, n *handleNumbers, s tapes.Side) {
	switch {
	case s.Soft() != nil:
		x := s.Soft()
		e := x.Emissions
		d.Ints(-3, e.Frames(), e.Symbols())
		d.Slice(x.Labels, len(x.Labels))
		logs := make([]float64, e.Symbols())
		for t := range e.Frames() {
			for v := range logs {
				logs[v] = e.Log(t, v)
			}
			d.Floats(logs...)
		}
	case s.Set != nil:
		d.Ints(-2)
		writeMachine(d, n, tapes.Acceptor(s.Set))
	case s.String:
		d.Slice(s.Labels, len(s.Labels))
	default:
		d.Ints(-1)
	}
}

// writeMachine writes the labels of f, and its graph.
func writeMachine(d digest.To, n *handleNumbers, f *fst.FST[expr.W]) {
	d.Slice(f.In(), len(f.In()))
	d.Slice(f.Out(), len(f.Out()))
	writeGraph(d, n, f.Graph())
}

// writeGraph writes the arcs, weights, starts and ends of g.
func writeGraph(d digest.To, n *handleNumbers, g *graph.Graph[expr.W]) {
	d.Slice(g.Row(), len(g.Row()))
	d.Slice(g.To(), len(g.To()))
	n.write(d, g.Weights())
	n.write(d, g.Finals())
	for _, s := range g.Starts() {
		d.Ints(int(s.State))
		n.write(d, []expr.W{s.Weight})
	}
}

// writeForest writes the edges, weights and roots of f.
func writeForest(d digest.To, n *handleNumbers, f *forest.Forest[expr.W]) {
	d.Slice(f.Edges(), len(f.Edges()))
	for e := range int32(f.NumEdges()) {
		d.Slice(f.Tails(e), len(f.Tails(e)))
	}
	n.write(d, f.Weights())
	for _, r := range f.Roots() {
		d.Ints(int(r.Node))
		n.write(d, []expr.W{r.Weight})
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

// of returns a description of the expressions of space that depends only on these.
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
