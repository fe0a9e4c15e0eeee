// Package trials sets the number of random trials of a test. The idea: the default number takes
// seconds during development, and ten times as many run if the environment variable
// PATHSUM_LONG is set to 1, as the gate does. A greater number is the factor itself:
// PATHSUM_LONG=500 is for a night.
package trials

import (
	"iter"
	"os"
	"strconv"
	"testing"
)

// gate is the factor of trials if PATHSUM_LONG is set to anything except a number above 1.
const gate = 10

// Seeds yields 0, 1, …, the seeds of n trials, times the factor from PATHSUM_LONG.
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
// concurrency. Under the race detector, which is irrelevant for such a test, it returns a
// tenth.
func Serial[N int | uint64](n N) N { return n / reduction }

// SkipUnderRace skips a test without concurrency whose input cannot be smaller.
func SkipUnderRace(t testing.TB) {
	if reduction > 1 {
		t.Skip("takes long under the race detector, which finds nothing here")
	}
}
