package em

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/forest"
	"example.org/pathsum/semiring/graph"
)

// digest writes the content of values.
type digest struct{ io.Writer }

// params writes the values of all handles: machines are told by their handles, and
// handles by their values.
func (d digest) params(p *Params) {
	if values, err := p.space.Evaluate(nil, p.Values(p.Start())); err == nil {
		d.slice(values, len(values))
	}
}

// space writes all expressions of s.
func (d digest) space(s *expr.Space) {
	all := make([]expr.W, s.Len())
	for h := range all {
		all[h] = expr.W(h)
	}
	rows, _ := s.FormatRows(all)
	for _, text := range rows {
		fmt.Fprintln(d, text)
	}
}

// forest writes the edges, weights and roots of f.
func (d digest) forest(f *forest.Forest[expr.W]) {
	d.slice(f.Edges(), len(f.Edges()))
	for e := range int32(f.NumEdges()) {
		d.slice(f.Tails(e), len(f.Tails(e)))
	}
	d.slice(f.Weights(), len(f.Weights()))
	for _, r := range f.Roots() {
		d.ints(int(r.Node), int(r.Weight))
	}
}

func (d digest) ints(v ...int) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, int64(x))
	}
}

func (d digest) floats(v ...float64) {
	const block = 512
	b := make([]byte, 0, 8*min(block, len(v)))
	for ; len(v) > 0; v = v[min(block, len(v)):] {
		b = b[:0]
		for _, x := range v[:min(block, len(v))] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
		d.Write(b)
	}
}

func (d digest) slice(v any, n int) {
	d.ints(n)
	binary.Write(d, binary.LittleEndian, v)
}

func (d digest) machine(f *fst.FST[expr.W]) {
	d.slice(f.In(), len(f.In()))
	d.slice(f.Out(), len(f.Out()))
	d.graph(f.Graph())
}

func (d digest) graph(g *graph.Graph[expr.W]) {
	d.slice(g.Row(), len(g.Row()))
	d.slice(g.To(), len(g.To()))
	d.slice(g.Weights(), len(g.Weights()))
	d.slice(g.Finals(), len(g.Finals()))
	for _, s := range g.Starts() {
		d.ints(int(s.State), int(s.Weight))
	}
}
