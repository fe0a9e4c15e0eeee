package keyboard_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/keyboard"
	"example.org/pathsum/models/edit"
	"example.org/pathsum/models/nbest"
)

// TestDistance: adjacent keys are neighbours.
func TestDistance(t *testing.T) {
	near := map[rune]string{'a': "qwsz", 'g': "fhtyvb", 'p': "ol", 'm': "njk"}
	for c, want := range near {
		var got []rune
		for d := 'a'; d <= 'z'; d++ {
			if d != c && keyboard.Distance(c, d) < keyboard.Neighbours {
				got = append(got, d)
			}
		}
		w := []rune(want)
		slices.Sort(w)
		if string(got) != string(w) {
			t.Errorf("neighbours of %c: %q, want %q", c, string(got), string(w))
		}
	}
	if !math.IsInf(keyboard.Distance('a', 'é'), 1) || keyboard.Typed("é") || !keyboard.Typed("ea") {
		t.Error("é has a key, or e and a have none")
	}
}

// TestSlip: a slip is one edit or a transposition of neighbours, and half of the slips may hit
// distant keys.
func TestSlip(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 0))
	far, words := [2]int{}, []string{"cat", "four", "ee", "quiz"}
	for i := range 1200 {
		w := words[i/2%len(words)]
		m := keyboard.Slip(rng, w, i)
		d, err := nbest.EditDistance([]rune(w), []rune(m))
		if err != nil || d != 1 && !swapped(w, m) {
			t.Fatalf("%s becomes %s: %g edits, %v", w, m, d, err)
		}
		for k := range w {
			if len(m) == len(w) && d == 1 && w[k] != m[k] && keyboard.Distance(rune(w[k]), rune(m[k])) >= keyboard.Neighbours {
				far[i%2]++
			}
		}
	}
	if far[0] > 0 || far[1] < 60 {
		t.Errorf("%d and %d letters became ones far away", far[0], far[1])
	}
}

// swapped reports whether two neighbours are transposed.
func swapped(x, y string) bool {
	for i := range len(x) - 1 {
		b := []byte(x)
		if b[i], b[i+1] = b[i+1], b[i]; string(b) == y {
			return true
		}
	}
	return false
}

// TestFeatures: edits of similar keys have the same features.
func TestFeatures(t *testing.T) {
	letters := fst.NewSymbols()
	label := func(c string) int32 { return letters.Add(c) }
	features := keyboard.Features(letters)
	for _, c := range []struct {
		from, to string
		want     []string
	}{
		{"a", "s", []string{"replaced", "neighbours"}},
		{"a", "e", []string{"replaced", "near", "vowels"}},
		{"a", "é", []string{"replaced", "no letter"}},
		{"a", "l", []string{"replaced"}},
		{"a", "a", []string{"kept"}},
	} {
		var got []string
		for _, f := range features(edit.Edit{Source: label(c.from), Target: label(c.to)}) {
			got = append(got, f.Name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s for %s: %v, want %v", c.to, c.from, got, c.want)
		}
	}
	if got := features(edit.Edit{Source: label("a")}); len(got) != 1 || got[0].Name != "left out" {
		t.Errorf("left out: %v", got)
	}
	if got := features(edit.Edit{Target: label("a")}); got != nil {
		t.Errorf("inserted: %v", got)
	}
}
