package forest_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/pathsum/internal/foresttest"
	"example.org/pathsum/internal/golden"
	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
	graphviz "gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/multi"
)

// A node with two derivations; one derivation uses a node twice.
func ExampleWriteDOT() {
	f, err := forest.New(semiring.Real{}, []int32{0, 1, 3}, []int32{0, 0, 1, 3}, []int32{0, 0, 0},
		[]float64{.5, 1. / 3, 1}, []forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		panic(err)
	}
	name := func(node int32) string { return []string{"word", "phrase"}[node] }
	if err := forest.WriteDOT(os.Stdout, f, &forest.DOT{Node: name, Digits: 2}); err != nil {
		panic(err)
	}
	// Output:
	// digraph {
	// 	graph [ordering="out" ranksep="0.2"];
	// 	n0 [label="word" shape="box" height="0.3"];
	// 	n1 [label="phrase" shape="box" height="0.3" style="bold"];
	// 	e0 [label="" shape="point"];
	// 	n0 -> e0 [label=" 0.5" dir="none"];
	// 	n1 -> n0 [label=" 0.33"];
	// 	e2 [label="" shape="point"];
	// 	n1 -> e2 [label="" dir="none"];
	// 	e2 -> n0;
	// 	e2 -> n0;
	// }
}

func ExampleWriteTreeDOT() {
	f, err := forest.New(semiring.Viterbi{}, []int32{0, 1, 3}, []int32{0, 0, 1, 3}, []int32{0, 0, 0},
		[]semiring.ScaledFloat{semiring.NewScaled(.9), semiring.NewScaled(.1), semiring.NewScaled(.8)},
		[]forest.Root[semiring.ScaledFloat]{{Node: 1, Weight: semiring.NewScaled(1)}})
	if err != nil {
		panic(err)
	}
	best, err := forest.BestTree(f)
	if err != nil {
		panic(err)
	}
	if err := forest.WriteTreeDOT(os.Stdout, f, best.Edges, nil); err != nil {
		panic(err)
	}
	// Output:
	// digraph {
	// 	graph [ordering="out" ranksep="0.2"];
	// 	n2 [label="0" shape="box" height="0.3"];
	// 	e2 [label="" shape="point"];
	// 	n2 -> e2 [label=" 0.9" dir="none"];
	// 	n1 [label="0" shape="box" height="0.3"];
	// 	e1 [label="" shape="point"];
	// 	n1 -> e1 [label=" 0.9" dir="none"];
	// 	n0 [label="1" shape="box" height="0.3" style="bold"];
	// 	e0 [label="" shape="point"];
	// 	n0 -> e0 [label=" 0.8" dir="none"];
	// 	e0 -> n1;
	// 	e0 -> n2;
	// }
}

var (
	dotNode = regexp.MustCompile(`^\tn(\d+) \[label="([^"]*)".*?( style="bold")?\];$`)
	dotLine = regexp.MustCompile(`^\t([ne]\d+) -> ([ne]\d+)(?: \[(.*)\])?;$`)
)

// drawn is the content of a drawing: labels of nodes, with * for a root, and for every edge its
// head, its tails in order, and how its first line looks.
type drawn struct {
	nodes map[string]string
	edges []string
}

func readDOT(t *testing.T, text string) (d drawn) {
	t.Helper()
	if err := graphviz.UnmarshalMulti([]byte(text), multi.NewDirectedGraph()); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	d.nodes = map[string]string{}
	at := map[string]int{} // the edge of a point
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := dotNode.FindStringSubmatch(line); m != nil {
			d.nodes["n"+m[1]] = m[2] + strings.Repeat("*", min(1, len(m[3])))
		}
		m := dotLine.FindStringSubmatch(line)
		switch {
		case m == nil:
		case m[1][0] == 'e':
			d.edges[at[m[1]]] += " " + m[2]
		case m[2][0] == 'e':
			at[m[2]] = len(d.edges)
			d.edges = append(d.edges, strings.TrimSuffix(m[3], ` dir="none"`)+" "+m[1])
		default:
			d.edges = append(d.edges, m[3]+" "+m[1]+" "+m[2])
		}
	}
	slices.Sort(d.edges)
	return d
}

// A drawing has the nodes, edges and roots of its forest. The drawing of a tree has the nodes and
// edges of the tree, once per use.
func TestWriteDOT(t *testing.T) {
	trees := 0
	for seed := range trials.Seeds(100) {
		f := foresttest.New(graphtest.Rand(seed), semiring.Real{}, shapes[seed%3], unit)
		weight := func(w float64) string {
			if w == 1 {
				return ""
			}
			return semiring.Real{}.Format(w)
		}
		label := map[int32]string{}
		for _, root := range merged(f).Roots() {
			label[root.Node] = strings.TrimPrefix(weight(root.Weight)+"/", "/")
		}
		want := drawn{nodes: map[string]string{}}
		text := make([]string, f.NumEdges())
		for v := range int32(f.NumNodes()) {
			name := fmt.Sprint("n", v)
			before, root := label[v]
			want.nodes[name] = before + strconv.Itoa(int(v))
			if root {
				want.nodes[name] += "*"
			}
			for e := f.Edges()[v]; e < f.Edges()[v+1]; e++ {
				text[e] = `label="` + strings.TrimSuffix(" "+weight(f.Weights()[e]), " ") + `"`
				edge := text[e] + " " + name
				for _, u := range f.Tails(e) {
					edge += fmt.Sprint(" n", u)
				}
				want.edges = append(want.edges, edge)
			}
		}
		slices.Sort(want.edges)
		var b strings.Builder
		if err := forest.WriteDOT(&b, f, nil); err != nil {
			t.Fatal(err)
		}
		if got := readDOT(t, b.String()); !maps.Equal(got.nodes, want.nodes) || !slices.Equal(got.edges, want.edges) {
			t.Fatalf("%v, want %v, in\n%s", got, want, b.String())
		}
		for i, tree := range oracle.Trees(merged(f)) {
			if i == 3 {
				break
			}
			trees++
			b.Reset()
			if err := forest.WriteTreeDOT(&b, f, tree.Edges, nil); err != nil {
				t.Fatal(err)
			}
			got := readDOT(t, b.String())
			if len(got.nodes) != len(tree.Edges) || len(got.edges) != len(tree.Edges) {
				t.Fatalf("%d nodes and %d edges of %d in\n%s", len(got.nodes), len(got.edges), len(tree.Edges), b.String())
			}
			if got, want := unfolded(got, "n0"), label[tree.Root]+bracketed(f, tree.Root, tree.Edges, text); got != want {
				t.Fatalf("%s, want %s, in\n%s", got, want, b.String())
			}
		}
	}
	if trees < 50 {
		t.Errorf("only %d trees", trees)
	}
}

// unfolded writes the drawing of a node of a tree: its label, the look of its edge, and the nodes
// below.
func unfolded(d drawn, node string) string {
	text := "(" + strings.TrimSuffix(d.nodes[node], "*")
	if node == "n0" {
		text = strings.TrimSuffix(d.nodes[node], "*")
		cut := strings.LastIndex(text, "/") + 1
		text = text[:cut] + "(" + text[cut:]
	}
	for _, e := range d.edges {
		look, names, _ := strings.Cut(e, `" n`)
		fields := strings.Fields("n" + names)
		if fields[0] != node {
			continue
		}
		text += " " + look + `"`
		for _, u := range fields[1:] {
			text += " " + unfolded(d, u)
		}
	}
	return text + ")"
}

// bracketed writes the same of a tree.
func bracketed(f *forest.Forest[float64], root int32, edges []int32, look []string) string {
	at := 0
	var write func(v int32) string
	write = func(v int32) string {
		e := edges[at]
		at++
		text := fmt.Sprintf("(%d %s", v, look[e])
		for _, u := range f.Tails(e) {
			text += " " + write(u)
		}
		return text + ")"
	}
	return write(root)
}

type broken struct{}

var errBroken = errors.New("broken")

func (broken) Write([]byte) (int, error) { return 0, errBroken }

func TestWriteDOTErrors(t *testing.T) {
	f, err := forest.New(semiring.Real{}, []int32{0, 1, 2}, []int32{0, 0, 1}, []int32{0}, []float64{1, 1}, []forest.Root[float64]{{Node: 1, Weight: 1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range [][]float64{{1}, {0, 2}, {0, math.NaN()}, {-1, 0}} {
		if err := forest.WriteDOT(io.Discard, f, &forest.DOT{Posterior: p}); !errors.Is(err, semiring.ErrShape) {
			t.Errorf("%v: %v", p, err)
		}
	}
	var b strings.Builder
	if err := forest.WriteDOT(&b, f, &forest.DOT{Posterior: []float64{0, 1}}); err != nil || !strings.Contains(b.String(), "penwidth") {
		t.Errorf("%v, %s", err, b.String())
	}
	if err := forest.WriteDOT(broken{}, f, nil); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	if err := forest.WriteTreeDOT(broken{}, f, []int32{1, 0}, nil); !errors.Is(err, errBroken) {
		t.Error(err)
	}
	wordless := forest.Map(f, textless{}, func(float64) float64 { return 1 })
	if err := forest.WriteDOT(io.Discard, wordless, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Error(err)
	}
	if err := forest.WriteTreeDOT(io.Discard, wordless, []int32{1, 0}, nil); !errors.Is(err, semiring.ErrCapability) {
		t.Error(err)
	}
	// A forest without trees has a drawing, and so has no tree.
	for _, write := range []error{forest.WriteDOT(io.Discard, must(f.WithWeights([]float64{0, 0}, nil)), nil), forest.WriteTreeDOT(io.Discard, f, nil, nil)} {
		if write != nil {
			t.Error(write)
		}
	}
}

// textless is a ring whose weights have no text.
type textless struct{ semiring.Semiring[float64] }

func (textless) One() float64 { return 1 }

//go:generate go test . -run ^TestPictures$ -update

// constituent is a nonterminal or a word that derives the words I … J−1.
type constituent struct {
	X    string
	I, J int
}

// parsed returns the forest of “they can fish”: they are able to fish, or put fish in cans.
func parsed() (*forest.Chart[constituent, float64], error) {
	p := map[string]float64{
		"S → NP VP": 1, "VP → V NP": .5, "VP → Aux VP": .1, "NP → they": .5, "NP → fish": .3,
		"VP → fish": .4, "V → can": .7, "Aux → can": 1,
	}
	nonterminals := []string{"S", "NP", "VP", "V", "Aux"}
	d := forest.NewDeduction[constituent](semiring.Real{})
	d.Rule("unary", func(b constituent) {
		for _, x := range nonterminals {
			d.Derive(constituent{x, b.I, b.J}, p[x+" → "+b.X], b)
		}
	})
	forest.Join(d, "binary",
		func(b constituent) (int, bool) { return b.J, true },
		func(c constituent) (int, bool) { return c.I, true },
		func(b, c constituent) {
			for _, x := range nonterminals {
				d.Derive(constituent{x, b.I, c.J}, p[x+" → "+b.X+" "+c.X], b, c)
			}
		})
	for i, word := range []string{"they", "can", "fish"} {
		d.Derive(constituent{word, i, i + 1}, 1)
	}
	return d.Run(constituent{"S", 0, 3})
}

// The page matches the output of the library, and each picture its source.
func TestPictures(t *testing.T) {
	chart := must(parsed())
	f := chart.Forest
	name := func(v int32) string {
		if c := chart.Items[v]; strings.ToLower(c.X) != c.X {
			return fmt.Sprintf("%s %d–%d", c.X, c.I, c.J)
		}
		return chart.Items[v].X
	}
	pictures := map[string]string{}
	draw := func(picture string, write func(*strings.Builder) error) {
		var b strings.Builder
		if err := write(&b); err != nil {
			t.Fatal(err)
		}
		pictures[picture] += b.String()
	}
	post := must(forest.Posteriors(f))
	draw("forest", func(b *strings.Builder) error {
		return forest.WriteDOT(b, f, &forest.DOT{Node: name, Digits: 2})
	})
	draw("posteriors", func(b *strings.Builder) error {
		return forest.WriteDOT(b, f, &forest.DOT{Node: name, Digits: 2, Posterior: post.Edge})
	})
	var weights []string
	for tree := range must(forest.BestTrees(forest.Map(f, semiring.Viterbi{}, semiring.NewScaled))) {
		weights = append(weights, fmt.Sprintf("%.4f", tree.Weight.Float64()))
		draw("trees", func(b *strings.Builder) error {
			return forest.WriteTreeDOT(b, f, tree.Edges, &forest.DOT{Node: name, Digits: 2})
		})
	}
	golden.Folder(t, "pictures", ".dot", pictures)
	golden.File(t, "PICTURES.md", fmt.Sprintf(`# Forests and trees

All parses of “they can fish” by a small grammar: are they able to fish, or do they put fish into
cans? A test in dot_test.go generates the page and its pictures, with WriteDOT and WriteTreeDOT.

## A forest

![All parses of they can fish](pictures/forest.svg)

A box is a node: a word, or a constituent with its first and last position. A point is an edge: a
rule that derives the node above it, the head, from the nodes below it, the tails, in order. An edge
with one tail is drawn as an arrow, and an edge without tails as a point below its node. The number
is the probability of the rule, if it is not 1. The root is bold.

The two parses differ only in the edge of “VP 1–3”, which has two. They share all other nodes, so a
forest may contain more trees than could be listed.

## Posteriors

![The same, the edges shaded by their posteriors](pictures/posteriors.svg)

Posteriors returns the probability that a random parse uses each edge: likelier edges are thicker
and darker. The sum over all trees is %.4f, and they put fish into cans with probability %.2f.

## Trees

![Two trees](pictures/trees.svg)

BestTrees yields the trees in the order of their weights, the best first: %s.
`, post.Total, post.Edge[edgeOf(t, chart, "V")], strings.Join(weights, " and ")))
}

// edgeOf returns the edge whose first tail is a constituent X of the second word.
func edgeOf(t *testing.T, chart *forest.Chart[constituent, float64], x string) int32 {
	for e := range int32(chart.Forest.NumEdges()) {
		if tails := chart.Forest.Tails(e); len(tails) == 2 && chart.Items[tails[0]] == (constituent{x, 1, 2}) {
			return e
		}
	}
	t.Fatalf("no edge has the tail %s", x)
	return -1
}
