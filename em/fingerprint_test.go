package em_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
)

// TestFingerprint: it depends on everything that determines the result of Fit, except for the
// random source and the limits, and on nothing else.
func TestFingerprint(t *testing.T) {
	of := func(law em.Law, o *em.Options) string {
		var b bytes.Buffer
		if err := em.Fingerprint(&b, bag(law), o); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	want := of(em.Multinomial{}, nil)
	for name, o := range map[string]*em.Options{
		"the defaults": {Temperature: 1, Method: em.EM{}},
		"the run":      {Workers: 3, Checkpoint: "file", Observer: func(em.Event) {}, Rand: rand.NewPCG(1, 1)},
		"limits":       {Iterations: 3, Tolerance: 1, ChooseEvery: 2},
	} {
		if of(em.Multinomial{}, o) != want {
			t.Errorf("%s make a difference", name)
		}
	}
	start := bag(em.Multinomial{}).Params().Start()
	start[0], start[1] = start[0]/2, start[1]+start[0]/2
	for name, o := range map[string]*em.Options{
		"a method":                {Method: em.Squarem{}},
		"an E step":               {EStep: em.Viterbi},
		"a temperature":           {Temperature: 2},
		"a start":                 {Start: start},
		"another start":           {Starts: [][]float64{start}},
		"restarts":                {Restarts: 1, Rand: rand.NewPCG(1, 1)},
		"pruning":                 {Prune: em.Prune{After: 3}},
		"settings of the pruning": {Prune: em.Prune{Keep: .25}},
	} {
		if of(em.Multinomial{}, o) == want {
			t.Errorf("%s makes no difference", name)
		}
	}
	if of(em.Dirichlet{Alpha: 2}, nil) == want {
		t.Error("a law makes no difference")
	}
	if err := em.Fingerprint(new(bytes.Buffer), bag(em.Multinomial{}), &em.Options{Tolerance: math.NaN()}); !errors.Is(err, em.ErrInvalid) {
		t.Errorf("bad options: error %v, want %v", err, em.ErrInvalid)
	}
}
