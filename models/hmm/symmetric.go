package hmm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/semiring"
)

// checkStart returns an error if states, or components of a mixture, are equal at theta and would
// remain equal.
func (m *Model[O]) checkStart(ctx context.Context, data []Sequence[O], theta []float64) error {
	l, err := m.Likelihood(data, em.Skip)
	if err != nil {
		return err
	}
	err = em.CheckStart(ctx, l, theta, func(theta []float64, tolerance float64) string { return m.symmetric(data, theta, tolerance) })
	if errors.Is(err, em.ErrSymmetric) {
		return nested.Errorf("hmm: %w; begin with StartRandom or StartKMeans, or use restarts", err)
	}
	return err
}

// symmetric names two states, or components of a mixture, that are equal up to a relative error.
// It returns "" if there are none.
func (m *Model[O]) symmetric(data []Sequence[O], theta []float64, tolerance float64) string {
	if i, j, ok := m.alike(data, theta, tolerance); ok {
		return fmt.Sprintf("the states %d and %d", i, j)
	}
	e, ok := m.emission.(*Mixture[O])
	if !ok {
		return ""
	}
	densities, err := e.base.At(theta, m.Params.Values(theta))
	if err != nil {
		return ""
	}
	unknown := Hide(data...) // known states do not distinguish components
	colors := emitted(e.base, unknown, densities, tolerance)
	for d, list := range e.components {
		for k, b := range list {
			for _, a := range list[:k] {
				if colors != nil && colors[a] == colors[b] {
					return fmt.Sprintf("the components %d and %d of mixture %d", a, b, d)
				}
			}
		}
	}
	return ""
}

// alike returns two states that are equal up to a relative error: they are not known in any
// sequence, and observations and transitions have the same probabilities in both, possibly after
// renaming other states.
func (m *Model[O]) alike(data []Sequence[O], theta []float64, tolerance float64) (i, j int, ok bool) {
	w, err := m.weights(theta, 1)
	if err != nil {
		return 0, 0, false
	}
	colors := emitted(m.emission, data, w.densities, tolerance)
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

// emitted gives the same color to states of an emission that are not known in any sequence and
// whose densities are equal for all observations. It returns nil if all colors differ.
func emitted[O any](e Emission[O], data []Sequence[O], densities Densities[O], tolerance float64) []int {
	n := e.States()
	colors := make([]int, n)
	dst, values := make([]semiring.ScaledFloat, n), make([]float64, n)
	for s := range data {
		x := &data[s]
		if x.Weight.Float64() == 0 {
			continue
		}
		for pos, o := range x.Observations {
			clear(values)
			if !e.Missing(o) {
				for i, d := range densities.Of(o, dst) {
					values[i] = d.Log()
				}
			}
			if x.States != nil && x.States[pos] >= 0 {
				values[x.States[pos]] = math.NaN() // differs from all values
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

// split gives new colors to states of one color and different values, and returns the number of
// colors, which are 0, 1, ….
func split(colors []int, values []float64, tolerance float64) int {
	count := 0
	for _, c := range colors {
		count = max(count, c+1)
	}
	for c := range count {
		// States that differ from the first state of a color get a new color; repeat for the new
		// color.
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

// transitions holds the transition matrix of a model. final is empty if the model does not end by
// itself.
type transitions struct {
	n                     int
	tolerance             float64
	initial, cells, final []float64
}

func (t *transitions) same(a, b float64) bool { return same(a, b, t.tolerance) }

func (t *transitions) at(i, j int) float64 { return t.cells[i*t.n+j] }

// mergeable reports whether i and j have the same outgoing probabilities, and the probabilities
// of transitions to i and to j have a constant ratio. Then their posteriors have this ratio, too.
func (t *transitions) mergeable(i, j int) bool {
	if len(t.final) > 0 && !t.same(t.final[i], t.final[j]) {
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

// symmetry returns two states of one color such that a renaming of states maps one to the other
// and preserves colors and all probabilities. Then EM computes the same counts under the new
// names as under the old. ok is false if there is no such renaming, or if it is not found within
// a bounded number of steps.
//
// The search works like graph isomorphism tests: two copies of the model are colored until states
// of one color have the same neighbors by color. If a color still has more than one state in each
// copy, one state of each copy gets a new color, and so on (McKay 1981).
func (t *transitions) symmetry(colors []int) (i, j int, ok bool) {
	s := newRenaming(t, colors)
	for j := range t.n {
		for i := range j {
			if s.colors[i] == s.colors[j] && s.steps > 0 && s.maps(s.colors, i, j) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// renaming is the state of a search for a renaming of states.
type renaming struct {
	n int
	// cells has the same number for equal probabilities.
	cells []int
	// colors is a stable coloring of the two copies, one after the other.
	colors []int
	// steps is the number of colorings that may still be tried.
	steps int
}

func newRenaming(t *transitions, colors []int) *renaming {
	s := &renaming{n: t.n, cells: interned(t.cells, t.tolerance), steps: 1000}
	once := slices.Clone(colors)
	split(once, t.initial, t.tolerance)
	if len(t.final) > 0 {
		split(once, t.final, t.tolerance)
	}
	s.colors = slices.Concat(once, once)
	s.stabilize(s.colors)
	return s
}

// interned returns numbers that are the same for equal values.
func interned(values []float64, tolerance float64) []int {
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	sorted = slices.CompactFunc(sorted, func(a, b float64) bool { return same(a, b, tolerance) })
	ids := make([]int, len(values))
	for k, v := range values {
		// The first of a run of equal values is kept, so v belongs to the last value ≤ v.
		i, found := slices.BinarySearch(sorted, v)
		if !found {
			i--
		}
		ids[k] = i
	}
	return ids
}

// maps reports whether some renaming that respects the coloring gives i the name j.
func (s *renaming) maps(colors []int, i, j int) bool {
	if s.steps--; s.steps < 0 {
		return false
	}
	colors = slices.Clone(colors)
	colors[i], colors[s.n+j] = 2*s.n, 2*s.n
	count := s.stabilize(colors)
	first, second := make([]int, count), make([]int, count)
	for k, c := range colors {
		if k < s.n {
			first[c]++
		} else {
			second[c]++
		}
	}
	if !slices.Equal(first, second) {
		return false
	}
	open := slices.IndexFunc(first, func(members int) bool { return members > 1 })
	if open < 0 {
		return true
	}
	from := slices.Index(colors, open)
	for k := range s.n {
		// Try first to keep the name.
		if to := (from + k) % s.n; colors[s.n+to] == open && s.maps(colors, from, to) {
			return true
		}
	}
	return false
}

// stabilize splits colors until states of one color have the same probabilities to and from each
// color, and returns the number of colors, which are 0, 1, ….
func (s *renaming) stabilize(colors []int) int {
	for count := 0; ; {
		signatures := make([][]int, len(colors))
		for k := range colors {
			signatures[k] = s.signature(colors, k)
		}
		sorted := slices.Clone(signatures)
		slices.SortFunc(sorted, slices.Compare)
		sorted = slices.CompactFunc(sorted, slices.Equal)
		for k, signature := range signatures {
			colors[k], _ = slices.BinarySearchFunc(sorted, signature, slices.Compare)
		}
		if len(sorted) == count {
			return count
		}
		count = len(sorted)
	}
}

// signature returns the color of a state, its probability to stay and, sorted, a triple for each
// other state of its copy: probability to, probability from, color.
func (s *renaming) signature(colors []int, k int) []int {
	copied := k / s.n * s.n
	k -= copied
	neighbors := make([][3]int, 0, s.n)
	for other := range s.n {
		if other != k {
			neighbors = append(neighbors, [3]int{s.cells[k*s.n+other], s.cells[other*s.n+k], colors[copied+other]})
		}
	}
	slices.SortFunc(neighbors, func(a, b [3]int) int { return slices.Compare(a[:], b[:]) })
	signature := append(make([]int, 0, 3*s.n), colors[copied+k], s.cells[k*s.n+k])
	for _, n := range neighbors {
		signature = append(signature, n[:]...)
	}
	return signature
}
