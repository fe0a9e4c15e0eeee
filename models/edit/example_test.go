package edit_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/edit"
)

// Which letters are misspelt as which is learnt from misspelt words alone.
func Example() {
	ctx := context.Background()
	letters := fst.NewSymbols()
	spell := func(word string) []int32 {
		var s []int32
		for _, r := range word {
			s = append(s, letters.Add(string(r)))
		}
		return s
	}
	var data []em.Example
	for _, p := range [][2]string{{"fone", "phone"}, {"fish", "fish"}, {"graf", "graph"}, {"rong", "wrong"}, {"ring", "ring"}} {
		data = append(data, em.Example{X: em.Labels(spell(p[0])...), Y: em.Labels(spell(p[1])...)})
	}
	var alphabet []int32
	for l := range int32(letters.Len() - 1) {
		alphabet = append(alphabet, l+1) // 0 is ε
	}
	m, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, em.Data{Examples: data}, nil); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	x, y := spell("gif"), spell("giph")
	edits, logp, err := p.Best(x, y)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range edits {
		in, _ := letters.Name(e.Source)
		out, _ := letters.Name(e.Target)
		fmt.Printf("%s:%s ", in, out)
	}
	fmt.Printf("%.1f nats\n", logp)
	// Output: g:g i:i f:p <eps>:h -3.7 nats
}
