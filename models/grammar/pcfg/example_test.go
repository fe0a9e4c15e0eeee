package pcfg_test

import (
	"context"
	"fmt"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar/pcfg"
)

// Who has the telescope? Sentences without a doubt teach the grammar how often a
// prepositional phrase belongs to a noun.
func Example() {
	ctx := context.Background()
	rule := func(left, right string) pcfg.Rule {
		return pcfg.Rule{Left: left, Right: strings.Fields(right), Weight: 1}
	}
	rules := []pcfg.Rule{
		rule("S", "NP VP"), rule("NP", "NP PP"), rule("VP", "VP PP"), rule("VP", "V NP"), rule("PP", "P NP"),
		rule("NP", "I"), rule("NP", "men"), rule("NP", "telescopes"), rule("V", "saw"), rule("P", "with"),
	}
	g, err := pcfg.New("S", rules, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	sentence := strings.Fields("I saw men with telescopes")
	for range 2 {
		parser, err := g.Predictor()
		if err != nil {
			fmt.Println(err)
			return
		}
		tree, logp, err := parser.Best(sentence)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v %.1f nats\n", tree, logp)
		sentences := [][]string{sentence, strings.Fields("men with telescopes saw men"), strings.Fields("I saw men")}
		if _, err := g.Fit(ctx, pcfg.Data{Sentences: sentences}, nil); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// (S (NP I) (VP (VP (V saw) (NP men)) (PP (P with) (NP telescopes)))) -5.5 nats
	// (S (NP I) (VP (V saw) (NP (NP men) (PP (P with) (NP telescopes))))) -5.9 nats
}
