package semiring

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"

	"example.org/pathsum/internal/text"
)

// What the rings over float64 have in common.

// minPivot is the least value of 1 − a that has an inverse: sums such as
// .7 + .2 + .1 fall short of 1 by a few roundings, and a cycle of mass 1 must not
// pass for one of mass 1 − 1e-16.
const minPivot = 4 * 0x1p-52

// relativeDistance returns |a−b| / max(|a|, |b|), a Metric: 0 only for equal
// numbers, 2 at most, +Inf from a finite number to an infinite one.
func relativeDistance(a, b float64) float64 {
	if a == b {
		return 0
	}
	scale := max(math.Abs(a), math.Abs(b))
	if math.IsInf(scale, 1) {
		return math.Inf(1)
	}
	return math.Abs(a/scale - b/scale)
}

// absoluteDistance returns |a−b|, 0 for equal infinities.
func absoluteDistance(a, b float64) float64 {
	if a == b {
		return 0
	}
	return math.Abs(a - b)
}

// appendFloatKey appends eight bytes that identify x rounded to a multiple of
// delta; delta 0, or one too fine for x, means x itself.
func appendFloatKey(dst []byte, x, delta float64) []byte {
	if n := math.Floor(x/delta + 0.5); math.Abs(n) < 1<<53 {
		x = n * delta
	}
	if x != x {
		x = math.NaN() // one NaN for all
	}
	return binary.BigEndian.AppendUint64(dst, math.Float64bits(x+0)) // −0 is 0
}

// parseFloat is strconv.ParseFloat for the 64-bit format, with errors for those who wrote s.
func parseFloat(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return x, fmt.Errorf("number out of range: %s", text.Quote(s))
	case err != nil:
		return 0, fmt.Errorf("%s is not a number", text.Quote(s))
	}
	return x, nil
}

// formatFloat returns the shortest text that parseFloat reads back exactly, with
// infinities in words, as OpenFst writes them.
func formatFloat(x float64) string {
	switch {
	case math.IsInf(x, 1):
		return "Infinity"
	case math.IsInf(x, -1):
		return "-Infinity"
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
