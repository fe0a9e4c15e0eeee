package fsttest

import (
	"maps"
	"slices"

	"example.org/pathsum/semiring"
)

// Series is a formal sum of traces: the number of occurrences of each. A trace is a word of the
// letters of the arcs on a path. A Series is never modified.
type Series map[string]int

// Traces is the free semiring over letters, up to traces of length Max; longer traces are
// dropped, which is a congruence. ⊗ is concatenation, which is not commutative.
type Traces struct{ Max int }

// Bags is like Traces, but sorts the letters of traces: the free commutative semiring.
type Bags struct{ Max int }

var (
	_ semiring.Semiring[Series] = Traces{}
	_ semiring.Reverser[Series] = Traces{}
	_ semiring.Semiring[Series] = Bags{}
	_ semiring.Lawful           = Bags{}
)

// Letter returns the weight of arc number n < 256.
func Letter(n int) Series { return Series{string([]byte{byte(n)}): 1} }

// Zero returns the empty sum.
func (Traces) Zero() Series { return nil }

// One returns the empty trace.
func (Traces) One() Series { return Series{"": 1} }

// Plus returns the sum of a and b.
func (Traces) Plus(a, b Series) Series { return plus(a, b) }

// Times returns the concatenations of the traces of a and of b.
func (t Traces) Times(a, b Series) Series {
	return times(a, b, t.Max, func(trace string) string { return trace })
}

// IsZero reports whether a has no traces.
func (Traces) IsZero(a Series) bool { return len(a) == 0 }

// Reverse returns the traces of a read backwards.
func (Traces) Reverse(a Series) Series {
	c := Series{}
	for trace, n := range a {
		c[reversed(trace)] += n
	}
	return c
}

// Zero returns the empty sum.
func (Bags) Zero() Series { return nil }

// One returns the empty trace.
func (Bags) One() Series { return Series{"": 1} }

// Plus returns the sum of a and b.
func (Bags) Plus(a, b Series) Series { return plus(a, b) }

// Times returns the unions of the traces of a and of b.
func (t Bags) Times(a, b Series) Series { return times(a, b, t.Max, sorted) }

// IsZero reports whether a has no traces.
func (Bags) IsZero(a Series) bool { return len(a) == 0 }

// Laws returns semiring.Commutative.
func (Bags) Laws() semiring.Laws { return semiring.Commutative }

func plus(a, b Series) Series {
	c := maps.Clone(a)
	if c == nil {
		c = Series{}
	}
	for trace, n := range b {
		c[trace] += n
	}
	return c
}

func times(a, b Series, limit int, normal func(string) string) Series {
	switch { // saves much of the time of tests
	case len(a) == 0 || len(b) == 0:
		return nil
	case a.isOne():
		return b
	case b.isOne():
		return a
	}
	c := make(Series, len(a)*len(b))
	for x, n := range a {
		for y, m := range b {
			if len(x)+len(y) <= limit {
				c[normal(x+y)] += n * m
			}
		}
	}
	return c
}

// isOne reports whether s is the empty trace.
func (s Series) isOne() bool { return len(s) == 1 && s[""] == 1 }

func sorted(trace string) string {
	b := []byte(trace)
	slices.Sort(b)
	return string(b)
}

func reversed(trace string) string {
	b := []byte(trace)
	slices.Reverse(b)
	return string(b)
}
