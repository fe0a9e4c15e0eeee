package nbest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// Example is a source with its correct targets.
type Example struct {
	Source  []int32
	Targets [][]int32
}

// FitOptions configure Product.Fit; nil stands for the zero value.
type FitOptions struct {
	// Loss makes Fit minimize the expected loss of a candidate drawn by the product; the loss of a
	// candidate is its least loss over the right targets. If Loss is nil, Fit maximizes the total
	// probability of the right candidates.
	Loss Loss
	// Candidates is the number of targets requested from each factor (default 20).
	Candidates int
	// Sigma is the standard deviation of a Gaussian prior of each weight around its current value
	// (0: no prior). Without a prior, a risk may decrease without bound as weights grow.
	Sigma float64
	// Training is passed to em.Fit (nil: L-BFGS). Training starts at the current weights of the
	// product.
	Training *em.Options
}

// Fit trains the weights of the product, as exponents of a log-linear model: the candidates that
// the factors propose for a source have probabilities proportional to exp Σ weight · ln p. Do not
// use the data that the factors were trained on. The likelihood is concave in the weights, the risk
// is not.
//
// Fit ignores sources that all factors reject with ErrUnknown, and for likelihood also sources
// without a right candidate. If none remains, the error wraps em.ErrUnderivable. Other errors wrap
// ErrInvalid, or come from the factors, from the loss and from em.Fit. A weight may become
// negative. Fit changes the product, which must not be used concurrently. Fit calls each factor
// once for each source and candidate; training takes little time after that.
func (p *Product) Fit(ctx context.Context, data []Example, o *FitOptions) (*em.Result, error) {
	nonnil.Check("nbest: Fit", "context", ctx)
	var options FitOptions
	if o != nil {
		options = *o
	}
	if options.Candidates = cmp.Or(options.Candidates, 20); options.Candidates < 0 {
		return nil, nested.Errorf("nbest: %w: %d candidates", ErrInvalid, options.Candidates)
	}
	f := p.newLists(options)
	for i, x := range data {
		if err := f.add(ctx, x); err != nil {
			return nil, nested.Errorf("nbest: source %d: %w", i, err)
		}
	}
	objective, err := f.objective()
	if err != nil {
		return nil, err
	}
	training := em.Options{Method: em.LBFGS{}}
	if options.Training != nil {
		training = *options.Training
		if training.Method == nil {
			training.Method = em.LBFGS{}
		}
	}
	result, err := em.Fit(ctx, objective, &training)
	if result != nil {
		for k, g := range f.exponents {
			p.factors[k].Weight = g.In(result.Theta)[0]
		}
	}
	return result, err
}

// Weights returns the weights of the factors.
func (p *Product) Weights() []float64 {
	var weights []float64
	for _, f := range p.factors {
		weights = append(weights, f.Weight)
	}
	return weights
}

// lists contains the candidates of the data, with their weights as functions of the exponents.
type lists struct {
	product   *Product
	options   FitOptions
	params    *em.Params
	exponents []*em.Group // of each factor
	loss      *em.Group   // one parameter of value 1, to the power of the loss
	all       [][]expr.W
	right     [][]expr.W // empty: no right candidate was proposed
}

func (p *Product) newLists(options FitOptions) *lists {
	f := &lists{product: p, options: options, params: em.NewParams()}
	for k, w := range p.Weights() {
		law := em.Exponents{Mean: em.Times(w), Sigma: options.Sigma}
		f.exponents = append(f.exponents, f.params.Group(fmt.Sprintf("weight %d", k), 1, law))
	}
	f.loss = f.params.Group("loss", 1, em.Fixed{})
	return f
}

// add adds a source.
func (f *lists) add(ctx context.Context, x Example) error {
	if len(x.Targets) == 0 {
		return fmt.Errorf("%w: no target is correct", ErrInvalid)
	}
	_, found, _, err := f.product.propose(ctx, x.Source, f.options.Candidates)
	if errors.Is(err, ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	var all, right []expr.W
	seen := map[string]bool{}
	for _, c := range found {
		if seen[key(c.Labels)] {
			continue
		}
		seen[key(c.Labels)] = true
		w, err := f.weigh(x, c.Labels)
		if err != nil {
			return err
		}
		if w == expr.Zero {
			continue
		}
		all = append(all, w)
		if slices.ContainsFunc(x.Targets, func(y []int32) bool { return slices.Equal(y, c.Labels) }) {
			right = append(right, w)
		}
	}
	if len(all) > 0 {
		f.all, f.right = append(f.all, all), append(f.right, right)
	}
	return nil
}

// weigh returns the weight of candidate y: the factors' probabilities to the powers of their
// exponents, and the parameter e to the power of its loss, so that the count of this parameter is
// the loss.
func (f *lists) weigh(x Example, y []int32) (expr.W, error) {
	space := f.params.Space()
	product := space.One()
	times := func(w expr.W, power float64) error {
		w, ok := space.RealPower(w, power)
		if !ok {
			return fmt.Errorf("%w: candidate %v has ln p or a loss of %g", ErrInvalid, y, power)
		}
		product = space.Times(product, w)
		return nil
	}
	for k, factor := range f.product.factors {
		logp, err := factor.Predictor.LogProb(x.Source, y)
		switch {
		case errors.Is(err, ErrUnknown):
			continue
		case err != nil:
			return expr.Zero, err
		case math.IsInf(logp, -1):
			return expr.Zero, nil
		}
		if err := times(f.exponents[k].Weight(0), logp); err != nil {
			return expr.Zero, err
		}
	}
	if f.options.Loss == nil {
		return product, nil
	}
	least := math.Inf(1)
	for _, right := range x.Targets {
		loss, err := f.options.Loss(y, right)
		if err != nil {
			return expr.Zero, err
		}
		least = min(least, loss)
	}
	return product, times(f.loss.Weight(0), least)
}

// objective returns the objective function that em.Fit maximizes.
func (f *lists) objective() (em.Likelihood, error) {
	switch {
	case len(f.all) == 0:
		return nil, nested.Errorf("nbest: %w: no source has a candidate", em.ErrUnderivable)
	case f.options.Loss == nil && !slices.ContainsFunc(f.right, func(ws []expr.W) bool { return len(ws) > 0 }):
		return nil, nested.Errorf("nbest: %w: no source has a right candidate", em.ErrUnderivable)
	}
	all, err := f.likelihood(f.all)
	if err != nil {
		return nil, err
	}
	if f.options.Loss != nil {
		risk := &em.Risk{Likelihood: all, Loss: make([]float64, f.params.Len())}
		risk.Loss[f.loss.First()] = 1
		return risk, nil
	}
	right, err := f.likelihood(f.right)
	if err != nil {
		return nil, err
	}
	return &em.Difference{Plus: right, Minus: all}, nil
}

// likelihood returns the likelihood of graphs with an arc for each candidate.
func (f *lists) likelihood(lists [][]expr.W) (em.Likelihood, error) {
	l, err := cascade.Derivations{
		Examples:    len(lists),
		Underivable: em.Skip,
		Graph: func(i int) (*graph.Graph[expr.W], error) {
			n := int32(len(lists[i]))
			return machines.ExprGraph(f.params.Space(), []int32{0, n, n}, slices.Repeat([]int32{1}, int(n)), lists[i],
				[]graph.Start[expr.W]{{State: 0, Weight: expr.One}}, []expr.W{expr.Zero, expr.One})
		},
	}.Likelihood(f.params)
	if err != nil {
		return nil, nested.Errorf("nbest: %w", err)
	}
	return l, nil
}
