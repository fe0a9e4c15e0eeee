package forest_test

import (
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/golden"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/forest"
)

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

// The page shows what the library makes, and each picture what its source says.
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
cans? The page and its pictures are made by pictures_test.go, with WriteDOT and WriteTreeDOT.

## A forest

![All parses of they can fish](pictures/forest.svg)

A box is a node: a word, or a constituent with the places where it begins and ends. A point is an
edge: a rule that derives the node above it, the head, of those below it, the tails, in order. An
edge of one tail is an arrow, one without tails a point below its node. The number is the rule's
probability, where it is not 1. The root is bold.

“VP 1–3” has two edges: that is all the difference between the two parses. What they share is there
once, so a forest may hold more trees than could ever be written down.

## Posteriors

![The same, the edges shaded by their posteriors](pictures/posteriors.svg)

Posteriors says how likely a random parse uses each edge; the thicker and darker, the likelier. The
sum over all trees is %.4f, and they put fish into cans with probability %.2f.

## Trees

![Two trees](pictures/trees.svg)

BestTrees yields them, the best first: of weights %s.
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
