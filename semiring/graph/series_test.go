package graph_test

import (
	"maps"
	"math/rand/v2"
)

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
