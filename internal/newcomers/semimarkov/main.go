// Command semimarkov trains a model of weather that keeps for some days, and finds its spells.
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

// truth is what the diary is drawn from: how long a kind of weather keeps, in days, what is
// noted, and what follows, the last of which is the end of the diary.
var truth = struct{ days, note, next [][]float64 }{
	days: [][]float64{{0, .1, .2, .3, .4}, {.3, .5, .2, 0, 0}, {.7, .2, .1, 0, 0}},
	note: [][]float64{{.7, .2, .1, 0}, {.1, .2, .6, .1}, {0, .3, .1, .6}},
	next: [][]float64{{0, .7, .2, .1}, {.6, 0, .3, .1}, {.5, .4, 0, .1}},
}

// draw returns the number of an outcome.
func draw(rng *rand.Rand, p []float64) int {
	x := rng.Float64()
	for i, q := range p {
		if x -= q; x < 0 {
			return i
		}
	}
	return len(p) - 1
}

// diary draws a diary: the kinds of its spells, and for each day the weather and a note.
func diary(rng *rand.Rand) (spells, weather, noted string) {
	for k := rng.IntN(len(kinds)); k < len(kinds); k = draw(rng, truth.next[k]) {
		spells += kinds[k : k+1]
		for range 1 + draw(rng, truth.days[k]) {
			weather += kinds[k : k+1]
			note := draw(rng, truth.note[k])
			noted += notes[note : note+1]
		}
	}
	return spells, weather, noted
}

// spellMachine accepts sequences of kinds of weather, no two alike next to each other.
func spellMachine(ring semiring.Real) fst.Machine[float64] {
	arcs, final := make([][]fst.Arc[float64], 1+len(kinds)), map[int32]float64{}
	for from := range arcs {
		for k, kind := range kinds {
			if from != 1+k {
				arcs[from] = append(arcs[from], fst.Arc[float64]{In: kind, Out: kind, To: int32(1 + k), Weight: 1})
			}
		}
		if from > 0 {
			final[int32(from)] = 1
		}
	}
	return fst.FromArcs(ring, final, arcs...)
}

// dayMachine reads a spell and writes its kind for each day of it.
func dayMachine(ring semiring.Real) fst.Machine[float64] {
	arcs := make([][]fst.Arc[float64], 1+len(kinds)*(longest-1))
	for k, kind := range kinds {
		to := int32(0) // the state before n more days
		arcs[0] = append(arcs[0], fst.Arc[float64]{In: kind, Out: kind, To: to, Weight: 1})
		for n := range longest - 1 {
			left := int32(1 + k*(longest-1) + n)
			arcs[left] = []fst.Arc[float64]{{In: fst.Epsilon, Out: kind, To: to, Weight: 1}}
			arcs[0] = append(arcs[0], fst.Arc[float64]{In: kind, Out: kind, To: left, Weight: 1})
			to = left
		}
	}
	return fst.FromArcs(ring, map[int32]float64{0: 1}, arcs...)
}

// noteMachine reads the kind of a day and writes a note.
func noteMachine(ring semiring.Real) fst.Machine[float64] {
	var arcs []fst.Arc[float64]
	for _, kind := range kinds {
		for _, note := range notes {
			arcs = append(arcs, fst.Arc[float64]{In: kind, Out: note, Weight: 1})
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

	// Of a few diaries somebody knows the spells, not how long each was.
	rng := rand.New(rand.NewPCG(1, 2))
	var known [][2]string
	var noted, weather []string
	for i := range 400 {
		spells, days, text := diary(rng)
		if i < 40 {
			known = append(known, [2]string{spells, text})
			continue
		}
		noted, weather = append(noted, text), append(weather, days)
	}
	data := cascade.Outputs(noted...)
	data.Examples = append(data.Examples, cascade.Pairs(known).Examples...)
	result, err := model.Fit(ctx, data, &em.Options{Iterations: 1000})
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
			fmt.Printf(" %.2f (%.1f)", p, truth.days[k][n])
		}
		fmt.Println()
	}

	// The weather of each day, all spells and days together.
	predictor, err := model.Predictor(nil)
	if err != nil {
		log.Fatal(err)
	}
	right, total := 0, 0
	for i, text := range noted {
		best, err := predictor.Derivations(channel.Query{Target: fst.RuneLabels(text)}, 1)
		if err != nil {
			log.Fatal(err)
		}
		found := string(best[0].Hidden[1])
		for day := range weather[i] {
			total++
			if found[day] == weather[i][day] {
				right++
			}
		}
		if i < 3 {
			fmt.Printf("%s\n%s found\n%s true\n", text, found, weather[i])
		}
	}
	fmt.Printf("%.1f%% of %d days are right\n", 100*float64(right)/float64(total), total)
}
