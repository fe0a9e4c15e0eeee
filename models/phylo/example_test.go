package phylo_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/phylo"
	"example.org/pathsum/models/phylo/msa"
)

// What did the gorilla have, and what the ancestor of all?
func Example() {
	ctx := context.Background()
	tree, err := phylo.ParseTree("(((human:.01,chimp:.01):.005,gorilla:.015)apes:.05,macaque:.07)all;")
	if err != nil {
		log.Fatal(err)
	}
	file := strings.NewReader(">human\nACGTACGGTA\n>chimp\nACGTACGGTA\n>gorilla\nACGNACG-TA\n>macaque\nATGTACAGTA\n")
	a, err := msa.ReadFASTA(file, "apes.fa")
	if err != nil {
		log.Fatal(err)
	}
	m, err := phylo.NewColumns(tree, phylo.HKY85(a.Frequencies()))
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, a, nil); err != nil {
		log.Fatal(err)
	}
	l, err := m.Likelihood(a)
	if err != nil {
		log.Fatal(err)
	}
	p, err := l.Posteriors(ctx, m.Theta, nil, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("gorilla, column 3: %.2f\n", p.Base(tree.Node("gorilla"), 3))
	fmt.Printf("all, column 1:     %.2f\n", p.Base(tree.Node("all"), 1))
	// Output:
	// gorilla, column 3: [0.00 0.00 0.00 1.00]
	// all, column 1:     [0.00 0.58 0.00 0.42]
}

// Two ways to pair the columns, trained to agree and then by themselves.
func ExampleWindows_Fit() {
	tree, err := phylo.ParseTree("((a:.1,b:.1):.1,c:.2);")
	if err != nil {
		log.Fatal(err)
	}
	a := &msa.Alignment{Species: []string{"a", "b", "c"}}
	for _, text := range []string{"ACGTTGCACGTACCGA", "ACGTTGCATGTACCGA", "ACATTGCACGTACCGA"} {
		var row []msa.Cell
		for i := range len(text) {
			c, _ := msa.ParseCell(text[i])
			row = append(row, c)
		}
		a.Rows = append(a.Rows, row)
	}
	m, err := phylo.NewWindows(tree, em.Dirichlet{Alpha: 1.1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	m.Squared = 1
	r, err := m.Fit(context.Background(), a, &em.Options{Iterations: 20})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f nats\n", r.LogLikelihood)
	// Output:
	// -56.74 nats
}

// apes returns a tree and an alignment of its species, drawn at random along the tree: one change
// in ten bases along the branch to the macaque, and few elsewhere.
func apes() (*phylo.Tree, *msa.Alignment) {
	tree, err := phylo.ParseTree("((human:.02,gorilla:.02)apes:.03,macaque:.1)all;")
	if err != nil {
		log.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	a := &msa.Alignment{Species: []string{"human", "gorilla", "macaque"}, Rows: make([][]msa.Cell, 3)}
	change := func(base int, p float64) int {
		if rng.Float64() < p {
			return (base + 1 + rng.IntN(3)) % 4
		}
		return base
	}
	for range 3000 {
		all := rng.IntN(4)
		ape := change(all, .03)
		for i, base := range []int{change(ape, .02), change(ape, .02), change(all, .1)} {
			a.Rows[i] = append(a.Rows[i], msa.Base(base))
		}
	}
	return tree, a
}

// How long are the branches? Where the root is does not matter to a reversible process, so that
// distances between species are what can be known.
func ExampleColumns_Fit() {
	ctx := context.Background()
	tree, a := apes()
	m, err := phylo.NewColumns(tree, phylo.JC69())
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, a, nil); err != nil {
		log.Fatal(err)
	}
	fitted := m.Tree()
	fmt.Printf("human to gorilla %.2f, to macaque %.2f\n", fitted.Distance(fitted.Node("human"), fitted.Node("gorilla")),
		fitted.Distance(fitted.Node("human"), fitted.Node("macaque")))
	// Output: human to gorilla 0.04, to macaque 0.17
}

// Which process? More parameters fit better; how much says the likelihood.
func ExampleLikelihood_LogProb() {
	tree, a := apes()
	for _, process := range []phylo.Process{phylo.JC69(), phylo.REV(a.Frequencies()), phylo.GeneralMarkov{}} {
		m, err := phylo.NewColumns(tree, process)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := m.Fit(context.Background(), a, &em.Options{Iterations: 30}); err != nil {
			log.Fatal(err)
		}
		l, err := m.Likelihood(a)
		if err != nil {
			log.Fatal(err)
		}
		nats, err := l.LogProb(context.Background(), m.Theta, 0)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%T: %.0f nats\n", process, nats)
	}
	// Output:
	// phylo.Reversible: -6438 nats
	// phylo.Reversible: -6436 nats
	// phylo.GeneralMarkov: -6426 nats
}

// A model in a file that PHAST reads, and back.
func ExampleColumns_SaveMod() {
	tree, _ := apes()
	m, err := phylo.NewColumns(tree, phylo.JC69())
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := m.SaveMod(&file); err != nil {
		log.Fatal(err)
	}
	name, _, _ := strings.Cut(file.String()[strings.Index(file.String(), "SUBST_MOD"):], "\n")
	fmt.Println(name)
	loaded, err := phylo.LoadMod(&file)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(loaded.Tree())
	// Output:
	// SUBST_MOD: JC69
	// ((human:0.02,gorilla:0.02)apes:0.03,macaque:0.1)all;
}

// Sequences remember: after C comes G here, so that of a hidden base behind a C more can be known
// than its column says.
func ExampleChain() {
	cells := func(text string) (row []msa.Cell) {
		for i := range len(text) {
			c, _ := msa.ParseCell(text[i])
			row = append(row, c)
		}
		return row
	}
	a := &msa.Alignment{Species: []string{"a", "b"}, Rows: [][]msa.Cell{cells("ACGTACGTACNTACGTACGT"), cells("ACGTACGTACGTACGTNCGT")}}
	chain, err := phylo.NewChain(1, em.Dirichlet{Alpha: 1.1}, a)
	if err != nil {
		log.Fatal(err)
	}
	data := phylo.ChainData{Alignment: a, Posterior: func(row, column int) [msa.NumBases]float64 {
		return [msa.NumBases]float64{.25, .25, .25, .25} // the columns do not know
	}}
	if _, err := chain.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	p, err := chain.Posteriors(context.Background(), data, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("behind AC: %.1f\n", p[0][10])
	// Output: behind AC: [0.0 0.0 1.0 0.0]
}

// Pairs of columns whose changes depend on the base to the left; bases drawn from the model.
func ExampleWindows_Sample() {
	tree, _ := apes()
	m, err := phylo.NewWindows(tree, em.Dirichlet{Alpha: 1.1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	a := m.Sample(10, rand.NewPCG(1, 1))
	fmt.Println(a.Species, a.Columns(), "columns,", m.Submodels(), "ways to cut them into pairs")
	// Output: [human gorilla macaque] 10 columns, 2 ways to cut them into pairs
}

// What the two ways of pairing say of a hidden base is averaged.
func ExampleAverage() {
	tree, a := apes()
	a.Rows[1][5] = msa.Missing // of the gorilla
	m, err := phylo.NewWindows(tree, em.Dirichlet{Alpha: 1.1}, nil)
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), a, &em.Options{Iterations: 3}); err != nil {
		log.Fatal(err)
	}
	likelihoods, err := m.Likelihoods(a)
	if err != nil {
		log.Fatal(err)
	}
	gorilla := tree.Node("gorilla")
	var both []*phylo.Posteriors
	for _, l := range likelihoods {
		p, err := l.Posteriors(context.Background(), m.Theta, []int{gorilla}, 0)
		if err != nil {
			log.Fatal(err)
		}
		both = append(both, p)
	}
	human, _ := a.Rows[0][5].Observed()
	fmt.Printf("as the human's: %.1f\n", phylo.Average(both, gorilla, 5)[human])
	// Output: as the human's: 1.0
}
