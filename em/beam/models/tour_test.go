package models_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"

	"example.org/pathsum/em"
	"example.org/pathsum/em/beam"
	"example.org/pathsum/em/beam/models"
	"example.org/pathsum/models/grammar"
)

// The last step of the tour, on the page internal/readme/tour/README.md. A test compares the page with
// this code. The page leaves out the checks of errors.
func Example_tour() {
	ctx := context.Background()
	sentences := [][]string{{"D", "N", "V"}, {"N", "V", "D", "N"}, {"D", "N", "V", "N"}}
	dir, _ := exampleText(sentences)
	defer os.RemoveAll(dir)

	// 11. On a cluster a job takes the place of the likelihood; the bits are those of one process.
	model, err := grammar.New(grammar.Product, sentences, nil)
	if err != nil {
		log.Fatal(err)
	}
	var saved bytes.Buffer
	err = model.Save(&saved)
	if err != nil {
		log.Fatal(err)
	}
	text, err := beam.Survey(ctx, dir, nil, dir+"/tags")
	if err != nil {
		log.Fatal(err)
	}
	job := beam.Job{Model: models.Grammar, Saved: saved.Bytes(), Dir: dir, Shards: text.Cut(em.NewCut(text.Lines()))}
	likelihood, err := beam.New(ctx, job)
	if err != nil {
		log.Fatal(err)
	}
	defer likelihood.Close()
	result, err := em.FitFrom(ctx, likelihood, &model.Theta, &em.Options{Iterations: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d shards, %.2f nats\n", likelihood.Shards(), result.LogLikelihood)
	// Output: 3 shards, -208.23 nats
}
