package pcfg_test

import (
	"fmt"
	"log"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar/pcfg"
)

// Sums of ones: S becomes S + S or 1, with equal probability. “1 + 1 + 1” has two derivations of
// the probability (1/2)⁵, and in half of them the first two are a sum by themselves.
func ExamplePredictor_Posteriors() {
	g, err := pcfg.New("S", []pcfg.Rule{
		{Left: "S", Right: []string{"S", "T"}, Weight: 1}, {Left: "S", Right: []string{"1"}, Weight: 1},
		{Left: "T", Right: []string{"+", "S"}, Weight: 1},
	}, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	parser, err := g.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	words := strings.Fields("1 + 1 + 1")
	logp, err := parser.LogProb(words)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("1/%.0f\n", math.Exp(-logp))
	constituents, err := parser.Posteriors(words)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range constituents {
		if c.Symbol == "S" && c.J-c.I > 1 {
			fmt.Printf("%s %v %.1f\n", c.Symbol, c.Span, c.P)
		}
	}
	// Output:
	// 1/16
	// S 0-3 0.5
	// S 2-5 0.5
	// S 0-5 1.0
}
