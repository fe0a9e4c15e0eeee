package hmm

import (
	"context"
	"fmt"
	"math"

	"example.org/pathsum/em"
	"example.org/pathsum/semiring"
)

// checkStart returns an error if two states are alike at theta and still are after a step
// of EM: they would remain so for ever. A prior, for instance, may tell them apart.
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
	return fmt.Errorf("hmm: %w: the states %d and %d are alike and would remain so; begin with StartRandom or StartKMeans, or use restarts", em.ErrSymmetric, i, j)
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
// and observations and transitions have the same probability in both.
func (m *Model[O]) alike(data []Sequence[O], theta []float64, tolerance float64) (i, j int, ok bool) {
	w, err := m.weights(theta, 1)
	if err != nil {
		return 0, 0, false
	}
	t := &transitions{n: m.topology.States, tolerance: tolerance, initial: plain(w.initial), cells: plain(w.cells), final: plain(w.final)}
	var pairs [][2]int
	for j := range t.n {
		for i := range j {
			if t.exchangeable(i, j) || t.mergeable(i, j) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	dst := make([]semiring.ScaledFloat, t.n)
	for s := range data {
		x := &data[s]
		for pos, o := range x.Observations {
			if len(pairs) == 0 {
				return 0, 0, false
			}
			known, density := -1, dst[:0]
			if x.States != nil {
				known = int(x.States[pos])
			}
			if !m.emission.Missing(o) {
				density = w.densities.Of(o, dst)
			}
			left := pairs[:0]
			for _, p := range pairs {
				apart := known == p[0] || known == p[1] ||
					len(density) > 0 && !t.same(density[p[0]].Log(), density[p[1]].Log())
				if !apart || x.Weight.Float64() == 0 {
					left = append(left, p)
				}
			}
			pairs = left
		}
	}
	if len(pairs) == 0 {
		return 0, 0, false
	}
	return pairs[0][0], pairs[0][1], true
}

func plain(w []semiring.ScaledFloat) []float64 {
	v := make([]float64, len(w))
	for i, x := range w {
		v[i] = x.Float64()
	}
	return v
}

// transitions is the matrix of a model. final is empty if the model does not end by itself.
type transitions struct {
	n                     int
	tolerance             float64
	initial, cells, final []float64
}

func (t *transitions) same(a, b float64) bool {
	return a == b || math.Abs(a-b) <= t.tolerance*math.Max(math.Abs(a), math.Abs(b))
}

func (t *transitions) at(i, j int) float64 { return t.cells[i*t.n+j] }

// ends reports whether both states end a sequence with the same probability.
func (t *transitions) ends(i, j int) bool {
	return len(t.final) == 0 || t.same(t.final[i], t.final[j])
}

// exchangeable reports whether the transitions stay as they are if i and j change names.
// Then EM finds the same counts under the new names as under the old.
func (t *transitions) exchangeable(i, j int) bool {
	if !t.ends(i, j) || !t.same(t.initial[i], t.initial[j]) || !t.same(t.at(i, i), t.at(j, j)) || !t.same(t.at(i, j), t.at(j, i)) {
		return false
	}
	for k := range t.n {
		if k != i && k != j && (!t.same(t.at(k, i), t.at(k, j)) || !t.same(t.at(i, k), t.at(j, k))) {
			return false
		}
	}
	return true
}

// mergeable reports whether the same follows i and j, and the probabilities of going to i
// and to j have one proportion everywhere. Then their posteriors have it, too.
func (t *transitions) mergeable(i, j int) bool {
	if !t.ends(i, j) {
		return false
	}
	a, b := t.initial[i], t.initial[j]
	for k := range t.n {
		x, y := t.at(k, i), t.at(k, j)
		if !t.same(t.at(i, k), t.at(j, k)) || !t.same(x*b, y*a) || (x == 0) != (y == 0) {
			return false
		}
		if a == 0 && b == 0 {
			a, b = x, y
		}
	}
	return (a == 0) == (b == 0)
}
