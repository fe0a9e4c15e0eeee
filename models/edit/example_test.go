package edit_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/edit"
)

// Which letters are misspelt as which is learnt from misspelt words alone.
func Example() {
	ctx := context.Background()
	misspelt := [][2]string{{"fone", "phone"}, {"fish", "fish"}, {"graf", "graph"}, {"rong", "wrong"}, {"ring", "ring"}}
	alphabet := []rune("aefghinoprsw")
	m, err := edit.NewConditional(alphabet, alphabet, em.Dirichlet{Alpha: 1.01})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := m.Fit(ctx, cascade.Pairs(misspelt), nil); err != nil {
		log.Fatal(err)
	}
	p, err := m.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	best, err := p.Best([]rune("gif"), []rune("giph"))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range best.Edits {
		fmt.Printf("%c:%c ", max(e.Source, '_'), max(e.Target, '_'))
	}
	fmt.Printf("%.1f nats\n", best.LogProb)
	// Output: g:g i:i f:p _:h -3.7 nats
}
