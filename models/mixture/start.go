package mixture

import (
	"fmt"
	"math/rand/v2"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/kmeans"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/models/bayes"
)

// StartKMeans sets the Theta of a mixture made by Gaussian to a start from clusters of
// the rows, one for each component, found by k-means from random seeds: each component is
// estimated as if nine tenths of a row were of its cluster's component. Rows with a
// missing number, or weight 0, have no part; components that rows know are respected.
//
// The error wraps ErrShape for a model that is no such mixture, em.ErrProblem for rows
// that do not fit it or fewer different ones than components, or is that of an M step;
// Theta then stays.
func StartKMeans(m *bayes.Model, data bayes.Data, rng *rand.Rand) error {
	nonnil.Check("mixture: StartKMeans", "model", m, "source of randomness", rng)
	n, err := m.Network()
	if err != nil {
		return err
	}
	if n.Len() < 2 || !n.Discrete(0) {
		return fmt.Errorf("mixture: %w: variable 0 has no states", ErrShape)
	}
	if _, err := m.Likelihood(data); err != nil { // for what it checks
		return err
	}
	var rows []bayes.Row
	var x [][]float64
	var weight []float64
	for i, r := range data.Rows {
		w := 1.
		if data.Weights != nil {
			w = data.Weights[i]
		}
		if w > 0 && complete(r[1:]) {
			rows, x, weight = append(rows, r), append(x, r[1:]), append(weight, w)
		}
	}
	k := len(n.Variables()[0].States)
	cluster, err := kmeans.Cluster(x, k, rng)
	if err != nil {
		return fmt.Errorf("mixture: %w: %w", em.ErrProblem, err)
	}
	counts := make([]float64, m.Params.Len())
	for i, r := range rows {
		for c := range k {
			p := share(r[0], c, cluster[i], k) * weight[i]
			m.Group(0, 0).In(counts)[c] += p
			for _, f := range n.Families()[1:] {
				g := m.Group(f.Children[0], c)
				law, ok := g.Law().(em.Gaussian)
				if !ok || len(f.Parents) != 1 || len(f.Regressors) > 0 {
					return fmt.Errorf("mixture: %w: %s is not normal given the component alone", ErrShape, n.Variables()[f.Children[0]].Name)
				}
				var v []float64
				for _, child := range f.Children {
					v = append(v, r[child])
				}
				law.AddCounts(g.In(counts), v, p)
			}
		}
	}
	theta := m.Params.Start()
	for _, g := range m.Params.Groups() {
		if err := g.Law().Maximize(g.In(theta), g.In(counts)); err != nil {
			return fmt.Errorf("mixture: start: group %s: %w", g.Name(0), err)
		}
	}
	m.Theta = theta
	return nil
}

func complete(v []float64) bool {
	for _, x := range v {
		if x != x {
			return false
		}
	}
	return true
}

// share returns how much of a row is of component c, if its cluster has the given number
// and the component may be known.
func share(known float64, c, cluster, k int) float64 {
	const all = .1 // components, in equal shares
	switch {
	case known == float64(c):
		return 1
	case known == known:
		return 0
	case c == cluster:
		return 1 - all + all/float64(k)
	}
	return all / float64(k)
}
