package hmm

import (
	"math"
	"math/rand/v2"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/kmeans"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
)

// StartRandom sets Theta to a random start in which states differ. Transitions are drawn by their
// laws. Each state's emission is estimated from all observations and one observation chosen for
// the state, which counts as half of the state's data. It is the observation, of ten random ones,
// that the preceding states explain worst. It takes an M step of the emission for each state.
//
// The error wraps em.ErrInvalid for invalid data, or comes from an M step; Theta is then
// unchanged.
func (m *Model[O]) StartRandom(data []Sequence[O], src rand.Source) error {
	nonnil.Check("hmm: StartRandom", "source of randomness", src)
	rng := rand.New(src)
	c, err := m.census(data)
	if err != nil {
		return err
	}
	if len(c.places) == 0 {
		return nested.Errorf("hmm: %w: all observations are missing", em.ErrInvalid)
	}
	n := m.topology.States
	theta := m.Params.Random(rng)
	w, err := m.weights(theta, 1)
	if err != nil {
		return err
	}
	posterior := make([]float64, n)
	for _, p := range c.places {
		c.spread(posterior, p, .5)
		w.densities.Count(c.counts, c.at(p), posterior)
	}
	for i := range n {
		o, err := c.unlike(theta, i, rng)
		if err != nil {
			return err
		}
		clear(posterior)
		posterior[i] = c.total / float64(2*n)
		w.densities.Count(c.counts, o, posterior)
		if err := m.estimate(theta, c.counts, false); err != nil {
			return err
		}
	}
	m.Theta = theta
	return nil
}

// unlike returns one of ten random observations: the observation whose greatest density in the
// first states is lowest.
func (c *census[O]) unlike(theta []float64, states int, rng *rand.Rand) (best O, err error) {
	const candidates = 10
	w, err := c.m.weights(theta, 1)
	if err != nil {
		return best, err
	}
	dst, least := make([]semiring.ScaledFloat, c.m.topology.States), math.Inf(1)
	for k := range candidates {
		o := c.at(c.places[rng.IntN(len(c.places))])
		most := math.Inf(-1)
		for _, x := range w.densities.Of(o, dst)[:states] {
			most = max(most, x.Log())
		}
		if k == 0 || most < least {
			best, least = o, most
		}
	}
	return best, nil
}

// StartKMeans sets the Theta of m to a start from clusters of the observed vectors, one for each
// distribution, found by k-means from random seeds. Distributions and transitions are estimated
// as if the clusters mostly determined the states. States that share a distribution share its
// cluster and differ by random transitions. Known states of sequences are respected. For
// clustering, a missing component is replaced by its mean over all vectors.
//
// The error wraps em.ErrInvalid for invalid data or fewer vectors than distributions, or comes
// from an M step; Theta is then unchanged.
func StartKMeans(m *Model[[]float64], data []Sequence[[]float64], src rand.Source) error {
	nonnil.Check("hmm: StartKMeans", "model", m, "source of randomness", src)
	rng := rand.New(src)
	c, err := m.census(data)
	if err != nil {
		return err
	}
	of := Each(m.topology.States)
	at := m.Params.Start() // parameters for the shares of a mixture's components
	switch e := m.emission.(type) {
	case *Gaussian:
		of = e.of
	case *Mixture[[]float64]:
		of, at = e.of, m.Params.Random(rng)
	}
	states := make([][]int, len(of)) // of each distribution
	clusters := 0
	for i, d := range of {
		states[d] = append(states[d], i)
		clusters = max(clusters, d+1)
	}
	var x [][]float64
	for _, p := range c.places {
		x = append(x, c.at(p))
	}
	cluster, err := kmeans.Cluster(filled(x), clusters, rng)
	if err != nil {
		return nested.Errorf("hmm: %w: %w", em.ErrInvalid, err)
	}
	n := m.topology.States
	theta := m.Params.Start()
	w, err := m.weights(at, 1)
	if err != nil {
		return err
	}
	cells := make([]float64, n*n)
	here, before := make([]float64, n), make([]float64, n)
	next := 0 // index into places
	for s := range data {
		weight := data[s].Weight.Float64()
		if weight == 0 {
			continue
		}
		var first []float64
		for pos := range data[s].Observations {
			p := place{s, pos}
			if next < len(c.places) && c.places[next] == p {
				c.spread(here, p, .1, states[cluster[next]]...)
				w.densities.Count(c.counts, c.at(p), here)
				next++
			} else {
				c.spread(here, p, 1)
			}
			if pos == 0 {
				first = append(first, here...)
			} else {
				for i, q := range before {
					for _, j := range m.topology.Next[i] {
						cells[i*n+j] += q * here[j] / weight
					}
				}
			}
			here, before = before, here
		}
		m.countEnds(c.counts, first, before)
	}
	m.spread(c.counts, cells)
	for _, g := range m.Params.Groups() {
		if clusters < n && m.isTransition(g) {
			g.Law().Random(g.In(theta), rng)
		}
	}
	if err := m.estimate(theta, c.counts, clusters == n); err != nil {
		return err
	}
	m.Theta = theta
	return nil
}

// filled returns vectors in which a missing component, NaN, is replaced by its mean over the
// vectors that have the component.
func filled(x [][]float64) [][]float64 {
	if len(x) == 0 {
		return x
	}
	sums, seen := make([]float64, len(x[0])), make([]float64, len(x[0]))
	for _, v := range x {
		for j, y := range v {
			if y == y {
				sums[j] += y
				seen[j]++
			}
		}
	}
	full := make([][]float64, len(x))
	for i, v := range x {
		full[i] = v
		for j, y := range v {
			if y == y {
				continue
			}
			if &full[i][0] == &v[0] {
				full[i] = slices.Clone(v)
			}
			full[i][j] = sums[j] / max(seen[j], 1)
		}
	}
	return full
}

// place is a position of a sequence.
type place struct{ sequence, position int }

// census lists the positions with an observation.
type census[O any] struct {
	m      *Model[O]
	data   []Sequence[O]
	places []place
	total  float64 // sum of their weights
	counts []float64
}

func (m *Model[O]) census(data []Sequence[O]) (*census[O], error) {
	if _, err := m.Likelihood(data, em.Skip); err != nil { // for its checks
		return nil, err
	}
	c := &census[O]{m: m, data: data, counts: make([]float64, m.Params.Len())}
	for s := range data {
		w := data[s].Weight.Float64()
		for pos, o := range data[s].Observations {
			if w > 0 && !m.emission.Missing(o) {
				c.places = append(c.places, place{s, pos})
				c.total += w
			}
		}
	}
	return c, nil
}

func (c *census[O]) at(p place) O { return c.data[p.sequence].Observations[p.position] }

// spread sets posterior to the weight of the observation at p: the fraction all in equal shares
// for all states, and the rest for the states some. A known state gets the whole weight.
func (c *census[O]) spread(posterior []float64, p place, all float64, some ...int) {
	w := c.data[p.sequence].Weight.Float64()
	for i := range posterior {
		posterior[i] = all * w / float64(len(posterior))
	}
	for _, i := range some {
		posterior[i] += (1 - all) * w / float64(len(some))
	}
	if known := c.data[p.sequence].States; known != nil && known[p.position] >= 0 {
		clear(posterior)
		posterior[known[p.position]] = w
	}
}

// isTransition reports whether a group belongs to initial or transition probabilities.
func (m *Model[O]) isTransition(g *em.Group) bool {
	for _, t := range append([]*em.Group{m.initial}, m.rows...) {
		if t == g {
			return true
		}
	}
	return false
}

// estimate makes an M step of the emission and, if transitions is true, of the transitions.
func (m *Model[O]) estimate(theta, counts []float64, transitions bool) error {
	for _, g := range m.Params.Groups() {
		if m.isTransition(g) && !transitions {
			continue
		}
		if err := g.Law().Maximize(g.In(theta), g.In(counts)); err != nil {
			return nested.Errorf("hmm: start: group %s: %w", g.Name(0), err)
		}
	}
	return nil
}
