package fstio_test

import (
	"errors"
	"maps"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
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
	// 	graph [rankdir="LR"];
	// 	0 [label="0" shape="circle" style="bold"];
	// 	1 [label="1/0.5" shape="doublecircle"];
	// 	0 -> 0 [color="0 0 0.562" penwidth="1.31" label="a/0.33"];
	// 	0 -> 1 [color="0 0 0.000" penwidth="3.00" label="a:ε"];
	// }
}

// parsed is a graph as read by a parser of the language.
type parsed struct{ *multi.DirectedGraph }

func (p parsed) SetDOTID(string)                       {}
func (p parsed) SetAttribute(encoding.Attribute) error { return nil }
func (p parsed) NewLine(from, to graph.Node) graph.Line {
	return &labelled{Line: p.DirectedGraph.NewLine(from, to)}
}

// labelled is a line with its label.
type labelled struct {
	graph.Line
	label string
}

func (l *labelled) SetAttribute(a encoding.Attribute) error {
	if a.Key == "label" {
		l.label = a.Value
	}
	return nil
}

// The output is a graph in the language with a node for every state, and a label on an edge for
// every arc, whatever the names of the symbols.
func TestWriteDOT(t *testing.T) {
	most := 0
	for seed := range uint64(20) {
		f := random(seed, 3, false)
		symbols := fst.NewSymbols("\"", "a\\\nb", "->")
		f = f.WithSymbols(symbols, symbols)
		for _, o := range []*fstio.DOT{nil, {Posterior: make([]float64, f.NumArcs())}} {
			var b strings.Builder
			if err := fstio.WriteDOT(&b, f, o); err != nil {
				t.Fatal(err)
			}
			g := parsed{multi.NewDirectedGraph()}
			if err := dot.UnmarshalMulti([]byte(b.String()), g); err != nil {
				t.Fatalf("%v in\n%s", err, b.String())
			}
			if n := g.Nodes().Len(); n != f.NumStates() {
				t.Errorf("%d nodes of %d states", n, f.NumStates())
			}
			want, got := map[[2]int64]int{}, map[[2]int64]int{}
			for s := range int32(f.NumStates()) {
				for _, a := range f.AppendArcs(nil, s) {
					want[[2]int64{int64(s), int64(a.To)}]++
				}
			}
			for all := g.Edges(); all.Next(); {
				for lines := all.Edge().(multi.Edge).Lines; lines.Next(); {
					l := lines.Line().(*labelled)
					n := 1
					if o == nil {
						// The name of a symbol has a line break of its own.
						n += strings.Count(strings.ReplaceAll(l.label, "a\\\nb", ""), "\n")
						most = max(most, n)
					}
					got[[2]int64{l.From().ID(), l.To().ID()}] += n
				}
			}
			if !maps.Equal(got, want) {
				t.Errorf("%v, want %v, in\n%s", got, want, b.String())
			}
		}
	}
	if most < 3 {
		t.Error("no two states have three arcs between them")
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
