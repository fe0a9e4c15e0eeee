package main

import (
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/moments/privacy"
)

// mechanism is a way to release statistics, by name.
type mechanism struct {
	name string
	new  func(d *privacy.Domain, width int, epsilon float64) (release, error)
}

// release is a mechanism for some ε.
type release = privacy.Mechanism[privacy.Statistics]

// selection is the value of the flag -mechanism.
type selection []mechanism

var mechanisms = selection{
	{"coordinate", coordinate(privacy.Published)},
	{"coordinate-tight", coordinate(privacy.Tight)},
	{"three-entry", threeEntry(privacy.Published)},
	{"three-entry-tight", threeEntry(privacy.Tight)},
	{"per-value", perValue(privacy.Published)},
	{"per-value-tight", perValue(privacy.Tight)},
}

// String returns the names.
func (s *selection) String() string {
	var names []string
	for _, m := range *s {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

// Set makes s the mechanism of that name.
func (s *selection) Set(name string) error {
	for _, m := range mechanisms {
		if m.name == name {
			*s = selection{m}
			return nil
		}
	}
	return fmt.Errorf("want one of %s", mechanisms.String())
}

// coordinate releases a statistic of the target as often as one of the features alone,
// though there are fewer of them.
func coordinate(c privacy.Calibration) func(*privacy.Domain, int, float64) (release, error) {
	return func(d *privacy.Domain, width int, epsilon float64) (release, error) {
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
	}
}

// threeEntry releases, half of the time, the product of a feature and the target, and
// otherwise the three products of two features with each other and themselves: the part
// of the normal equations that a regression on these two would take.
func threeEntry(c privacy.Calibration) func(*privacy.Domain, int, float64) (release, error) {
	return func(d *privacy.Domain, width int, epsilon float64) (release, error) {
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
	}
}

func perValue(c privacy.Calibration) func(*privacy.Domain, int, float64) (release, error) {
	return func(d *privacy.Domain, _ int, epsilon float64) (release, error) {
		return privacy.NewPerValue(d, epsilon, c)
	}
}

// plan is what is released, and how.
type plan struct {
	domain   *privacy.Domain
	releases [][]release // by mechanism and ε
}

// plan returns the plan for so many features.
func (e *experiment) plan(width int) (*plan, error) {
	d, err := newDomain(width)
	if err != nil {
		return nil, err
	}
	p := &plan{domain: d}
	for _, m := range e.mechanisms {
		var row []release
		for _, epsilon := range e.epsilons {
			x, err := m.new(d, width, epsilon)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.name, err)
			}
			row = append(row, x)
		}
		p.releases = append(p.releases, row)
	}
	return p, nil
}
