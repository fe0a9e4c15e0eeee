package main

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/moments/privacy"
)

// mechanism is a way to release statistics and to learn from them, by name.
type mechanism struct {
	name string
	new  func(width int, epsilon float64) (release, error)
	wide bool // the ranges of values
}

// release is a mechanism for some ε: the privacy loss of a record, and the weights that one
// record of each person allows.
type release struct {
	loss float64
	fit  func(ctx context.Context, s *split, source *privacy.Source) ([]float64, error)
}

var mechanisms = []mechanism{
	{"coordinate", coordinate(privacy.Published), false},
	{"coordinate-tight", coordinate(privacy.Tight), false},
	{"three-entry", threeEntry(privacy.Published), false},
	{"three-entry-tight", threeEntry(privacy.Tight), false},
	{"per-value", perValue(privacy.Published), false},
	{"per-value-tight", perValue(privacy.Tight), false},
	{"gradients-once", gradients(1), true},
	{"gradients", gradients(rounds), true},
}

// all is the value of -mechanism that names every one.
const all = "all"

func mechanismNames() []string {
	names := []string{all}
	for _, m := range mechanisms {
		names = append(names, m.name)
	}
	return names
}

// ofProducts returns what makes a release of the products of values.
func ofProducts(of func(*privacy.Domain, int, float64) (*privacy.GroupRelease, error)) func(int, float64) (release, error) {
	return func(width int, epsilon float64) (release, error) {
		d, err := newDomain(width)
		if err != nil {
			return release{}, err
		}
		m, err := of(d, width, epsilon)
		if err != nil {
			return release{}, err
		}
		return release{m.Loss(), func(ctx context.Context, s *split, source *privacy.Source) ([]float64, error) {
			return fit(ctx, d, m, s, source)
		}}, nil
	}
}

// coordinate releases a statistic of the target as often as one of the features alone,
// though there are fewer of them.
func coordinate(c privacy.Calibration) func(int, float64) (release, error) {
	return ofProducts(func(d *privacy.Domain, width int, epsilon float64) (*privacy.GroupRelease, error) {
		p := make([]float64, d.Dim())
		pairs := d.Dim() - width
		for j := range p {
			if j < pairs {
				p[j] = .5 / float64(pairs)
			} else {
				p[j] = .5 / float64(width)
			}
		}
		return privacy.NewCoordinateRelease(d, p, epsilon, c)
	})
}

// threeEntry releases, half of the time, the product of a feature and the target, and
// otherwise the three products of two features with each other and themselves: the part
// of the normal equations that a regression on these two would take.
func threeEntry(c privacy.Calibration) func(int, float64) (release, error) {
	return ofProducts(func(d *privacy.Domain, width int, epsilon float64) (*privacy.GroupRelease, error) {
		number := make([][]int, width) // of the product of features i and j ≥ i, at j−i
		n := 0
		for i := range number {
			for range width - i {
				number[i] = append(number[i], n)
				n++
			}
		}
		var groups [][]int
		for i := range width {
			for j := i + 1; j < width; j++ {
				groups = append(groups, []int{number[i][0], number[i][j-i], number[j][0]})
			}
		}
		if width == 1 {
			groups = [][]int{{0}} // there are no two
		}
		p := slices.Repeat([]float64{.5 / float64(len(groups))}, len(groups))
		for i := range width {
			groups, p = append(groups, []int{n + i}), append(p, .5/float64(width))
		}
		return privacy.NewGroupRelease(d, groups, p, epsilon, c)
	})
}

func perValue(c privacy.Calibration) func(int, float64) (release, error) {
	return ofProducts(func(d *privacy.Domain, _ int, epsilon float64) (*privacy.GroupRelease, error) {
		return privacy.NewPerValue(d, epsilon, c)
	})
}

// plan returns the releases for so many features, by mechanism and ε.
func (e *experiment) plan(width int) ([][]release, error) {
	var plan [][]release
	for _, m := range e.mechanisms {
		var row []release
		for _, epsilon := range *e.epsilons {
			x, err := m.new(width, epsilon)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			row = append(row, x)
		}
		plan = append(plan, row)
	}
	return plan, nil
}
