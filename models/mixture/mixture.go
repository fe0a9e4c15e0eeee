package mixture

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"example.org/pathsum/em"
	"example.org/pathsum/models/bayes"
)

// ErrShape is wrapped by the error for a number of components or vectors that make no
// mixture.
var ErrShape = errors.New("no mixture")

// NaiveBayes returns the network in which class, variable 0, is the parent of every
// feature, and features are independent given it; all distributions are uniform, or
// standard. Errors are those of bayes.New.
func NaiveBayes(class bayes.Variable, features ...bayes.Variable) (*bayes.Network, error) {
	variables := append([]bayes.Variable{class}, features...)
	families := []bayes.Family{{Children: []int{0}}}
	for v := 1; v < len(variables); v++ {
		families = append(families, bayes.Family{Children: []int{v}, Parents: []int{0}})
	}
	return bayes.New(variables, families)
}

// Shape is which covariances a normal distribution has.
type Shape int

const (
	// Diagonal has none: components of a vector are independent, and may be missing.
	Diagonal Shape = iota
	// Full has all. A vector is known in whole or missing in whole.
	Full
)

// Gaussian returns a mixture of so many normal distributions of vectors like x, and x as
// its data. Variable 0, "component", is hidden; the others are x0, x1, …. A NaN is a
// missing number. The weights of components are estimated by em.Multinomial, each
// distribution by an em.Gaussian with the given prior: without one a component that
// shrinks to a point ends training with em.ErrNoMode. At first all components are alike,
// around the mean of the data: begin with StartKMeans, set Theta to Params.Random, or train
// with restarts.
//
// The error wraps ErrShape, or em.ErrParameter for a column that is missing in every row
// or has an infinite number.
func Gaussian(x [][]float64, components int, shape Shape, prior em.GaussianPrior) (*bayes.Model, bayes.Data, error) {
	var data bayes.Data
	if len(x) == 0 || len(x[0]) == 0 || components < 1 || shape != Diagonal && shape != Full {
		return nil, data, fmt.Errorf("mixture: %w: %d vectors, %d components, shape %d", ErrShape, len(x), components, shape)
	}
	d := len(x[0])
	if prior.Mean != nil && len(prior.Mean) != d || prior.Scale != nil && len(prior.Scale) != d {
		return nil, data, fmt.Errorf("mixture: %w: a prior of another length than %d", ErrShape, d)
	}
	for i, v := range x {
		if len(v) != d {
			return nil, data, fmt.Errorf("mixture: %w: vector %d has %d numbers, want %d", ErrShape, i, len(v), d)
		}
		data.Rows = append(data.Rows, append(bayes.Row{math.NaN()}, v...))
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
	n, err := network(components, columns)
	if err != nil {
		return nil, data, err
	}
	m, err := bayes.NewModel(n, func(v, _ int) em.Parameterization {
		if v == 0 {
			return em.Multinomial{}
		}
		return withPrior(columns[v-1], prior, v-1)
	})
	return m, data, err
}

// around returns the law of column j by itself, around its numbers.
func around(x [][]float64, j int) (em.Gaussian, error) {
	var known [][]float64
	for _, v := range x {
		if v[j] == v[j] {
			known = append(known, v[j:j+1])
		}
	}
	g, err := em.NewGaussian(1).Around(known)
	if err != nil {
		return g, fmt.Errorf("mixture: column %d: %w", j, err)
	}
	return g, nil
}

// join returns the law of all columns together.
func join(columns []em.Gaussian) em.Gaussian {
	g := em.NewGaussian(len(columns))
	for _, c := range columns {
		g.Center, g.Spread = append(g.Center, c.Center...), append(g.Spread, c.Spread...)
	}
	return g
}

// withPrior returns the law of columns from the given one on, with their part of the
// prior.
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

// network returns the mixture in which all components are alike: each block of columns
// as its law begins.
func network(components int, blocks []em.Gaussian) (*bayes.Network, error) {
	root := bayes.Variable{Name: "component"}
	for k := range components {
		root.States = append(root.States, strconv.Itoa(k))
	}
	variables, families := []bayes.Variable{root}, []bayes.Family{{Children: []int{0}}}
	for _, g := range blocks {
		d := g.Size()
		f := bayes.Family{Parents: []int{0}}
		x := bayes.Normal{Mean: g.Center, Covariance: make([]float64, d*d)}
		for i := range d {
			f.Children = append(f.Children, len(variables))
			variables = append(variables, bayes.Variable{Name: "x" + strconv.Itoa(len(variables)-1)})
			x.Covariance[i*d+i] = g.Spread[i] * g.Spread[i]
		}
		for range components {
			f.Normals = append(f.Normals, x)
		}
		families = append(families, f)
	}
	return bayes.New(variables, families)
}
