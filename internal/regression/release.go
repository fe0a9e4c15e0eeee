package regression

import (
	"context"
	"fmt"
	"slices"

	"example.org/pathsum/moments/privacy"
)

// Release is a mechanism for some ε by which people release statistics, and the regression that
// is learnt from them.
type Release struct {
	Loss float64 // the privacy loss of a record

	reach float64 // of the ranges, in standard deviations
	// fit returns the weights learnt from one record of each person, whose values are in [−1,
	// 1].
	fit func(ctx context.Context, rows []Row, source *privacy.Source) ([]float64, error)
}

// Fit returns the weights of features learnt from one record of each person, and the ranges to
// which values are clipped. It returns errors of the mechanism, and ctx's error if ctx is done.
func (x Release) Fit(ctx context.Context, rows []Row, source *privacy.Source) (Ranges, []float64, error) {
	p := newPeople(rows, x.reach)
	w, err := x.fit(ctx, p.rows, source)
	return p.ranges, w, err
}

// Half the length of declared ranges, in standard deviations: wide ranges need more noise,
// narrow ones clip more values.
const (
	narrow = 1.5 // for releases of all products
	wide   = 2   // for gradients, and without privacy
)

// mechanism makes a release for a number of features and ε.
type mechanism struct {
	name string
	new  func(width int, epsilon float64) (Release, error)
}

var mechanisms = []mechanism{
	{"coordinate", coordinate(privacy.Published)},
	{"coordinate-tight", coordinate(privacy.Tight)},
	{"three-entry", threeEntry(privacy.Published)},
	{"three-entry-tight", threeEntry(privacy.Tight)},
	{"per-value", perValue(privacy.Published)},
	{"per-value-tight", perValue(privacy.Tight)},
	{"gradients-once", gradients(1)},
	{"gradients", gradients(rounds)},
}

// Mechanisms returns the names of the mechanisms. The last, gradients, is the best.
func Mechanisms() []string {
	var names []string
	for _, m := range mechanisms {
		names = append(names, m.name)
	}
	return names
}

// Releases returns the releases of records of width features by the named mechanism, one for
// each ε. It returns an error for an invalid ε, and panics if there is no such mechanism.
func Releases(name string, width int, epsilons []float64) ([]Release, error) {
	i := slices.IndexFunc(mechanisms, func(m mechanism) bool { return m.name == name })
	if i < 0 {
		panic("regression: no mechanism " + name)
	}
	var all []Release
	for _, epsilon := range epsilons {
		x, err := mechanisms[i].new(width, epsilon)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, x)
	}
	return all, nil
}

// ofProducts returns a constructor of releases of the products of values.
func ofProducts(of func(*privacy.Domain, int, float64) (*privacy.GroupRelease, error)) func(int, float64) (Release, error) {
	return func(width int, epsilon float64) (Release, error) {
		d, err := newDomain(width)
		if err != nil {
			return Release{}, err
		}
		m, err := of(d, width, epsilon)
		if err != nil {
			return Release{}, err
		}
		return Release{m.Loss(), narrow, func(ctx context.Context, rows []Row, source *privacy.Source) ([]float64, error) {
			return fitProducts(ctx, d, m, rows, source)
		}}, nil
	}
}

// fitProducts returns the weights of the regression learnt from one record of each person's
// products.
func fitProducts(ctx context.Context, d *privacy.Domain, m *privacy.GroupRelease, rows []Row, source *privacy.Source) ([]float64, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var tally privacy.Tally
	for _, r := range rows {
		x, err := d.Check(products(r.Features, r.Target))
		if err != nil {
			return nil, err
		}
		record, err := m.Release(x, source)
		if err != nil {
			return nil, err
		}
		if err := tally.Add(record); err != nil {
			return nil, err
		}
	}
	e, err := tally.Estimate()
	if err != nil {
		return nil, err
	}
	return solve(e.Mean, e.StdErr, len(rows[0].Features))
}

// coordinate releases a statistic of the target as often as a statistic of the features alone,
// although there are fewer of them.
func coordinate(c privacy.Calibration) func(int, float64) (Release, error) {
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

// threeEntry releases, half of the time, the product of a feature and the target, and otherwise
// the three products of two features with each other and themselves: the part of the normal
// equations for a regression on these two.
func threeEntry(c privacy.Calibration) func(int, float64) (Release, error) {
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
			groups = [][]int{{0}} // a single feature has no pairs
		}
		p := slices.Repeat([]float64{.5 / float64(len(groups))}, len(groups))
		for i := range width {
			groups, p = append(groups, []int{n + i}), append(p, .5/float64(width))
		}
		return privacy.NewGroupRelease(d, groups, p, epsilon, c)
	})
}

func perValue(c privacy.Calibration) func(int, float64) (Release, error) {
	return ofProducts(func(d *privacy.Domain, _ int, epsilon float64) (*privacy.GroupRelease, error) {
		return privacy.NewPerValue(d, epsilon, c)
	})
}
