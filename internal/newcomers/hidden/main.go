// Command hidden learns words, their spelling and their typing errors from typed texts alone.
package main

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring"
)

func main() {
	ring := semiring.Real{}
	pair := func(in, out string, w float64) fst.Path[float64] {
		return fst.Path[float64]{In: fst.RuneLabels(in), Out: fst.RuneLabels(out), Weight: w}
	}
	// The words as sounds, in which K and F are sounds.
	words := fst.StringMap(ring, []fst.Path[float64]{
		pair("KAT", "KAT", 1), pair("FAT", "FAT", 1), pair("AFT", "AFT", 1),
	})
	// Their spelling: two ways to write K and F each. Conditional does not accept the ε of Star.
	spelling := fst.RemoveEpsilon(fst.Star(fst.StringMap(ring, []fst.Path[float64]{
		pair("A", "a", 1), pair("T", "t", 1),
		pair("K", "c", .6), pair("K", "k", .4), pair("F", "f", .6), pair("F", "ph", .4),
	})))
	// Typing: a key may be missed.
	var keys []fst.Arc[float64]
	for _, key := range "acfhkpt" {
		keys = append(keys, fst.Arc[float64]{In: key, Out: key, Weight: .9},
			fst.Arc[float64]{In: key, Out: fst.Epsilon, Weight: .1})
	}
	typist := fst.OneState(ring, 1, keys...)

	params := em.NewParams()
	problem := cascade.Problem{Params: params, Stages: []cascade.Stage{
		cascade.Joint(params, "words", words, em.Multinomial{}),
		cascade.Conditional(params, "spelling", spelling, em.Multinomial{}),
		cascade.Conditional(params, "typist", typist, em.Dirichlet{Alpha: 2}),
	}}
	typed := cascade.Outputs("cat", "cat", "kat", "phat", "fat", "aft", "ct", "pat", "ca", "fa", "cat", "kt")
	result, err := problem.Fit(context.Background(), typed, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.2f nats\n", result.Status, result.LogLikelihood)

	model := channel.New(params, problem.Stages...)
	model.Theta = result.Theta
	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"kt", "phat", "at", "af"} {
		query := channel.Query{Target: fst.RuneLabels(text)}
		fmt.Printf("%-5s", text)
		for _, side := range []channel.Side{channel.Between(1), channel.Between(2)} {
			best, err := predictor.Posteriors(query, side, 2)
			if err != nil {
				log.Fatal(err)
			}
			for _, c := range best {
				fmt.Printf(" %s %.2f", c.Text(), c.Prob())
			}
			fmt.Print(";")
		}
		fmt.Println()
	}
}
