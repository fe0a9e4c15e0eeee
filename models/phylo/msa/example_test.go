package msa_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/models/phylo/msa"
)

// text returns a row as symbols; a gap is unknown, N.
func text(row []msa.Cell) string {
	var b strings.Builder
	for _, c := range row {
		b.WriteByte(c.Symbol())
	}
	return b.String()
}

// Two species. What is known of the first base of one, and of a base of the other that is a
// purine (R: A or G)?
func Example() {
	file := strings.NewReader(">human\nACGT\n>chimp\nACRT\n")
	a, err := msa.ReadFASTA(file, "apes.fa")
	if err != nil {
		log.Fatal(err)
	}
	base, ok := a.Rows[a.Row("human")][0].Observed()
	fmt.Printf("%c %t\n", msa.Bases[base], ok)
	purine := a.Rows[a.Row("chimp")][2]
	for b := range msa.NumBases {
		fmt.Printf("%c %t\n", msa.Bases[b], purine.Has(b))
	}
	// Output:
	// A true
	// A true
	// C false
	// G true
	// T false
}

// Blocks of a genome's alignment. The second goes on where the first left off, so that both are
// one run; species that a block lacks are missing there.
func ExampleReadMAF() {
	const blocks = `##maf version=1
a score=10
s hg18.chr1 100 4 + 1000 ACGT
s mm9.chr3  900 3 - 2000 AC-T

a
s hg18.chr1 104 2 + 1000 GG
s canFam2.chr9 5 2 + 700 NG
`
	a, err := msa.ReadMAF(strings.NewReader(blocks), "small.maf")
	if err != nil {
		log.Fatal(err)
	}
	for i, species := range a.Species {
		fmt.Println(species, text(a.Rows[i]))
	}
	fmt.Println(a.Runs(), "run")
	_, err = msa.ReadMAF(strings.NewReader(strings.Replace(blocks, "AC-T", "AC-", 1)), "small.maf")
	fmt.Println(err)
	// Output:
	// hg18 ACGTGG
	// mm9 ACNTNN
	// canFam2 NNNNNG
	// 1 run
	// small.maf:4: bad format: 3 symbols of "mm9", 4 in the first row of the block
}

// Columns that are alike are stored once, with their number: what PHAST writes without the order
// of the columns.
func ExampleReadSS() {
	const statistics = "NSEQS = 2\nLENGTH = 10\nTUPLE_SIZE = 1\nNTUPLES = 2\nNAMES = human,chimp\n" +
		"ALPHABET = ACGT\nNCATS = -1\n\n0\tAA\t7\n1\tCT\t3\n"
	a, err := msa.ReadSS(strings.NewReader(statistics), "apes.ss")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.Columns(), "columns; the first", a.Weight(0), "times")
	fmt.Printf("A %.2f\n", a.Frequencies()[0])
	// Output:
	// 2 columns; the first 7 times
	// A 0.70
}
