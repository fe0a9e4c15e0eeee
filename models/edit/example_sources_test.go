package edit_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/semiring"
)

// Words are heard, and nobody says which words they were: each is one of a dictionary. From
// that alone it is learnt that c sounds as s before e and i, and as k elsewhere.
func ExampleContextual_Fit_sources() {
	letters := fst.NewSymbols()
	spell := func(word string) []int32 {
		var s []int32
		for _, r := range word {
			s = append(s, letters.Add(string(r)))
		}
		return s
	}
	var words []edit.Pair // of which the contexts are counted
	var dictionary []fst.Path[semiring.ScaledFloat]
	for _, w := range []string{"cent", "cello", "cider", "cinema", "face", "race", "pencil", "recipe",
		"cat", "cold", "cut", "coma", "cart", "local", "focus", "record", "arcade", "bacon"} {
		s := spell(w)
		words = append(words, edit.Pair{Source: s})
		dictionary = append(dictionary, fst.Path[semiring.ScaledFloat]{In: s, Out: s, Weight: semiring.NewScaled(1)})
	}
	any, err := fst.Expand(fst.StringMap(semiring.Scaled{}, dictionary), nil)
	if err != nil {
		log.Fatal(err)
	}
	var heard []edit.Pair
	for _, w := range []string{"sent", "sello", "sider", "sinema", "fase", "rase", "pensil", "resipe",
		"kat", "kold", "kut", "koma", "kart", "lokal", "fokus", "rekord", "arkade", "bakon"} {
		heard = append(heard, edit.Pair{Sources: any, Target: spell(w)})
	}
	var alphabet []int32
	for l := range int32(letters.Len() - 1) {
		alphabet = append(alphabet, l+1) // 0 is ε
	}
	m, err := edit.NewContextual(alphabet, words, &edit.ContextOptions{Windows: []edit.Window{{}, {Left: 0, Right: 1}}, Least: 2, Prior: 1})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(context.Background(), heard, &em.Options{Iterations: 20}); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range [][2]string{{"ice", "ise"}, {"ice", "ike"}, {"cod", "kod"}, {"cod", "sod"}} {
		lp, err := p.LogProb(spell(c[0]), spell(c[1]))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s as %s: %.1f nats\n", c[0], c[1], lp)
	}
	// Output:
	// ice as ise: -0.2 nats
	// ice as ike: -2.3 nats
	// cod as kod: -0.2 nats
	// cod as sod: -2.5 nats
}
