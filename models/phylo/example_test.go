package phylo_test

import (
	"context"
	"fmt"
	"log"
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
