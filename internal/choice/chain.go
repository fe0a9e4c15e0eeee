package choice

import "math"

// Chain is a random object, a path or a tree, made by one choice at the start and one
// at every place that comes up.
type Chain interface {
	Start(c *Choice)              // makes c the choice at the start
	Place(c *Choice, place int32) // makes c the choice at a place
	Possible() []bool             // per place, whether it can come up
}

// Compare returns the expected sum of a comparison of the choices of p with those of q,
// in an object drawn from p. It comes by each place as often as visits says on average;
// a place that is possible has 0 visits if they are too few for a float64, and then an
// infinite comparison counts all the same.
func Compare(p, q Chain, visits []float64, local func(p, q *Choice) float64) float64 {
	a := new(Choice)
	b := a
	if p != q {
		b = new(Choice)
	}
	at := func(choose func(Chain, *Choice)) float64 {
		choose(p, a)
		if p != q {
			choose(q, b)
		}
		return local(a, b)
	}
	sum := at(Chain.Start)
	var possible []bool // not needed as a rule
	for place, n := range visits {
		if n == 0 {
			if possible == nil {
				possible = p.Possible()
			}
			if !possible[place] {
				continue
			}
		}
		x := at(func(chain Chain, c *Choice) { chain.Place(c, int32(place)) })
		switch {
		case n != 0:
			sum += n * x
		case math.IsInf(x, 1):
			return x
		}
	}
	return sum
}
