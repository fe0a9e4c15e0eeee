package main

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/models/edit"
)

// Learn from misspelt words alone which letters stand for which.
func main() {
	data := cascade.Pairs([][2]string{{"fone", "phone"}, {"fish", "fish"}, {"graf", "graph"}, {"rong", "wrong"}, {"ring", "ring"}})
	letters := []rune("abcdefghijklmnopqrstuvwxyz")
	model, err := edit.NewJoint(letters, letters, em.Multinomial{})
	if err != nil {
		log.Fatal(err)
	}
	// EM: sums over all ways to edit.
	result, err := model.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	predictor, err := model.Predictor()
	if err != nil {
		log.Fatal(err)
	}
	best, err := predictor.Best([]rune("grif"), []rune("griph"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f nats;", result.LogLikelihood)
	for _, e := range best.Edits {
		fmt.Printf(" %q:%q", max(e.Source, ' '), max(e.Target, ' ')) // 0 is ε
	}
	fmt.Println()
}
