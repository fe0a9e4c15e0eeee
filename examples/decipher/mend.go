package main

import (
	"math"

	"example.org/pathsum/models/ngram"
)

// judge says how probable texts are that keys make of a cipher text.
type judge struct {
	english *ngram.Model
	cipher  [][]int32
	plain   []int32 // storage of logProb
}

// logProb returns ln of the probability of the text that the key makes.
func (j *judge) logProb(k *key) float64 {
	sum := 0.0
	for _, s := range j.cipher {
		j.plain = j.plain[:0]
		for _, c := range s {
			j.plain = append(j.plain, k[c])
		}
		sum += j.english.LogProb(j.plain)
	}
	return sum
}

// mend swaps letters of the key as long as that makes the text more probable, the best two
// first, and returns ln of the probability in the end.
func (j *judge) mend(k *key) float64 {
	best := j.logProb(k)
	for {
		var a, b int
		top := math.Inf(-1)
		for x := 1; x <= letters; x++ {
			for y := x + 1; y <= letters; y++ {
				k[x], k[y] = k[y], k[x]
				if p := j.logProb(k); p > top {
					a, b, top = x, y, p
				}
				k[x], k[y] = k[y], k[x]
			}
		}
		if !(top > best) {
			return best
		}
		k[a], k[b], best = k[b], k[a], top
	}
}
