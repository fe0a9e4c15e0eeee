package convex

import (
	"context"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
)

// Polish says how EM goes on from rounded labels.
type Polish struct {
	// Likelihood is of the same data under the same model, from a package of models or
	// a cascade.Problem.
	Likelihood em.Likelihood
	// Theta returns Likelihood's θ for the tables of a completion. A law
	// em.LogLinear with Sigma = 1/√β has the same objective.
	Theta func(tables []Table) ([]float64, error)
	// Options are handed to em.Fit, except Start: EStep says whether to polish by
	// marginal (the default) or Viterbi EM.
	Options *em.Options
}

// Solution holds what each stage of Problem.Fit found.
type Solution struct {
	// Relaxed has the bounds of the relaxed problem and its relations.
	Relaxed *Result
	// Rounded has the labels, with their objective.
	Rounded *Rounded
	// Polished is the result of EM, nil without Polish. Its objective is a log posterior where
	// the likelihood has the ridge as its prior: it sums over labels and has the other sign than
	// the loss of labels, see How good in the package comment.
	Polished *em.Result
}

// Fitting says how Problem.Fit works. The zero value of each field, except Rounding.Rand,
// means the default.
type Fitting struct {
	Solver   Splitting
	Rounding Rounding
	// Polish is none by default.
	Polish *Polish
}

// Fit relaxes, rounds and polishes. The error comes from the stage that failed; the
// Solution holds what was found before, also when ctx is done.
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

// Run goes on by EM from the parameters that the tables hold. Errors come from Theta and
// em.Fit.
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
