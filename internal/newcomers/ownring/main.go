// Command ownring finds the best and the second-best way through a town, with its own ring.
package main

import (
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/fst"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/semiringtest"
)

// two has the minutes of the best two ways, the better first; +Inf if a way is missing.
type two [2]float64

// bestTwo is the ring of these.
type bestTwo struct{}

func (bestTwo) Zero() two         { return two{math.Inf(1), math.Inf(1)} }
func (bestTwo) One() two          { return two{0, math.Inf(1)} }
func (bestTwo) IsZero(a two) bool { return math.IsInf(a[0], 1) }

func (bestTwo) Plus(a, b two) two {
	all := []float64{a[0], a[1], b[0], b[1]}
	slices.Sort(all)
	return two(all[:2])
}

func (bestTwo) Times(a, b two) two {
	return two{a[0] + b[0], min(a[0]+b[1], a[1]+b[0])}
}

// Star goes round a cycle zero times or once.
func (bestTwo) Star(a two) (two, bool) { return two{0, a[0]}, a[0] >= 0 }
func (bestTwo) Laws() semiring.Laws    { return semiring.Commutative }

// one is a single way.
func one(minutes float64) two { return two{minutes, math.Inf(1)} }

const walk, bus, tram = 'w', 'b', 't' // what a way reads

func main() {
	ring := bestTwo{}
	draw := func(r *rand.Rand) two {
		return ring.Plus(one(float64(r.IntN(9))), [...]two{ring.Zero(), ring.One(), {2, 3}}[r.IntN(3)])
	}
	if err := semiringtest.Check(ring, draw, nil); err != nil {
		log.Fatal(err)
	}

	leg := func(by rune, to int32, minutes float64) fst.Arc[two] {
		return fst.Arc[two]{In: by, Out: by, To: to, Weight: one(minutes)}
	}
	town := fst.FromArcs(ring, map[int32]two{4: ring.One()},
		[]fst.Arc[two]{leg(walk, 1, 5), leg(bus, 2, 7)},                   // home
		[]fst.Arc[two]{leg(tram, 3, 6), leg(walk, 2, 3), leg(walk, 0, 5)}, // market
		[]fst.Arc[two]{leg(bus, 3, 2), leg(tram, 4, 12)},                  // bridge
		[]fst.Arc[two]{leg(walk, 4, 4), leg(walk, 1, 8)})                  // station; then the school
	// A ticket is for one ride on the bus. Walking and the tram are free.
	free := fst.OneState(ring, ring.One(), leg(walk, 0, 0), leg(tram, 0, 0))
	ride := fst.OneState(ring, ring.One(), leg(bus, 0, 0))
	for _, m := range []fst.Machine[two]{
		town, fst.Compose(town, free), fst.Compose(town, fst.Concat(free, ride, free)),
	} {
		sum, err := fst.PathSum(m, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("best %v, second %v minutes; by hand %v\n", sum[0], sum[1], byHand(m))
	}
}

// byHand lists the ways of at most ten legs, and sorts their minutes.
func byHand(m fst.Machine[two]) two {
	ring := bestTwo{}
	legs, final := make([][]fst.Arc[two], 10), map[int32]two{10: ring.One()}
	for n := range int32(10) {
		final[n] = ring.One()
		for _, by := range []rune{walk, bus, tram} {
			legs[n] = append(legs[n], fst.Arc[two]{In: by, Out: by, To: n + 1, Weight: ring.One()})
		}
	}
	short, err := fst.Expand(fst.Compose(m, fst.FromArcs(ring, final, legs...)), nil)
	if err != nil {
		log.Fatal(err)
	}
	var minutes []float64
	for way := range short.Paths() {
		minutes = append(minutes, way.Weight[0])
	}
	slices.Sort(minutes)
	return two(minutes[:2])
}
