package hmm_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/em/agree"
	"example.org/pathsum/models/hmm"
)

// Two models observe the same chain, one by its left symbols and one by its right symbols, both
// noisy. Trained independently, they may even number the states differently. Trained to agree on
// the state at each position, by averages of their posteriors, they find the same chain.
func ExampleModel_Submodel() {
	truth, seen := halves(rand.New(rand.NewPCG(1, 2)))
	params := em.NewParams()
	var models [2]*hmm.Model[int32]
	var both []agree.Submodel
	var terms []em.Likelihood
	for h := range models {
		emission := must(hmm.NewDiscrete(params, fmt.Sprint("symbol ", h), 3, hmm.Each(2), em.Multinomial{}))
		models[h] = must(hmm.New(params, hmm.Topology{States: 2}, em.Multinomial{}, emission))
		both = append(both, must(models[h].Submodel(seen[h])))
		terms = append(terms, must(agree.Likelihood(em.Fail, both[h])))
	}
	start := params.Random(rand.NewPCG(3, 3))
	for _, m := range models { // states last
		for i := range 2 {
			row := m.Row(i).In(start)
			row[i], row[1-i] = .9, .1
		}
	}
	for name, training := range [2]em.Likelihood{must(agree.Independent(terms...)), must(agree.Averaged(em.Fail, both...))} {
		result := must(em.Fit(context.Background(), training, &em.Options{Start: start}))
		var right [2]int
		for i, chain := range truth {
			for h, m := range models {
				m.Theta = result.Theta
				best, _, _ := must(m.Predictor()).Best(seen[h][i])
				for t, state := range chain {
					if best[t] == state {
						right[h]++
					}
				}
			}
		}
		fmt.Printf("%-12s finds the true state at %d and %d of 1000 positions\n", []string{"independent", "averaged"}[name], right[0], right[1])
	}
	// Output:
	// independent  finds the true state at 49 and 957 of 1000 positions
	// averaged     finds the true state at 953 and 959 of 1000 positions
}

// halves returns 50 chains of 20 states, 0 and 1, and what is seen of them: the symbol 0 or
// 2 but for noise, twice.
func halves(rng *rand.Rand) (chains [][]int32, seen [2][]hmm.Sequence[int32]) {
	for range 50 {
		var chain []int32
		var half [2]hmm.Sequence[int32]
		for state := rng.Int32N(2); len(chain) < 20; {
			chain = append(chain, state)
			for h := range half {
				o := 2 * state
				if rng.IntN(5) == 0 {
					o = rng.Int32N(3)
				}
				half[h].Observations = append(half[h].Observations, o)
			}
			if rng.IntN(15) == 0 {
				state = 1 - state
			}
		}
		chains = append(chains, chain)
		for h := range half {
			seen[h] = append(seen[h], half[h])
		}
	}
	return chains, seen
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}
