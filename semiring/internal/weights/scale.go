package weights

import "math"

// Times2 returns x·2^k, false if its absolute value is above limit or k beyond ±1000.
func Times2(x float64, k int, limit float64) (float64, bool) {
	if k < -1000 || k > 1000 {
		return 0, false
	}
	x *= math.Float64frombits(uint64(1023+k) << 52)
	return x, math.Abs(x) <= limit
}

// Center divides x and y by 2^shift, which is next to the top of x.
func Center(top float64, x, y []float64) (shift int) {
	_, shift = math.Frexp(top)
	unit := math.Ldexp(1, -shift)
	for i := range x {
		x[i] *= unit
	}
	for i := range y {
		y[i] *= unit
	}
	return shift
}
