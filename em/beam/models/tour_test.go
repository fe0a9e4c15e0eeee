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

// must is the check of errors that the README leaves out.
func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}

// The last step of the README's tour, which compares it with this text.
func Example_tour() {
	ctx := context.Background()
	sentences := [][]string{{"D", "N", "V"}, {"N", "V", "D", "N"}, {"D", "N", "V", "N"}}
	dir, _ := exampleText(sentences)
	defer os.RemoveAll(dir)

	// 11. On a cluster a job takes the place of the likelihood; the bits are those of one process.
	model := must(grammar.New(grammar.Product, sentences, nil))
	var saved bytes.Buffer
	if err := model.Save(&saved); err != nil {
		log.Fatal(err)
	}
	text := must(beam.Survey(ctx, dir, nil, dir+"/tags"))
	job := beam.Job{Model: models.Grammar, Saved: saved.Bytes(), Dir: dir, Shards: text.Cut(em.NewCut(text.Lines()))}
	likelihood := must(beam.New(ctx, job))
	defer likelihood.Close()
	result := must(em.FitFrom(ctx, likelihood, &model.Theta, &em.Options{Iterations: 3}))
	fmt.Printf("%d shards, %.2f nats\n", likelihood.Shards(), result.LogLikelihood)
	// Output: 3 shards, -208.23 nats
}
