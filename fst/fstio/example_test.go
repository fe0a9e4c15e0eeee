package fstio_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// Two machines in text form, composed, and the cheapest path of the result.
func Example() {
	ring := semiring.Tropical{}
	letters := fst.NewSymbols("a", "b", "c")
	options := &fstio.Options{In: letters, Out: letters}
	first, err := fstio.ReadText(strings.NewReader(`
0 1 a b 0.5
0 1 a c 1
1
`), ring, options)
	if err != nil {
		log.Fatal(err)
	}
	second, err := fstio.ReadText(strings.NewReader(`
0 1 b a 2
0 1 c b 1
1 0.25
`), ring, options)
	if err != nil {
		log.Fatal(err)
	}
	c, err := fst.Compose(first, second)
	if err != nil {
		log.Fatal(err)
	}
	f, err := fst.Expand(c, 0)
	if err != nil {
		log.Fatal(err)
	}
	cost, err := graph.PathSum(f.Graph())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("cost", cost)
	if err := fstio.WriteText(os.Stdout, f, nil); err != nil {
		log.Fatal(err)
	}
	// Output:
	// cost 2.25
	// 0	1	a	a	2.5
	// 0	1	a	b	2
	// 1	0.25
}

// A lexicon of spellings, and those of the sounds of a word, the cheapest first.
func ExampleReadStringMap() {
	ring := semiring.Tropical{}
	lexicon, err := fstio.ReadStringMap(strings.NewReader("nait\tnight\t1\nnait\tknight\t2.5\nbrait\tbright\n"), ring, nil)
	if err != nil {
		log.Fatal(err)
	}
	for p, err := range fst.Apply(lexicon, fst.RuneLabels("nait"), 0) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(string(p.Out), p.Weight)
	}
	// Output:
	// night 1
	// knight 2.5
}
