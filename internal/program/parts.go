package program

import (
	"fmt"
	"math"
)

// TrainTest returns what a model is to learn from and what it is tested by, as read returns it of a
// file. If test names a file, that is the test; else each n-th of what data has is held out. Nothing
// is held out if lines are to be answered instead of a test, and of a loaded model only the test is
// read.
func TrainTest[T any](r *Run, data, test string, n int, read func(file string) ([]T, error)) (train, held []T, err error) {
	if !r.Loads() {
		if train, err = read(data); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case test != "":
		held, err = read(test)
	case !r.Applies():
		train, held = HoldOut(train, n)
	}
	return train, held, err
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
