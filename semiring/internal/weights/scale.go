package weights

import "math"

// Times2 returns x·2^k, or false if its absolute value is above limit or k is beyond ±1000.
func Times2(x float64, k int, limit float64) (float64, bool) {
	if k < -1000 || k > 1000 {
		return 0, false
	}
	x *= math.Float64frombits(uint64(1023+k) << 52)
	return x, math.Abs(x) <= limit
}

// Center divides x and y by 2^shift, a power of 2 close to top, the greatest number of x. top
// must be finite and at least 2⁻¹⁰²².
func Center(top float64, x, y []float64) (shift int) {
	shift = int(math.Float64bits(top)>>52) - 1022
	unit := math.Float64frombits(uint64(1023-shift) << 52)
	if shift < -1000 || shift > 1000 { // 2^shift or 2^−shift may be out of range
		_, shift = math.Frexp(top)
		unit = math.Ldexp(1, -shift)
	}
	for i := range x {
		x[i] *= unit
	}
	for i := range y {
		y[i] *= unit
	}
	return shift
}
