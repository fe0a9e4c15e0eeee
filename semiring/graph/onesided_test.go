package graph_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/oracle"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

func randomWord(r *rand.Rand) semiring.Word {
	labels := make([]int32, r.IntN(3))
	for i := range labels {
		labels[i] = r.Int32N(2)
	}
	return semiring.NewWord(labels...)
}

func checkSlices[W any](t *testing.T, seed uint64, got []W, err error, want []W, same func(a, b W) bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("seed %d: %v", seed, err)
	}
	if !nearSlices(got, want, same) {
		t.Fatalf("seed %d: %v, want %v", seed, got, want)
	}
}

func refusesSide[W any](t *testing.T, _ []W, err error, side string) {
	t.Helper()
	if !errors.Is(err, semiring.ErrCapability) || !strings.Contains(err.Error(), side) {
		t.Fatalf("error %v, want one that names %s", err, side)
	}
}

// Paths are summed only from the side from which ⊗ distributes.
func TestOneSidedRings(t *testing.T) {
	same := func(a, b semiring.Word) bool { return a == b }
	for seed := range trials.Seeds(500) {
		left := graphtest.New(graphtest.Rand(seed), semiring.LeftString{}, acyclic, randomWord)
		beta, err := graph.Backward(left)
		checkSlices(t, seed, beta, err, oracle.Backward(left, 8), same)
		total, err := graph.PathSum(left)
		checkSlices(t, seed, []semiring.Word{total}, err, []semiring.Word{oracle.PathSum(left, 8)}, same)
		alpha, err := graph.Forward(left)
		refusesSide(t, alpha, err, "the right")

		right := graphtest.New(graphtest.Rand(seed), semiring.RightString{}, acyclic, randomWord)
		alpha, err = graph.Forward(right)
		checkSlices(t, seed, alpha, err, oracle.Forward(right, 8), same)
		beta, err = graph.Backward(right)
		refusesSide(t, beta, err, "the left")
	}
}

func TestGallicSums(t *testing.T) {
	type weight = semiring.Pair[semiring.Word, semiring.ScaledFloat]
	ring := semiring.Gallic(semiring.Scaled{})
	draw := func(r *rand.Rand) weight {
		return weight{First: randomWord(r), Second: semiring.NewScaled(r.Float64())}
	}
	same := func(a, b weight) bool { return a.First == b.First && nearScaled(a.Second, b.Second) }
	for seed := range trials.Seeds(500) {
		g := graphtest.New(graphtest.Rand(seed), ring, acyclic, draw)
		beta, err := graph.Backward(g)
		checkSlices(t, seed, beta, err, oracle.Backward(g, 8), same)
		alpha, err := graph.Forward(g)
		refusesSide(t, alpha, err, "the right")
	}
}

// Elimination replaces paths in their middle, which requires both sides.
func TestOneSidedCyclesAreNotEliminated(t *testing.T) {
	type weight = semiring.Pair[semiring.Word, semiring.ScaledFloat]
	ring := semiring.Gallic(semiring.Scaled{})
	w := func(label int32, p float64) weight {
		return weight{First: semiring.NewWord(label), Second: semiring.NewScaled(p)}
	}
	g, err := graph.New(ring, []int32{0, 2, 2}, []int32{0, 1}, []weight{w(1, .5), w(2, .5)},
		[]graph.Start[weight]{{State: 0, Weight: ring.One()}}, []weight{ring.Zero(), ring.One()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = graph.PathSum(g)
	refusesSide[weight](t, nil, err, "both sides")
}

// series is a ring that is neither commutative nor idempotent: formal sums of
// strings, cut off after seriesLength letters. ⊗ concatenates.
type series struct{}

const seriesLength = 4

type sum map[string]int64

func (series) Zero() sum         { return sum{} }
func (series) One() sum          { return sum{"": 1} }
func (series) IsZero(a sum) bool { return len(a) == 0 }

func (series) Plus(a, b sum) sum {
	c := maps.Clone(a)
	for s, n := range b {
		c[s] += n
	}
	return c
}

func (series) Times(a, b sum) sum {
	c := sum{}
	for s, n := range a {
		for t, m := range b {
			if len(s)+len(t) <= seriesLength {
				c[s+t] += n * m
			}
		}
	}
	return c
}

// Star has a value for sums without the empty string.
func (r series) Star(a sum) (sum, bool) {
	if a[""] != 0 {
		return nil, false
	}
	total, power := r.One(), r.One()
	for range seriesLength {
		power = r.Times(power, a)
		total = r.Plus(total, power)
	}
	return total, true
}

// randomSum returns a sum of strings of one or two letters.
func randomSum(r *rand.Rand) sum {
	letters := "ab"
	s := string(letters[r.IntN(2)])
	if r.IntN(3) == 0 {
		s += string(letters[r.IntN(2)])
	}
	return sum{s: 1 + r.Int64N(2)}
}
