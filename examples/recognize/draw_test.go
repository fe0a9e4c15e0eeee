package main

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/em"
)

// TestDistance: the distance is the minimum over the points of a line.
func TestDistance(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	at := func() point { return point{10 * rng.Float64(), 10 * rng.Float64()} }
	for range 100 {
		p, a, b := at(), at(), at()
		nearest := math.Inf(1)
		const steps = 20000
		for i := range steps + 1 {
			s := float64(i) / steps
			nearest = min(nearest, math.Hypot(p.x-a.x-s*(b.x-a.x), p.y-a.y-s*(b.y-a.y)))
		}
		if d := distance(p, a, b); d > nearest+1e-12 || d < nearest-1e-3 {
			t.Fatalf("%v from %v–%v: %v, want %v", p, a, b, d, nearest)
		}
	}
	if d := distance(point{3, 4}, point{}, point{}); d != 5 {
		t.Errorf("from a point: %v, want 5", d)
	}
}

// TestLetters: without chance, school letters are distinct, and each has ink from its first
// column to its last.
func TestLetters(t *testing.T) {
	school := newHand(rand.New(rand.NewPCG(2, 2)), 0)
	school.slant, school.width, school.tremor, school.noise = 0, 1, 0, 0
	seen := map[string]int32{}
	for c := int32(1); c <= letters; c++ {
		m := school.write([]int32{c}, rand.New(rand.NewPCG(3, 3)))
		s := drawn(m)
		if other, ok := seen[s]; ok {
			t.Errorf("%s looks like %s:\n%s", spelling([]int32{c}), spelling([]int32{other}), s)
		}
		seen[s] = c
		ink := 0.0
		for _, x := range m.ink {
			if x < 0 || x > 1 {
				t.Fatalf("ink %v", x)
			}
			ink += x
		}
		if ink < 5 || len(m.ink) != m.columns*height {
			t.Errorf("%s has %.1f of ink:\n%s", spelling([]int32{c}), ink, s)
		}
	}
	// A line is as long as its letters and spaces.
	two, one := school.write([]int32{1, space, 1}, rand.New(rand.NewPCG(4, 4))), school.write([]int32{1}, rand.New(rand.NewPCG(4, 4)))
	if d := float64(two.columns - one.columns); math.Abs(d-(gap+blanks+scale*alphabet[0].width)) > 1 {
		t.Errorf("a space and a letter take %v columns", d)
	}
	if s := drawn(one); strings.Count(s, "\n") != height-1 {
		t.Errorf("drawn:\n%s", s)
	}
}

// TestGradient: the derivatives of the network's likelihood agree with divided differences.
func TestGradient(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	h := newHand(rng, character)
	n := newNetwork()
	var lines []line
	for _, text := range [][]int32{{1, 2, space, 3}, {4, 4}} {
		lines = append(lines, line{text, h.write(text, rng)})
	}
	likelihood, err := n.likelihood(lines)
	if err != nil {
		t.Fatal(err)
	}
	theta := n.params.Start()
	for i := range theta {
		theta[i] = .1 * rng.NormFloat64()
	}
	value := func() float64 {
		ln, err := em.LogLikelihood(t.Context(), likelihood, theta)
		if err != nil {
			t.Fatal(err)
		}
		return ln
	}
	e, err := likelihood.Expect(t.Context(), em.Query{Theta: theta})
	if err != nil {
		t.Fatal(err)
	}
	const step = 1e-4
	for range 40 {
		i := rng.IntN(len(theta))
		at := theta[i]
		theta[i] = at + step
		above := value()
		theta[i] = at - step
		below := value()
		theta[i] = at
		if want := (above - below) / (2 * step); math.Abs(e.Counts[i]-want) > 1e-6*(1+math.Abs(want)) {
			t.Errorf("derivative by weight %d: %v, want %v", i, e.Counts[i], want)
		}
	}
}

// TestEnglishLines: lines consist of words of letters, and have at most longest symbols.
func TestEnglishLines(t *testing.T) {
	lines := englishLines()
	for _, l := range lines {
		s := spelling(l)
		if len(l) == 0 || len(l) > longest || s != strings.TrimSpace(s) || strings.Contains(s, "  ") {
			t.Errorf("line %q", s)
		}
	}
	if s := spelling(lines[0]); s != "bread is older than any kingdom" && !strings.HasPrefix(s, "bread is older than any") {
		t.Errorf("first line %q", s)
	}
}

// TestPicture: each row of a picture has the name of its symbol.
func TestPicture(t *testing.T) {
	e := soft(t, []int32{2}, .1)
	p := newPicture(&image{3, make([]float64, 3*height)}, e, symbolNames)
	if len(p.names) != columns || p.names[0] != "a" || p.names[space-1] != " " || p.names[columns-1] != "<blank>" {
		t.Errorf("names %q", p.names)
	}
	f := p.figure()
	if f.Y.Max < columns+height || f.Width <= 0 {
		t.Errorf("%v rows, %v wide", f.Y.Max, f.Width)
	}
}
