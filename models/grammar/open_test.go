package grammar

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/trials"
)

// TestOpen: an open model gives sentences with unknown tags, and such as training found
// impossible, the probabilities that enumeration gives them. Its parameters are mixtures.
func TestOpen(t *testing.T) {
	const share = .125
	for seed := range trials.Seeds(trials.Serial(uint64(5))) {
		r := rand.New(rand.NewPCG(seed, 0))
		for _, k := range kinds {
			closed := newTestModel(t, k, randomSentences(r, 3, 2, 5), nil)
			closed.Theta = closed.Params.Random(r)
			if k.hasHeads() { // never a root, never without an argument
				copy(closed.dmv.root.In(closed.Theta), make([]float64, len(closed.tags.names)))
				closed.dmv.root.In(closed.Theta)[0] = 1
				copy(closed.dmv.choices[0][0][1].In(closed.Theta), []float64{0, 1})
			}
			m, err := closed.Open(share)
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Params.Check(m.Theta); err != nil {
				t.Fatal(err)
			}
			for _, s := range [][]string{{"Z"}, {"A", "Z"}, {"Z", "Y", "A"}, {"B", "A", "C", "B"}} {
				if len(s) > 1 || k == DMV {
					checkParses(t, m, s)
				}
			}
			if k.hasHeads() {
				checkMixtures(t, closed, m, share)
			}
			var file bytes.Buffer
			if err := m.Save(&file); err != nil {
				t.Fatal(err)
			}
			again, err := Load(&file)
			if err != nil {
				t.Fatal(err)
			}
			checkParses(t, again, []string{"Z", "A"})
			if t.Failed() {
				t.Fatalf("seed %d: %v", seed, k)
			}
		}
	}
}

// checkMixtures compares the DMV's parameters by tag with those of the closed model.
func checkMixtures(t *testing.T, closed, open *Model, share float64) {
	t.Helper()
	names := closed.tags.names
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %g, want %g", what, got, want)
		}
	}
	n := float64(len(names) + 1)
	for i := range names {
		near("root", open.dmv.root.In(open.Theta)[i], (1-share)*closed.dmv.root.In(closed.Theta)[i]+share/n)
	}
	near("root of an unknown tag", open.dmv.root.In(open.Theta)[len(names)], share/n)
	for side := range 2 {
		for a := range names {
			mean := 0.0
			for h := range names {
				got := open.dmv.arguments[h][side].In(open.Theta)[a]
				near("argument", got, (1-share)*closed.dmv.arguments[h][side].In(closed.Theta)[a]+share/n)
				mean += got / float64(len(names))
			}
			near("argument of an unknown tag", open.dmv.arguments[len(names)][side].In(open.Theta)[a], mean)
		}
		for v := range 2 {
			mean := 0.0
			for h := range names {
				got := open.dmv.choices[h][side][v].In(open.Theta)[stopping]
				near("stop", got, (1-share)*closed.dmv.choices[h][side][v].In(closed.Theta)[stopping]+share/2)
				mean += got / float64(len(names))
			}
			near("stop of an unknown tag", open.dmv.choices[len(names)][side][v].In(open.Theta)[stopping], mean)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	m := newTestModel(t, DMV, [][]string{{"A", "B"}}, nil)
	for _, share := range []float64{0, 1, -.5, math.NaN()} {
		if _, err := m.Open(share); !errors.Is(err, ErrInvalid) {
			t.Errorf("share %v: %v", share, err)
		}
	}
	open, err := m.Open(.5)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open.Open(.5); !errors.Is(err, ErrInvalid) {
		t.Errorf("open twice: %v", err)
	}
	m.Theta[0] = 7
	if _, err := m.Open(.5); !errors.Is(err, em.ErrParameter) {
		t.Errorf("no probability: %v", err)
	}
}
