package hmm

import (
	"context"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// checkStart returns an error if states are alike at theta and still are after a step of EM:
// they would remain so for ever. A prior, for instance, may tell them apart.
func (m *Model[O]) checkStart(ctx context.Context, data []Sequence[O], theta []float64) error {
	if err := m.Params.Check(theta); err != nil || !m.learns() {
		return err
	}
	if _, _, ok := m.alike(data, theta, 0); !ok {
		return nil
	}
	l, err := m.Likelihood(data, em.Skip)
	if err != nil {
		return err
	}
	// What ends this step with an error ends training, too, and is said there.
	r, err := em.Fit(ctx, l, &em.Options{Start: theta, Iterations: 1, Tolerance: -1})
	if err != nil || r.Status == em.Canceled {
		return nil
	}
	const rounding = 1e-9
	i, j, ok := m.alike(data, r.Theta, rounding)
	if !ok {
		return nil
	}
	return nested.Errorf("hmm: %w: the states %d and %d are alike and would remain so; begin with StartRandom or StartKMeans, or use restarts", em.ErrSymmetric, i, j)
}

// learns reports whether a parameter is estimated at all.
func (m *Model[O]) learns() bool {
	for _, g := range m.Params.Groups() {
		if _, fixed := g.Law().(em.Fixed); !fixed {
			return true
		}
	}
	return false
}

// alike returns two states that are alike, up to a relative error: no sequence knows them,
// observations have the same probability in both, and transitions do, perhaps under new
// names of other states, too.
func (m *Model[O]) alike(data []Sequence[O], theta []float64, tolerance float64) (i, j int, ok bool) {
	w, err := m.weights(theta, 1)
	if err != nil {
		return 0, 0, false
	}
	colors := m.emitted(data, w.densities, tolerance)
	if colors == nil {
		return 0, 0, false
	}
	t := &transitions{n: m.topology.States, tolerance: tolerance, initial: plain(w.initial), cells: plain(w.cells), final: plain(w.final)}
	for j := range t.n {
		for i := range j {
			if colors[i] == colors[j] && t.mergeable(i, j) {
				return i, j, true
			}
		}
	}
	return t.symmetry(colors)
}

// emitted gives one color to states that no sequence knows and whose densities are the same
// wherever the data look. It returns nil if each state has a color of its own.
func (m *Model[O]) emitted(data []Sequence[O], densities Densities[O], tolerance float64) []int {
	n := m.topology.States
	colors := make([]int, n)
	dst, values := make([]semiring.ScaledFloat, n), make([]float64, n)
	for s := range data {
		x := &data[s]
		if x.Weight.Float64() == 0 {
			continue
		}
		for pos, o := range x.Observations {
			clear(values)
			if !m.emission.Missing(o) {
				for i, d := range densities.Of(o, dst) {
					values[i] = d.Log()
				}
			}
			if x.States != nil && x.States[pos] >= 0 {
				values[x.States[pos]] = math.NaN() // which is like nothing else
			}
			if split(colors, values, tolerance) == n {
				return nil
			}
		}
	}
	if n < 2 {
		return nil
	}
	return colors
}

// split gives new colors to states of one color and different values, and returns how many
// colors there are: 0, 1, ….
func split(colors []int, values []float64, tolerance float64) int {
	count := 0
	for _, c := range colors {
		count = max(count, c+1)
	}
	for c := range count {
		// What is unlike the first state of a color gets a new one, as often as it takes.
		for from, to := c, count; ; from, to = to, to+1 {
			first := slices.Index(colors, from)
			for i := first + 1; i < len(colors); i++ {
				if colors[i] == from && !same(values[i], values[first], tolerance) {
					colors[i], count = to, to+1
				}
			}
			if count == to {
				break
			}
		}
	}
	return count
}

// same reports whether two values, or logarithms, differ by rounding only.
func same(a, b, tolerance float64) bool {
	return a == b || !math.IsInf(a-b, 0) && math.Abs(a-b) <= tolerance*math.Max(math.Abs(a), math.Abs(b))
}

func plain(w []semiring.ScaledFloat) []float64 {
	v := make([]float64, len(w))
	for i, x := range w {
		v[i] = x.Float64()
	}
	return v
}
