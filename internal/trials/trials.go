// Package trials says how many random trials a test makes. The idea: a number that
// finishes in seconds while one works, and ten times as many where the environment
// variable PATHSUM_LONG is set, as the gate does.
package trials

import (
	"iter"
	"os"
)

// Seeds yields 0, 1, …, the seeds of n trials, ten times as many with PATHSUM_LONG.
func Seeds(n uint64) iter.Seq[uint64] {
	if os.Getenv("PATHSUM_LONG") != "" {
		n *= 10
	}
	return func(yield func(uint64) bool) {
		for seed := range n {
			if !yield(seed) {
				return
			}
		}
	}
}

// Serial returns n, the number of trials or the size of the input of a test without
// concurrency; under the race detector, which finds nothing there, a tenth of it.
func Serial[N int | uint64](n N) N { return n / reduction }
