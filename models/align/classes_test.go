package align

import (
	"math"
	"slices"
	"testing"

	"example.org/pathsum/internal/trials"
)

// classLikelihood is the log likelihood of a text under a bigram model of classes, as
// far as it depends on them, from its definition.
func classLikelihood(t *text, class []int32, classes int) float64 {
	size, bigram := map[int32]float64{}, map[[2]int32]float64{}
	boundary := int32(classes)
	for s := range len(t.first) - 1 {
		last := boundary
		size[boundary]++
		for _, w := range t.sentence(s) {
			size[class[w]]++
			bigram[[2]int32{last, class[w]}]++
			last = class[w]
		}
		bigram[[2]int32{last, boundary}]++
	}
	sum := 0.0
	for _, n := range bigram {
		sum += n * math.Log(n)
	}
	for _, n := range size {
		sum -= 2 * n * math.Log(n)
	}
	return sum
}

// When the exchange ends, no word can move to a better class.
func TestExchangeEndsAtAnOptimum(t *testing.T) {
	for seed := range trials.Seeds(100) {
		r := random(seed)
		c := randomCorpus(r, 15, 6)
		words, classes := len(c.words[0].words), 2+r.IntN(2)
		x := newExchange(&c.text[0], words, classes)
		for range 50 {
			moved := false
			for _, w := range x.order {
				before := classLikelihood(&c.text[0], x.class, classes)
				moves := x.move(w)
				if after := classLikelihood(&c.text[0], x.class, classes); after < before-1e-9 || moves && after <= before {
					t.Fatalf("seed %d: a move from %v to %v", seed, before, after)
				}
				moved = moved || moves
			}
			if !moved {
				break
			}
		}
		best := classLikelihood(&c.text[0], x.class, classes)
		for w := range words {
			old := x.class[w]
			for other := range int32(classes) {
				x.class[w] = other
				if l := classLikelihood(&c.text[0], x.class, classes); l > best+1e-6 {
					t.Fatalf("seed %d: word %d does better in class %d: %v, not %v", seed, w, other, l, best)
				}
			}
			x.class[w] = old
		}
	}
}

// TestRareClass: words that were not seen are in the class of most words seen once, and other
// words in their own.
func TestRareClass(t *testing.T) {
	class := []int32{2, 0, 1, 1, 0, 1}
	for _, test := range []struct {
		seen []int32
		want int32
	}{{[]int32{1, 1, 1, 1, 9, 9}, 1}, {[]int32{1, 1, 9, 9, 1, 9}, 0}, {[]int32{1, 1, 9, 9, 9, 9}, 2}, {[]int32{9, 9, 9, 9, 9, 9}, 0}} {
		if got := rareClass(class, test.seen, 3); got != test.want {
			t.Errorf("%v: class %d, want %d", test.seen, got, test.want)
		}
	}
	if got := classesOf(nil, class, 1, []int32{0, unknown, 4}); !slices.Equal(got, []int32{2, 1, 0}) {
		t.Errorf("classes %v", got)
	}
}
