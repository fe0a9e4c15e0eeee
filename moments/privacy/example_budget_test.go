package privacy_test

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"example.org/pathsum/moments/privacy"
)

// question returns randomized response to a question of two answers, with a loss of ε = 1.
func question() *privacy.RandomizedResponse {
	m, err := privacy.NewRandomizedResponse(2, nil, 1)
	if err != nil {
		log.Fatal(err)
	}
	return m
}

// The same question three times to a person whose budget is 2.
func ExampleSpend() {
	ledger, err := privacy.NewLedger[string](2)
	if err != nil {
		log.Fatal(err)
	}
	for range 3 {
		_, err := privacy.Spend(ledger, "Ada", question(), 1, nil)
		fmt.Printf("spent %.1f, refused: %t\n", ledger.Spent("Ada"), errors.Is(err, privacy.ErrBudget))
	}
	// Output:
	// spent 1.0, refused: false
	// spent 2.0, refused: false
	// spent 2.0, refused: true
}

// A ledger in a file knows what was spent before the program was started.
func ExampleOpenLedger() {
	dir, err := os.MkdirTemp("", "ledger")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for range 2 {
		ledger, err := privacy.OpenLedger(filepath.Join(dir, "spent"), 5)
		if err != nil {
			log.Fatal(err)
		}
		if _, err := privacy.Spend(ledger, "Ada", question(), 1, nil); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f of 5\n", ledger.Spent("Ada"))
		if err := ledger.Close(); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 1.0 of 5
	// 2.0 of 5
}

// Two ledgers of one study: Ada is in both, Ben in one. What Ada has lost is the sum.
func ExampleComposed() {
	first, err := privacy.NewLedger[string](5)
	if err != nil {
		log.Fatal(err)
	}
	second, err := privacy.NewLedger[string](5)
	if err != nil {
		log.Fatal(err)
	}
	for _, entry := range []struct {
		ledger *privacy.Ledger[string]
		person string
	}{{first, "Ada"}, {first, "Ben"}, {second, "Ada"}} {
		if _, err := privacy.Spend(entry.ledger, entry.person, question(), 0, nil); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("%.1f %.1f\n", first.Loss(), privacy.Composed(first, second))
	fmt.Printf("%.1f %.1f\n", privacy.Parallel(1, 1, 2), privacy.Sequential(1, 1, 2))
	// Output:
	// 1.0 2.0
	// 2.0 4.0
}

// How much does a record tell? The loss by a formula, and from all outcomes.
func ExampleEnumeratedLoss() {
	m := question()
	loss, err := privacy.EnumeratedLoss(m, []int{0, 1})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("the answer itself with probability %.3f; ε = %.3f, %.3f\n", m.Keep(), m.Loss(), loss)
	// Output: the answer itself with probability 0.462; ε = 1.000, 1.000
}

// Where several places count records, their tallies are merged. A quarter says yes.
func ExampleTally_Merge() {
	var all privacy.Tally
	m, source := question(), privacy.NotPrivate(rand.NewPCG(1, 2)) // only here: otherwise nil
	for range 4 {
		var here privacy.Tally
		for i := range 5000 {
			r, err := m.Release(min(1, i%4), source)
			if err != nil {
				log.Fatal(err)
			}
			if err := here.Add(r); err != nil {
				log.Fatal(err)
			}
		}
		if err := all.Merge(&here); err != nil {
			log.Fatal(err)
		}
	}
	e, err := all.Estimate()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d records: %.2f ± %.2f\n", e.Records, e.Mean[0], e.StdErr[0])
	// Output: 20000 records: 0.25 ± 0.01
}
