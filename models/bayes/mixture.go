package bayes

import (
	"math"
	"math/rand/v2"
	"strconv"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/kmeans"
	"example.org/pathsum/internal/named"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// A mixture is a network of one hidden variable, the class or component, that is the parent of all
// others. If all classes are alike at the start, training cannot separate them, and Fit returns an
// error: begin with StartKMeans or Params.Random, or use restarts.

// NaiveBayes returns the network in which class, variable 0, is the parent of every
// feature, and features are independent given it; all distributions are uniform, or
// standard. Errors are as for New.
func NaiveBayes(class Variable, features ...Variable) (*Network, error) {
	variables := append([]Variable{class}, features...)
	families := []Family{{Children: []int{0}}}
	for v := 1; v < len(variables); v++ {
		families = append(families, Family{Children: []int{v}, Parents: []int{0}})
	}
	return New(variables, families)
}

// Shape selects the covariances of a normal distribution.
type Shape int

const (
	// Diagonal has variances only: components of a vector are independent, and may be missing.
	Diagonal Shape = iota
	// Full has all covariances. A vector is either known or missing as a whole.
	Full
)

// String returns the name of the shape.
func (s Shape) String() string {
	return named.One(s, "Shape", "diagonal", "full")
}

// NewMixture returns a mixture of normal distributions of vectors like x, with the given number of
// components, and x as its data. Variable 0, "component", is hidden; the others are x0, x1, …. A
// NaN is a missing number. The weights of components are estimated by em.Multinomial, each
// distribution by an em.Gaussian with the given prior. Without a prior, a component that shrinks to
// a point ends training with em.ErrNoMode. Initially all components are alike, around the mean of
// the data.
//
// The error wraps ErrInvalid, or em.ErrParameter for a column that is missing in every row or has
// an infinite number.
func NewMixture(x [][]float64, components int, shape Shape, prior em.GaussianPrior) (*Model, Data, error) {
	var data Data
	if len(x) == 0 || len(x[0]) == 0 || components < 1 || shape != Diagonal && shape != Full {
		return nil, data, nested.Errorf("bayes: %w: %d vectors, %d components, shape %d", ErrInvalid, len(x), components, shape)
	}
	d := len(x[0])
	if prior.Mean != nil && len(prior.Mean) != d || prior.Scale != nil && len(prior.Scale) != d {
		return nil, data, nested.Errorf("bayes: %w: a prior of another length than %d", ErrInvalid, d)
	}
	for i, v := range x {
		if len(v) != d {
			return nil, data, nested.Errorf("bayes: %w: vector %d has %d numbers, want %d", ErrInvalid, i, len(v), d)
		}
		data.Rows = append(data.Rows, append(Row{math.NaN()}, v...))
	}
	columns := make([]em.Gaussian, d)
	for j := range columns {
		var err error
		if columns[j], err = around(x, j); err != nil {
			return nil, data, err
		}
	}
	if shape == Full {
		columns = []em.Gaussian{join(columns)}
	}
	n, err := mixture(components, columns)
	if err != nil {
		return nil, data, err
	}
	m, err := NewModel(n, func(v, _ int) em.Law {
		if v == 0 {
			return em.Multinomial{}
		}
		return withPrior(columns[v-1], prior, v-1)
	})
	return m, data, err
}

// around returns the law of column j alone, centred on its numbers.
func around(x [][]float64, j int) (em.Gaussian, error) {
	var known [][]float64
	for _, v := range x {
		if v[j] == v[j] {
			known = append(known, v[j:j+1])
		}
	}
	g, err := em.NewGaussian(1).Around(known)
	if err != nil {
		return g, nested.Errorf("bayes: column %d: %w", j, err)
	}
	return g, nil
}

// join returns the law of all columns together.
func join(columns []em.Gaussian) em.Gaussian {
	g := em.NewGaussian(len(columns))
	for _, c := range columns {
		g.Center, g.Scale = append(g.Center, c.Center...), append(g.Scale, c.Scale...)
	}
	return g
}

// withPrior returns the law of the columns starting at from, with their part of the prior.
func withPrior(g em.Gaussian, prior em.GaussianPrior, from int) em.Gaussian {
	part := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		return v[from : from+g.Size()]
	}
	prior.Mean, prior.Scale = part(prior.Mean), part(prior.Scale)
	g.Prior = prior
	return g
}

// mixture returns the network in which all components are alike: each block of columns has the
// start of its law.
func mixture(components int, blocks []em.Gaussian) (*Network, error) {
	root := Variable{Name: "component"}
	for k := range components {
		root.States = append(root.States, strconv.Itoa(k))
	}
	variables, families := []Variable{root}, []Family{{Children: []int{0}}}
	for _, g := range blocks {
		d := g.Size()
		f := Family{Parents: []int{0}}
		x := Normal{Mean: g.Center, Covariance: make([]float64, d*d)}
		for i := range d {
			f.Children = append(f.Children, len(variables))
			variables = append(variables, Variable{Name: "x" + strconv.Itoa(len(variables)-1)})
			x.Covariance[i*d+i] = g.Scale[i] * g.Scale[i]
		}
		for range components {
			f.Normals = append(f.Normals, x)
		}
		families = append(families, f)
	}
	return New(variables, families)
}

// StartKMeans sets the Theta of a mixture made by NewMixture to a start from clusters of the rows.
// k-means finds one cluster for each component, from seeds drawn from src. Each component is then
// estimated as if nine tenths of a row belonged to its cluster's component. Rows with a missing
// number or weight 0 are ignored; known components of rows are respected.
//
// The error wraps ErrInvalid for a model that is not such a mixture, em.ErrInvalid for rows that do
// not fit it or fewer distinct rows than components, or comes from an M step. In case of an error
// Theta does not change.
func (m *Model) StartKMeans(data Data, src rand.Source) error {
	nonnil.Check("bayes: StartKMeans", "source of randomness", src)
	n, err := m.Network()
	if err != nil {
		return err
	}
	if n.Len() < 2 || !n.Discrete(0) {
		return nested.Errorf("bayes: %w: variable 0 has no states", ErrInvalid)
	}
	if _, err := m.Likelihood(data); err != nil { // for its checks only
		return err
	}
	var rows []Row
	var x [][]float64
	var weight []float64
	for i, r := range data.Rows {
		w := 1.
		if data.Weights != nil {
			w = data.Weights[i]
		}
		if w > 0 && known(r[1:]) {
			rows, x, weight = append(rows, r), append(x, r[1:]), append(weight, w)
		}
	}
	k := len(n.Variables()[0].States)
	cluster, err := kmeans.Cluster(x, k, rand.New(src))
	if err != nil {
		return nested.Errorf("bayes: %w: %w", em.ErrInvalid, err)
	}
	counts := make([]float64, m.Params.Len())
	for i, r := range rows {
		for c := range k {
			p := share(r[0], c, cluster[i], k) * weight[i]
			m.Group(0, 0).In(counts)[c] += p
			for _, f := range n.families[1:] {
				g := m.Group(f.Children[0], c)
				law, ok := g.Law().(em.Gaussian)
				if !ok || len(f.Parents) != 1 || len(f.Regressors) > 0 {
					return nested.Errorf("bayes: %w: %s is not normal given the component alone", ErrInvalid, n.Variables()[f.Children[0]].Name)
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
			return nested.Errorf("bayes: start: group %s: %w", g.Name(0), err)
		}
	}
	m.Theta = theta
	return nil
}

// known reports whether all numbers are known.
func known(v []float64) bool {
	for _, x := range v {
		if x != x {
			return false
		}
	}
	return true
}

// share returns the fraction of a row assigned to component c, given the index of its cluster and
// its component, NaN if unknown.
func share(known float64, c, cluster, k int) float64 {
	const all = .1 // divided equally among the components
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
