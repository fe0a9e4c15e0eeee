package align

import "math"

// gather sets the emissions of links, and of NULL, of a sentence seen from both sides;
// those of words and pairs that are not in the lexicon are floor.
func (l *lexicon) gather(views *[2]view, floor float64, step EStep, slots, e, f []int32) {
	x, y := &views[ef], &views[fe]
	for i := range e {
		row := y.links(y.emit, i)
		at := x.first + i
		for j, slot := range slots[i*len(f) : (i+1)*len(f)] {
			p := pair{floor, floor}
			if slot >= 0 {
				p = l.t[slot]
			}
			switch step {
			case Own:
			case Joint:
				p[ef] *= p[fe]
				p[fe] = p[ef]
			default:
				p = step.of(p)
			}
			x.emit[at], row[j] = p[ef], p[fe]
			at += x.stride
		}
	}
	fill(x.null, l.null[ef], f, floor)
	fill(y.null, l.null[fe], e, floor)
}

// of returns the probabilities that the directions are run with.
func (e EStep) of(p pair) pair {
	power := e.Power
	if power == 0 {
		power = 1
	}
	return pair{math.Pow(p[ef]*math.Pow(p[fe], e.Partner), power), math.Pow(p[fe]*math.Pow(p[ef], e.Partner), power)}
}

// fill sets dst to the probabilities of words given NULL.
func fill(dst, null []float64, words []int32, floor float64) {
	for j, w := range words {
		dst[j] = floor
		if w >= 0 {
			dst[j] = null[w]
		}
	}
}

// resized returns a slice of length n, that of s if it is large enough.
func resized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
