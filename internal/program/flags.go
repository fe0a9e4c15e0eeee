package program

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Count declares a flag whose value is an integer of at least least.
func (p *Program) Count(name string, value, least int, usage string) *int {
	n := p.Flags.Int(name, value, usage)
	p.Check(func() error {
		if *n < least {
			return fmt.Errorf("-%s %d: want at least %d", name, *n, least)
		}
		return nil
	})
	return n
}

// List declares a flag whose value is a list of finite numbers above 0, separated by commas.
func List[N int | float64](p *Program, name, usage string, values ...N) *[]N {
	l := list[N](values)
	p.Flags.Var(&l, name, usage)
	return (*[]N)(&l)
}

// list is the value of a flag.
type list[N int | float64] []N

// String returns the numbers.
func (l *list[N]) String() string {
	var text []string
	for _, x := range *l {
		text = append(text, strconv.FormatFloat(float64(x), 'g', -1, 64))
	}
	return strings.Join(text, ",")
}

// Set sets l to the numbers in text.
func (l *list[N]) Set(text string) error {
	*l = nil
	for field := range strings.SplitSeq(text, ",") {
		x, err := strconv.ParseFloat(strings.TrimSpace(field), 64)
		if err != nil || !(x > 0) || math.IsInf(x, 1) || float64(N(x)) != x {
			return fmt.Errorf("%q, want a number above 0 of that kind", field)
		}
		*l = append(*l, N(x))
	}
	return nil
}

// Positive declares a flag whose value is a finite number above 0.
func (p *Program) Positive(name string, value float64, usage string) *float64 {
	x := p.Flags.Float64(name, value, usage)
	p.Check(func() error {
		if !(*x > 0) || math.IsInf(*x, 1) {
			return fmt.Errorf("-%s %g: want a number > 0", name, *x)
		}
		return nil
	})
	return x
}
