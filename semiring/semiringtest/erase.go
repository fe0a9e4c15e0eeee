package semiringtest

import (
	"math/rand/v2"
	"reflect"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/internal/erased"
)

// The checks are long, and are compiled once: for weights without a type. What follows is all
// that a ring adds to a program that has it checked.

// newChecker returns the checks of a ring.
func newChecker[W any](ring semiring.Semiring[W], gen func(*rand.Rand) W, opts *Options[W]) *checker {
	o := Options[any]{}
	if opts != nil {
		o = Options[any]{Trials: opts.Trials, Rand: opts.Rand, Tolerance: opts.Tolerance}
		if near := opts.Near; near != nil {
			o.Near = func(got, want any) bool { return near(erased.Weight[W](got), erased.Weight[W](want)) }
		}
	}
	draw := func(r *rand.Rand) any { return gen(r) }
	return checkerOf(erased.Bulk(ring), draw, o, reflect.TypeOf(ring), []reflect.Type{
		reflect.TypeFor[semiring.Semiring[W]](),
		reflect.TypeFor[semiring.Closed[W]](),
		reflect.TypeFor[semiring.Divider[W]](),
		reflect.TypeFor[semiring.Negater[W]](),
		reflect.TypeFor[semiring.Ordered[W]](),
		reflect.TypeFor[semiring.Metric[W]](),
		reflect.TypeFor[semiring.Prober[W]](),
		reflect.TypeFor[semiring.Ranged[W]](),
		reflect.TypeFor[semiring.Lawful](),
		reflect.TypeFor[semiring.OneSided](),
		reflect.TypeFor[semiring.Keyer[W]](),
		reflect.TypeFor[semiring.Texter[W]](),
		reflect.TypeFor[semiring.Reverser[W]](),
		reflect.TypeFor[semiring.Kernel[W]](),
		reflect.TypeFor[semiring.Scatterer[W]](),
		reflect.TypeFor[semiring.Sweeper[W]](),
	})
}
