package layers

import "example.org/pathsum/semiring"

// number is what a pass computes for every node, from the paths to it or from it on.
type number[W any] interface {
	sum | dual | maximum
	one() W         // of the path without arcs
	along(a *Arc) W // for the same paths with one more arc
	plus(W) W       // for the paths of both
	isZero() bool   // no path has a weight
}

// sum is the sum of the weights of paths.
type sum struct{ semiring.ScaledFloat }

func (sum) one() sum           { return sum{semiring.ScaledFloat{Mant: 1}} }
func (x sum) along(a *Arc) sum { return sum{x.Mul(a.Weight)} }
func (x sum) plus(y sum) sum   { return sum{x.Add(y.ScaledFloat)} }
func (x sum) isZero() bool     { return x.Mant == 0 }

// maximum is the greatest weight of a path.
type maximum struct{ semiring.ScaledFloat }

func (maximum) one() maximum           { return maximum{semiring.ScaledFloat{Mant: 1}} }
func (x maximum) along(a *Arc) maximum { return maximum{a.Weight.Mul(x.ScaledFloat)} }
func (x maximum) isZero() bool         { return x.Mant == 0 }

func (x maximum) plus(y maximum) maximum {
	return maximum{semiring.Viterbi{}.Plus(x.ScaledFloat, y.ScaledFloat)}
}

// dual is the sum of the weights of paths, and slope is its derivative: the sum of their weights
// times their values.
type dual struct {
	semiring.ScaledFloat
	slope semiring.ScaledFloat
}

func (dual) one() dual { return dual{ScaledFloat: semiring.ScaledFloat{Mant: 1}} }

func (x dual) along(a *Arc) dual {
	slope := x.slope.Add(x.Mul(semiring.NewScaled(a.Value)))
	return dual{x.Mul(a.Weight), slope.Mul(a.Weight)}
}

func (x dual) plus(y dual) dual {
	return dual{x.Add(y.ScaledFloat), x.slope.Add(y.slope)}
}

func (x dual) isZero() bool { return x.Mant == 0 }

// times returns the sum for all paths that are a path of x followed by one of y.
func (x dual) times(y dual) dual {
	return dual{x.Mul(y.ScaledFloat), x.slope.Mul(y.ScaledFloat).Add(x.Mul(y.slope))}
}

// center takes the mean of the values of all paths of row from each of these values, so that
// slopes do not grow with the number of layers, and returns it. Only duals have values.
func center[W number[W]](row []W) float64 {
	duals, ok := any(row).([]dual)
	if !ok {
		return 0
	}
	var all dual
	for _, x := range duals {
		all = all.plus(x)
	}
	if all.isZero() {
		return 0
	}
	mean := all.slope.Div(all.ScaledFloat)
	for i := range duals {
		x := &duals[i]
		x.slope = x.slope.Sub(x.Mul(mean))
	}
	return mean.Float64()
}
