package convex

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Table holds the parameters of one variable given its parents. Rows are configurations
// of the parents: the values, in the order of Variable.Parents, read as digits of a number
// in mixed radix, the last changing fastest; a root has one row.
type Table struct {
	// Variable is its index.
	Variable int
	// W holds the strengths, or the means of a vector-valued variable. If the variable has a Gram
	// matrix, row k of W holds coefficients: the mean of configuration k is the sum of the vectors
	// of all rows of the data, each multiplied by its coefficient.
	W *mat.Dense
	// LogProb holds ln P(value | configuration), the log-softmax of the rows of W; nil
	// for a vector-valued variable.
	LogProb *mat.Dense
}

// Complete is the result of training on completed data.
type Complete struct {
	// Objective is the regularized joint loss of package convex, including Constant. It is
	// comparable to the bounds of a Result.
	Objective float64
	// Tables holds one table per variable.
	Tables []Table
}

// Complete trains on completed data: labels holds, per hidden variable in the order of Hidden, a
// value per row. Every table is at the minimum of its loss. The error wraps ErrInvalid for labels
// of another shape, labels out of range, and labels that contradict observed values.
func (p *Problem) Complete(labels [][]int) (*Complete, error) {
	if err := p.checkLabels(labels); err != nil {
		return nil, err
	}
	return p.train(p.indicators(labels)), nil
}

// checkLabels fails for labels of another shape, labels out of range, and labels that contradict
// observed values.
func (p *Problem) checkLabels(labels [][]int) error {
	if len(labels) != len(p.hidden) {
		return invalid("labels of %d variables, %d are hidden", len(labels), len(p.hidden))
	}
	for k, h := range p.hidden {
		v := &p.variables[h]
		if len(labels[k]) != len(p.weights) {
			return invalid("%d labels of %s for %d rows", len(labels[k]), p.name(h), len(p.weights))
		}
		for row, y := range labels[k] {
			if y < 0 || y >= v.States {
				return invalid("label %d of %s in row %d, want one of %d", y, p.name(h), row, v.States)
			}
			if seen := v.Values[row]; seen != Hidden && seen != y {
				return invalid("label %d of %s in row %d, where %d was seen", y, p.name(h), row, seen)
			}
		}
	}
	return nil
}

// configurations returns the number of configurations of the parents of variable i.
func (p *Problem) configurations(i int) int {
	n := 1
	for _, j := range p.variables[i].Parents {
		n *= p.variables[j].States
	}
	return n
}

// indicators returns labels as distributions, by variable.
func (p *Problem) indicators(labels [][]int) map[int]*mat.Dense {
	soft := make(map[int]*mat.Dense, len(labels))
	for k, h := range p.hidden {
		soft[h] = mat.NewDense(len(p.weights), p.variables[h].States, nil)
		for row, y := range labels[k] {
			soft[h].Set(row, y, 1)
		}
	}
	return soft
}

// CompleteSoft trains on data completed with probabilities: per hidden variable, in the order of
// Hidden, a distribution over its values per row, independent of the other variables. The objective
// is the expected loss. The error wraps ErrInvalid for matrices of another shape, and for numbers <
// 0 or above 1 by more than rounding.
func (p *Problem) CompleteSoft(soft []*mat.Dense) (*Complete, error) {
	if len(soft) != len(p.hidden) {
		return nil, invalid("distributions of %d variables, %d are hidden", len(soft), len(p.hidden))
	}
	of := make(map[int]*mat.Dense, len(soft))
	for k, h := range p.hidden {
		if r, c := soft[k].Dims(); r != len(p.weights) || c != p.variables[h].States {
			return nil, invalid("%d×%d distributions of %s, want %d×%d", r, c, p.name(h), len(p.weights), p.variables[h].States)
		}
		if least := mat.Min(soft[k]); !(least >= 0) || mat.Max(soft[k]) > 1+1e-6 {
			return nil, invalid("a probability of %s is not in [0, 1]", p.name(h))
		}
		of[h] = soft[k]
	}
	return p.train(of), nil
}

// train returns the tables of data completed by distributions of the hidden variables.
func (p *Problem) train(soft map[int]*mat.Dense) *Complete {
	c := &Complete{Tables: make([]Table, len(p.variables))}
	for i := range p.variables {
		t, loss := p.table(i, soft)
		c.Tables[i] = t
		c.Objective += loss
	}
	return c
}

// completed calls visit for each completion of the family of a variable in a row, with the
// configuration of its parents, its own value (or none if it is vector-valued) and the weight. If
// the variable is absent from the row, it does not call visit.
func (p *Problem) completed(i, row int, soft map[int]*mat.Dense, visit func(configuration, value int, weight float64)) {
	if p.variables[i].absent(row) {
		return
	}
	family := append(append([]int(nil), p.variables[i].Parents...), i)
	var extend func(k, configuration int, weight float64)
	extend = func(k, configuration int, weight float64) {
		j := family[k]
		v := &p.variables[j]
		each := func(value int, weight float64) {
			if k == len(family)-1 {
				visit(configuration, value, weight)
			} else {
				extend(k+1, configuration*v.States+value, weight)
			}
		}
		switch {
		case v.Vectors != nil:
			each(none, weight)
		case soft[j] == nil:
			each(v.Values[row], weight)
		default:
			for value, q := range soft[j].RawRowView(row) {
				if q > 0 {
					each(value, weight*q)
				}
			}
		}
	}
	extend(0, 0, p.weights[row])
}

// table returns the parameters of variable i at the minimum of its loss, and the loss.
func (p *Problem) table(i int, soft map[int]*mat.Dense) (Table, float64) {
	v := &p.variables[i]
	configurations := p.configurations(i)
	if v.Vectors != nil {
		return p.means(i, configurations, soft)
	}
	count := mat.NewDense(configurations, v.States, nil)
	for row := range p.weights {
		p.completed(i, row, soft, func(k, value int, weight float64) {
			count.Set(k, value, count.At(k, value)+weight)
		})
	}
	t := Table{Variable: i, W: mat.NewDense(configurations, v.States, nil), LogProb: mat.NewDense(configurations, v.States, nil)}
	loss := 0.0
	for k := range configurations {
		row := count.RawRowView(k)
		weight := []float64{mat.Sum(count.RowView(k))}
		g := regression{loss: amongRows(weight, row), ridge: p.ridge, rows: v.States, long: general(1, 1, []float64{1})}
		_, value := g.fit(nil, scale(weight))
		loss += value
		t.W.SetRow(k, g.w)
		logSoftmax(t.LogProb.RawRowView(k), g.w)
	}
	return t, loss
}

// means is like table, for a vector-valued variable.
func (p *Problem) means(i, configurations int, soft map[int]*mat.Dense) (Table, float64) {
	v := &p.variables[i]
	d := len(v.Vectors[0])
	t := Table{Variable: i, W: mat.NewDense(configurations, d, nil)}
	weight := make([]float64, configurations)
	for row, x := range v.Vectors {
		p.completed(i, row, soft, func(k, _ int, w float64) {
			weight[k] += w
			for c, value := range x {
				t.W.Set(k, c, t.W.At(k, c)+w*value)
			}
		})
	}
	loss := 0.0
	for k, n := range weight {
		for c := range d {
			w := t.W.At(k, c) / (n + p.ridge)
			t.W.Set(k, c, w)
			loss += p.ridge / 2 * w * w
		}
	}
	for row, x := range v.Vectors {
		p.completed(i, row, soft, func(k, _ int, w float64) {
			for c, value := range x {
				e := value - t.W.At(k, c)
				loss += w / 2 * e * e
			}
		})
	}
	if v.Gram != nil {
		t.W = coefficients(t.W, v.Vectors)
	}
	return t, loss
}

// Polish contains the settings of EM from rounded labels.
type Polish struct {
	// Likelihood is the likelihood of the same data under the same model, from a package of models
	// or a cascade.Problem.
	Likelihood em.Likelihood
	// Theta returns Likelihood's θ for the tables of a completion. The law em.LogLinear with Sigma
	// = 1/√β has the same objective.
	Theta func(tables []Table) ([]float64, error)
	// Options are passed to em.Fit, except Start. EStep selects marginal EM (the default) or
	// Viterbi EM.
	Options *em.Options
}

// Solution holds the results of the stages of Problem.Fit.
type Solution struct {
	// Relaxed has the bounds of the relaxed problem and its relations.
	Relaxed *Result
	// Rounded has the labels, with their objective.
	Rounded *Rounded
	// Polished is the result of EM, nil without Polish. If the likelihood has the ridge as its
	// prior, its objective is a log posterior: it sums over labels and has the opposite sign of the
	// loss of labels. See How good in the package comment.
	Polished *em.Result
}

// Fitting contains the settings of Problem.Fit. The zero value of each field, except Rounding.Rand,
// means the default.
type Fitting struct {
	Solver   Splitting
	Rounding Rounding
	// Polish, if nil, omits EM.
	Polish *Polish
}

// Fit relaxes, rounds and polishes. The error comes from the stage that failed. The Solution holds
// the results of earlier stages even then, also when ctx is done.
func (p *Problem) Fit(ctx context.Context, how Fitting) (*Solution, error) {
	nonnil.Check("convex: Fit", "context", ctx)
	s := new(Solution)
	var err error
	if s.Relaxed, err = how.Solver.Solve(ctx, p); err != nil {
		return s, err
	}
	if s.Rounded, err = p.Round(s.Relaxed.Relations, how.Rounding); err != nil || how.Polish == nil {
		return s, err
	}
	s.Polished, err = how.Polish.Run(ctx, s.Rounded.Tables)
	return s, err
}

// Run runs EM from the parameters in the tables. Errors come from Theta and em.Fit.
func (p *Polish) Run(ctx context.Context, tables []Table) (*em.Result, error) {
	nonnil.Check("convex: Run", "context", ctx)
	var o em.Options
	if p.Options != nil {
		o = *p.Options
	}
	var err error
	if o.Start, err = p.Theta(tables); err != nil {
		return nil, nested.Errorf("convex: polish: %w", err)
	}
	return em.Fit(ctx, p.Likelihood, &o)
}
