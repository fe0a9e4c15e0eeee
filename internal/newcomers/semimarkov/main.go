// Command semimarkov trains a model of weather that lasts for some days, and finds its spells.
package main

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/semiring"
)

// The kinds of weather, which is hidden, and the notes that a diary has for each day.
const (
	kinds   = "SRF" // sun, rain, fog
	notes   = "owdg"
	longest = 5
)

// The true model, from which diaries are drawn: distributions of the days of a kind of weather, of
// the notes for a day, and of the next kind; its last entry is the end of the diary.
var (
	dayTruth  = [][]float64{{.04, .06, .2, .3, .4}, {.3, .5, .1, .05, .05}, {.6, .2, .1, .05, .05}}
	noteTruth = [][]float64{{.7, .2, .05, .05}, {.1, .2, .6, .1}, {.05, .25, .1, .6}}
	nextTruth = [][]float64{{0, .7, .2, .1}, {.6, 0, .3, .1}, {.5, .4, 0, .1}}
)

// spellMachine accepts sequences of kinds of weather, no two alike next to each other.
func spellMachine(ring semiring.Real) fst.Machine[float64] {
	arcs, final := make([][]fst.Arc[float64], 1+len(kinds)), map[int32]float64{}
	for from := range arcs {
		for k, kind := range kinds {
			if from != 1+k {
				next := fst.Arc[float64]{In: kind, Out: kind, To: int32(1 + k), Weight: 1}
				if from > 0 {
					next.Weight, final[int32(from)] = nextTruth[from-1][k], nextTruth[from-1][len(kinds)]
				}
				arcs[from] = append(arcs[from], next)
			}
		}
	}
	return fst.FromArcs(ring, final, arcs...)
}

// dayMachine reads a spell and writes its kind for each day of it.
func dayMachine(ring semiring.Real) fst.Machine[float64] {
	arcs := make([][]fst.Arc[float64], 1+len(kinds)*(longest-1))
	for k, kind := range kinds {
		to := int32(0) // the state before n more days
		arcs[0] = append(arcs[0], fst.Arc[float64]{In: kind, Out: kind, To: to, Weight: dayTruth[k][0]})
		for n := range longest - 1 {
			left := int32(1 + k*(longest-1) + n)
			arcs[left] = []fst.Arc[float64]{{In: fst.Epsilon, Out: kind, To: to, Weight: 1}}
			arcs[0] = append(arcs[0], fst.Arc[float64]{In: kind, Out: kind, To: left, Weight: dayTruth[k][n+1]})
			to = left
		}
	}
	return fst.FromArcs(ring, map[int32]float64{0: 1}, arcs...)
}

// noteMachine reads the kind of a day and writes a note.
func noteMachine(ring semiring.Real) fst.Machine[float64] {
	var arcs []fst.Arc[float64]
	for k, kind := range kinds {
		for i, note := range notes {
			arcs = append(arcs, fst.Arc[float64]{In: kind, Out: note, Weight: noteTruth[k][i]})
		}
	}
	return fst.OneState(ring, 1, arcs...)
}

func main() {
	ctx, ring := context.Background(), semiring.Real{}
	params, law := em.NewParams(), em.Dirichlet{Alpha: 1.1}
	keeps := cascade.Conditional(params, "days", dayMachine(ring), law)
	model := channel.New(params,
		cascade.Joint(params, "spells", spellMachine(ring), law),
		keeps,
		cascade.Conditional(params, "notes", noteMachine(ring), law))

	nature, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	diaries, err := nature.Sample(channel.Query{}, 400, rand.NewPCG(1, 2))
	if err != nil {
		log.Fatal(err)
	}

	// A few diaries are labelled with their spells, without lengths. The best of five starts counts.
	var data cascade.Data
	for i, d := range diaries {
		x := cascade.Example{Y: cascade.Labels(d.Target...)}
		if i < 100 {
			x.X = cascade.Labels(d.Source...)
		}
		data.Examples = append(data.Examples, x)
	}
	rng := rand.NewPCG(3, 4)
	random := &em.Options{Start: params.Random(rng), Restarts: 4, Rand: rng, Iterations: 300}
	result, err := model.Fit(ctx, data, random)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.1f nats\n", result.Status, result.LogLikelihood)

	trained, err := cascade.Instantiate(params, keeps, model.Theta, ring)
	if err != nil {
		log.Fatal(err)
	}
	for k, kind := range kinds {
		fmt.Printf("%c lasts", kind)
		for n := range longest {
			stay := fst.RuneLabels(strings.Repeat(string(kind), n+1))
			p, err := fst.Weight(trained, stay[:1], stay, nil)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %.2f (%.2f)", p, dayTruth[k][n])
		}
		fmt.Println()
	}

	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range diaries[100:103] {
		fmt.Printf("%s\n%s found\n%s true\n", string(d.Target), days(predictor, d), string(d.Hidden[1]))
	}
	fmt.Printf("%.1f%% of days are right, and %.1f%% by the truth\n",
		share(predictor, diaries[100:]), share(nature, diaries[100:]))
}

// days returns the kind of each day, of the best spells and days together.
func days(p *channel.Predictor, d channel.Derivation) string {
	best, err := p.Derivations(channel.Query{Target: d.Target}, 1)
	if err != nil {
		log.Fatal(err)
	}
	return string(best[0].Hidden[1])
}

// share returns the percentage of days that are found.
func share(p *channel.Predictor, diaries []channel.Derivation) float64 {
	right, total := 0., 0.
	for _, d := range diaries {
		for day, kind := range days(p, d) {
			total++
			if kind == d.Hidden[1][day] {
				right++
			}
		}
	}
	return 100 * right / total
}
