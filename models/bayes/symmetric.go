package bayes

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// checkStart returns an error if EM cannot separate two states of a variable from the start theta.
// This is the case if it is missing in all rows, its children do not distinguish the two states,
// and its parents do not change their ratio. The posteriors of the two states then have the same
// ratio in every row, so the children's tables stay equal.
func (m *Model) checkStart(ctx context.Context, data Data, l em.Likelihood, theta []float64) error {
	var rows []Row
	for i, r := range data.Rows {
		if data.weight(i) > 0 {
			rows = append(rows, r)
		}
	}
	var hidden []int
	for v := range m.n.variables {
		if m.n.Discrete(v) && !slices.ContainsFunc(rows, func(r Row) bool { return r[v] == r[v] }) && m.learns(v) {
			hidden = append(hidden, v)
		}
	}
	err := em.CheckStart(ctx, l, theta, func(theta []float64, tolerance float64) string {
		for _, v := range hidden {
			states := m.n.variables[v].States
			for y := range m.n.size(v) {
				for x := range y {
					if m.alike(v, x, y, theta, tolerance) {
						return fmt.Sprintf("the states %q and %q of %s, which is always missing,", states[x], states[y], m.n.variables[v].Name)
					}
				}
			}
		}
		return ""
	})
	if errors.Is(err, em.ErrSymmetric) {
		return nested.Errorf("bayes: %w; start from Params.Random or use restarts", err)
	}
	return err
}

// learns reports whether v has a child, and at least one distribution with v is estimated.
func (m *Model) learns(v int) bool {
	child, learns := false, false
	for i, s := range m.n.scopes {
		if !slices.Contains(s.variables, v) {
			continue
		}
		child = child || m.n.of[v] != i
		for _, g := range m.groups[i] {
			_, fixed := g.Law().(em.Fixed)
			learns = learns || !fixed
		}
	}
	return child && learns
}

// alike reports whether states x < y of v are indistinguishable, up to a relative error.
func (m *Model) alike(v, x, y int, theta []float64, tolerance float64) bool {
	same := func(a, b float64) bool {
		return math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
	}
	for i, s := range m.n.scopes {
		k := slices.Index(s.variables, v)
		if k < 0 {
			continue
		}
		if i == m.n.of[v] {
			if !m.proportional(i, x, y, theta, same) {
				return false
			}
			continue
		}
		// The configurations with state x and those with y in its place.
		stride := s.stride[k]
		if m.n.Discrete(m.n.families[i].Children[0]) {
			stride /= m.n.size(m.n.families[i].Children[0])
		}
		for c, g := range m.groups[i] {
			if c/stride%m.n.size(v) == x && !slices.EqualFunc(g.In(theta), m.groups[i][c+(y-x)*stride].In(theta), same) {
				return false
			}
		}
	}
	return true
}

// proportional reports whether the ratio of the probabilities of states x and y of the child of
// family i is the same in all configurations.
func (m *Model) proportional(i, x, y int, theta []float64, same func(a, b float64) bool) bool {
	first := m.groups[i][0].In(theta)
	for _, g := range m.groups[i] {
		if p := g.In(theta); !same(p[x]*first[y], p[y]*first[x]) {
			return false
		}
	}
	return true
}
