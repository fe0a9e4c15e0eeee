package fstio_test

import (
	"errors"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/multi"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/internal/fsttest"
)

func ExampleWriteDOT() {
	b := fst.NewBuilder(reals)
	b.AddStates(2)
	b.AddStart(0, 1)
	b.AddArc(0, fst.Arc[float64]{In: 1, Out: 1, To: 0, Weight: 1. / 3})
	b.AddArc(0, fst.Arc[float64]{In: 1, To: 1, Weight: 1})
	b.SetFinal(1, .5)
	letters := fst.NewSymbols("a")
	b.SetSymbols(letters, letters)
	f, err := b.Freeze()
	if err != nil {
		panic(err)
	}
	if err := fstio.WriteDOT(os.Stdout, f, &fstio.DOT{Digits: 2, Posterior: []float64{.25, 1}}); err != nil {
		panic(err)
	}
	// Output:
	// digraph {
	// 	graph [
	// 		rankdir=LR
	// 	];
	//
	// 	// Node definitions.
	// 	0 [
	// 		label="0"
	// 		shape=circle
	// 		style=bold
	// 	];
	// 	1 [
	// 		label="1/0.5"
	// 		shape=doublecircle
	// 	];
	//
	// 	// Edge definitions.
	// 	0 -> 0 [
	// 		label="a/0.33"
	// 		color="0 0 0.637"
	// 		penwidth=1.50
	// 	];
	// 	0 -> 1 [
	// 		label="a:ε"
	// 		color="0 0 0.000"
	// 		penwidth=3.00
	// 	];
	// }
}

// parsed counts what a reader of the language finds.
type parsed struct{ *multi.DirectedGraph }

func (p parsed) SetDOTID(string)                       {}
func (p parsed) SetAttribute(encoding.Attribute) error { return nil }

// What is written is a graph of the language with as many nodes and edges as there
// are states and arcs, whatever the names of the symbols are.
func TestWriteDOT(t *testing.T) {
	for seed := range uint64(20) {
		f := random(seed, 3, false)
		symbols := fst.NewSymbols("\"", "a\\\nb", "->")
		f = f.WithSymbols(symbols, symbols)
		var b strings.Builder
		if err := fstio.WriteDOT(&b, f, nil); err != nil {
			t.Fatal(err)
		}
		g := parsed{multi.NewDirectedGraph()}
		if err := dot.UnmarshalMulti([]byte(b.String()), g); err != nil {
			t.Fatalf("%v in\n%s", err, b.String())
		}
		edges := 0
		for all := g.Edges(); all.Next(); {
			edges += all.Edge().(multi.Edge).Len()
		}
		if n := g.Nodes().Len(); n != f.NumStates() || edges != f.NumArcs() {
			t.Errorf("%d nodes and %d edges of %d states and %d arcs", n, edges, f.NumStates(), f.NumArcs())
		}
	}
}

func TestWriteDOTErrors(t *testing.T) {
	f := fst.FromString(reals, []int32{1, 2})
	for _, p := range [][]float64{{1}, {0, 2}, {0, math.NaN()}, {-1, 0}} {
		if err := fstio.WriteDOT(new(strings.Builder), f, &fstio.DOT{Posterior: p}); !errors.Is(err, fst.ErrInvalid) {
			t.Errorf("%v: %v", p, err)
		}
	}
	named := f.WithSymbols(fst.NewSymbols("a"), nil)
	if err := fstio.WriteDOT(new(strings.Builder), named, nil); !errors.Is(err, fst.ErrSymbol) {
		t.Error(err)
	}
	if err := fstio.WriteDOT(broken{}, f, nil); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if err := fstio.WriteDOT(new(strings.Builder), fst.FromString(fsttest.Bags{Max: 1}, nil), nil); err == nil {
		t.Error("a ring without text is drawn")
	}
}
