package forest

import (
	"errors"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/weights"
)

// lost reports whether sums in Real, taken with that error, have left the range of float64.
// On a cycle, what overflows may look like a sum that diverges.
func lost[W any](err error, sums ...W) bool {
	return weights.Lost(err, sums...) || errors.Is(err, semiring.ErrDiverges)
}

// widened returns f in Scaled if its ring is Real and its sums were lost, else nil.
func widened[W any](f *Forest[W], lost bool) *Forest[semiring.ScaledFloat] {
	if !lost || !weights.IsReal(f.ring) {
		return nil
	}
	return inScaled(any(f).(*Forest[float64]))
}

// The functions below are instances of others for forests over Scaled. They are not inlined, so
// that a package that sums weights of another type does not compile what they call.

// inScaled returns the image of f in Scaled.
//
//go:noinline
func inScaled(f *Forest[float64]) *Forest[semiring.ScaledFloat] {
	return Map(f, semiring.Scaled{}, semiring.NewScaled)
}

//go:noinline
func treeSumScaled(f *Forest[semiring.ScaledFloat]) (semiring.ScaledFloat, error) { return TreeSum(f) }

//go:noinline
func insideScaled(f *Forest[semiring.ScaledFloat]) ([]semiring.ScaledFloat, error) { return Inside(f) }

// narrowed returns a sum over Scaled, taken with that error, as a weight of Real.
func narrowed[W any](sum semiring.ScaledFloat, err error) (W, error) {
	x, err := narrowedAll[W]([]semiring.ScaledFloat{sum}, err)
	if err != nil {
		var none W
		return none, err
	}
	return x[0], nil
}

// narrowedAll is narrowed for several sums.
func narrowedAll[W any](sums []semiring.ScaledFloat, err error) ([]W, error) {
	if err != nil {
		return nil, err
	}
	x, err := weights.Narrowed[W](sums...)
	if err != nil {
		return nil, nested.Errorf("forest: %w", err)
	}
	return x, nil
}

// checkNumbers returns an error for sums in a derived ring that are not numbers.
func checkNumbers[W any](f *Forest[W], sums ...W) error {
	if err := weights.CheckNumbers(f.ring, sums...); err != nil {
		return nested.Errorf("forest: %w", err)
	}
	return nil
}
