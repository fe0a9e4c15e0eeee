// Package trials says how many random trials a test makes. The idea: a number that
// finishes in seconds while one works, and ten times as many where the environment
// variable PATHSUM_LONG is set to 1, as the gate does. A greater number there is the
// factor itself: PATHSUM_LONG=500 is for a night.
package trials

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// gate is the factor of trials where PATHSUM_LONG is set to anything but a number above 1.
const gate = 10

// Seeds yields 0, 1, …, the seeds of n trials, or of as many times n as PATHSUM_LONG says.
func Seeds(n uint64) iter.Seq[uint64] {
	n *= factor(os.Getenv("PATHSUM_LONG"))
	return func(yield func(uint64) bool) {
		for seed := range n {
			if !yield(seed) {
				return
			}
		}
	}
}

func factor(long string) uint64 {
	if long == "" {
		return 1
	}
	if n, err := strconv.ParseUint(long, 10, 32); err == nil && n > 1 {
		return n
	}
	return gate
}

// Serial returns n, the number of trials or the size of the input of a test without
// concurrency; under the race detector, which finds nothing there, a tenth of it.
func Serial[N int | uint64](n N) N { return n / reduction }

// SkipUnderRace skips a test without concurrency whose input cannot be smaller.
func SkipUnderRace(t testing.TB) {
	if reduction > 1 {
		t.Skip("takes long under the race detector, which finds nothing here")
	}
}
