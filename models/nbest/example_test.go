package nbest_test

import (
	"fmt"
	"log"
	"math"

	"example.org/pathsum/models/nbest"
)

// The best guess of a word is the most probable candidate, unless what counts is how many
// letters are wrong.
func Example() {
	var list []nbest.Candidate
	for _, c := range []struct {
		word string
		p    float64
	}{{"catch", .4}, {"bark", .35}, {"dark", .25}} {
		list = append(list, nbest.Candidate{Labels: []rune(c.word), LogProb: math.Log(c.p)})
	}
	risks, err := nbest.MinimumRisk(list, nbest.EditDistance)
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range risks {
		fmt.Printf("%s: expected distance %.2f\n", r.Text(), r.Loss)
	}
	// Output:
	// bark: expected distance 1.85
	// dark: expected distance 1.95
	// catch: expected distance 2.40
}
