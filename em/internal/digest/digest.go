// Package digest writes the content of values, so that a hash of what is written tells them
// apart.
package digest

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

// To writes to a hash.
type To struct{ io.Writer }

// Space writes all expressions of s.
func (d To) Space(s *expr.Space) {
	all := make([]expr.W, s.Len())
	for h := range all {
		all[h] = expr.W(h)
	}
	rows, _ := s.FormatRows(all)
	for _, text := range rows {
		fmt.Fprintln(d, text)
	}
}

// Forest writes the edges, weights and roots of f.
func (d To) Forest(f *forest.Forest[expr.W]) {
	d.Slice(f.Edges(), len(f.Edges()))
	for e := range int32(f.NumEdges()) {
		d.Slice(f.Tails(e), len(f.Tails(e)))
	}
	d.Slice(f.Weights(), len(f.Weights()))
	for _, r := range f.Roots() {
		d.Ints(int(r.Node), int(r.Weight))
	}
}

// Ints writes integers.
func (d To) Ints(v ...int) {
	for _, x := range v {
		binary.Write(d, binary.LittleEndian, int64(x))
	}
}

// Floats writes numbers, bit by bit.
func (d To) Floats(v ...float64) {
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

// Slice writes the length n of v, and v, as package binary does.
func (d To) Slice(v any, n int) {
	d.Ints(n)
	binary.Write(d, binary.LittleEndian, v)
}

// Machine writes the labels of f, and its graph.
func (d To) Machine(f *fst.FST[expr.W]) {
	d.Slice(f.In(), len(f.In()))
	d.Slice(f.Out(), len(f.Out()))
	d.Graph(f.Graph())
}

// Graph writes the arcs, weights, starts and ends of g.
func (d To) Graph(g *graph.Graph[expr.W]) {
	d.Slice(g.Row(), len(g.Row()))
	d.Slice(g.To(), len(g.To()))
	d.Slice(g.Weights(), len(g.Weights()))
	d.Slice(g.Finals(), len(g.Finals()))
	for _, s := range g.Starts() {
		d.Ints(int(s.State), int(s.Weight))
	}
}
