package phylo

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/models/phylo/msa"
)

// The log likelihood is flat in the length of a branch whose ends are nearly independent. It has a
// saddle where a branch has length 0 and another one explains its changes. climb starts at lengths
// where it is not flat, and leaves saddles.
const (
	// Defaults of em.Options with L-BFGS. Such a fit takes a few evaluations more than with the
	// tolerance of package em.
	reversibleTolerance  = 1e-10
	reversibleIterations = 500
	// Lengths below saddleLength and above flatLength are tried again at the end.
	saddleLength = 1e-4
	flatLength   = 2
	flatShape    = .05 // the same for shapes below it or above its inverse
	// worthwhile is the least gain, relative to the log likelihood, for which training continues.
	worthwhile = 1e-9
)

// scales are the trial lengths, shapes the trial shapes.
var (
	scales = []float64{1. / 4096, 1. / 1024, 1. / 256, 1. / 64, 1. / 16, 1. / 4, 1}
	shapes = []float64{1. / 4, 1, 4}
)

// climb is a fit of a reversible process.
type climb struct {
	reversibleKernel
	likelihood *Likelihood
	opts       em.Options
	first      []float64 // branch lengths of the first start
}

// fit trains *theta: see Columns.Fit.
func (k reversibleKernel) fit(ctx context.Context, l *Likelihood, theta *[]float64, opts em.Options) (*em.Result, error) {
	if _, ok := opts.Method.(em.LBFGS); ok {
		opts.Tolerance = cmp.Or(opts.Tolerance, reversibleTolerance)
		opts.Iterations = cmp.Or(opts.Iterations, reversibleIterations)
	}
	c := &climb{reversibleKernel: k, likelihood: l, opts: opts}
	if err := c.begin(ctx, *theta); err != nil {
		return nil, err
	}
	r, err := em.FitFrom(ctx, l, theta, &c.opts)
	if err != nil {
		return r, err
	}
	for range 2 * len(k.length.In(r.Theta)) { // an upper bound: each round gains
		next, err := c.leave(ctx, r)
		if ctx.Err() != nil {
			r.Status = em.Canceled
		}
		if err != nil || next == nil {
			return r, err
		}
		o := c.opts
		o.Start, o.Starts, o.Restarts, o.Checkpoint = next, nil, 0, ""
		again, err := em.Fit(ctx, l, &o)
		if again == nil || err != nil && again.Last() <= r.Last() {
			return r, err
		}
		extend(r, again)
		*theta = r.Theta
		if err != nil {
			return r, err
		}
	}
	return r, nil
}

// begin replaces the starts by starts at which the likelihood is not flat. Random ones are drawn
// around the first.
func (c *climb) begin(ctx context.Context, theta []float64) error {
	o := &c.opts
	if o.Start == nil {
		o.Start = theta
	}
	starts := append([][]float64{o.Start}, o.Starts...)
	if err := c.likelihood.params.Check(o.Start); err != nil {
		return err
	}
	c.first = slices.Clone(c.length.In(o.Start))
	for i, s := range starts {
		if err := c.likelihood.params.Check(s); err != nil {
			return err
		}
		starts[i] = c.reach(ctx, s)
	}
	for ; o.Restarts > 0 && o.Rand != nil; o.Restarts-- {
		src := rand.NewPCG(o.Rand.Uint64(), o.Rand.Uint64())
		s := c.likelihood.params.Random(src)
		copy(c.length.In(s), c.length.In(starts[0]))
		c.length.Law().Random(c.length.In(s), src)
		starts = append(starts, c.reach(ctx, s))
	}
	o.Start, o.Starts, o.InPlace = starts[0], starts[1:], false
	return nil
}

// reach returns theta with the most probable branch lengths among its own, its own scaled, and
// equal ones; the latter two have the mean lengths in scales. If the likelihood may be flat in the
// shape, the values in shapes are tried, too.
func (c *climb) reach(ctx context.Context, theta []float64) []float64 {
	t := c.trial(ctx, theta, math.Inf(-1))
	longest := floats.Max(c.length.In(theta))
	mean := 0.0 // of the lengths, divided by the greatest
	for _, x := range c.length.In(theta) {
		mean += x / longest / float64(c.length.Len())
	}
	for _, scale := range scales {
		c.tryShapes(t, theta, func(next []float64) {
			for v, x := range c.length.In(theta) {
				c.length.In(next)[v] = max(x/longest*(scale/mean), shortest)
			}
		})
		c.tryShapes(t, theta, func(next []float64) {
			for v := range c.length.In(next) {
				c.length.In(next)[v] = scale
			}
		})
	}
	if t.best == nil {
		return theta
	}
	return t.best
}

// trial compares the likelihoods of several θ.
type trial struct {
	log  func(theta []float64) float64
	best []float64 // nil: the first is best
	most float64
}

// trial returns a comparison in which another θ must gain the fraction gain of the log likelihood
// of theta.
func (c *climb) trial(ctx context.Context, theta []float64, gain float64) *trial {
	t := &trial{log: func(theta []float64) float64 {
		p, err := c.likelihood.LogProb(ctx, theta, c.opts.Workers)
		if err != nil {
			return math.Inf(-1) // em.Fit returns the error, unless it depends on θ
		}
		return p
	}}
	t.most = t.log(theta)
	t.most += max(0, gain*math.Abs(t.most))
	return t
}

// try changes a copy of theta.
func (t *trial) try(theta []float64, change func(next []float64)) {
	next := slices.Clone(theta)
	change(next)
	if p := t.log(next); p > t.most {
		t.best, t.most = next, p
	}
}

// tryShapes is try, repeated with each of shapes if the likelihood may be flat at the shape of
// theta.
func (c *climb) tryShapes(t *trial, theta []float64, change func(next []float64)) {
	t.try(theta, change)
	if c.shape == nil || c.shape.In(theta)[0] >= flatShape && c.shape.In(theta)[0] <= 1/flatShape {
		return
	}
	for _, x := range shapes {
		t.try(theta, func(next []float64) {
			change(next)
			c.shape.In(next)[0] = x
		})
	}
}

// leave returns a better θ if the fit r has ended at a saddle or in a flat region of the
// likelihood. Otherwise it returns nil and adds remarks for parameters at a bound.
func (c *climb) leave(ctx context.Context, r *em.Result) ([]float64, error) {
	if r.Status != em.Converged && r.Status != em.Stalled {
		r.Remarks = append(slices.Clip(r.Remarks), c.absent(r.Theta)...) // at a bound for any status
		return nil, nil
	}
	e, err := c.likelihood.Expect(ctx, em.Query{Theta: r.Theta, Temperature: c.opts.Temperature, Workers: c.opts.Workers})
	if err != nil {
		return nil, err
	}
	t := c.trial(ctx, r.Theta, max(worthwhile, c.opts.Tolerance))
	try := func(branches ...int) {
		for _, scale := range scales {
			t.try(r.Theta, func(next []float64) {
				for _, v := range branches {
					c.length.In(next)[v] = scale
				}
			})
		}
	}
	var flat []int
	for v, x := range c.length.In(r.Theta) {
		if x > flatLength {
			flat = append(flat, v)
		}
		if x > flatLength || x < saddleLength && c.length.In(e.Counts)[v] > 0 {
			try(v)
		}
	}
	if len(flat) > 1 {
		try(flat...)
	}
	c.tryShapes(t, r.Theta, func([]float64) {})
	if ctx.Err() != nil {
		return nil, nested.Errorf("phylo: canceled: %w", context.Cause(ctx))
	}
	if t.best == nil {
		c.place(c.length.In(r.Theta))
		r.Remarks = append(slices.Clip(r.Remarks), c.bounds(r.Theta)...)
	}
	return t.best, nil
}

// place restores the relative position of a root with two branches between their lower ends at the
// first start. It does not affect the alignment.
func (c *climb) place(length []float64) {
	tree := c.likelihood.tree
	children := tree.Nodes[tree.Root()].Children
	if len(children) != 2 {
		return
	}
	a, b := children[0], children[1]
	sum, share := length[a]+length[b], 1/(1+c.first[b]/c.first[a])
	if math.IsInf(sum, 1) {
		return
	}
	length[a], length[b] = max(shortest, sum*share), max(shortest, sum*(1-share))
}

// extend appends the continued fit next to r.
func extend(r, next *em.Result) {
	own := &r.Starts[r.Start]
	objective := append(slices.Clip(r.Objective), next.Objective...)
	own.Objective, own.Status = objective, next.Status
	next.Objective, next.Start, next.Starts = objective, r.Start, r.Starts
	*r = *next
}

// Parameters beyond these values are at a bound.
const (
	zeroLength    = 1e-6 // of a branch
	zeroExchange  = 1e-6 // of an exchangeability, as a share of their sum
	unequal       = 1e-3 // the fraction of a difference in base probabilities that remains
	constantShape = 1e3  // of rate classes: they differ by a few per cent
)

// bounds returns a remark for each kind of parameter that is at a bound at theta.
func (c *climb) bounds(theta []float64) (remarks []string) {
	r, speeds, err := c.rates(theta)
	if err != nil {
		return nil
	}
	slowest := 0.0 // the greatest negative eigenvalue; 0 if bases do not change
	for _, x := range r.value {
		if x < 0 && (slowest == 0 || x > slowest) {
			slowest = x
		}
	}
	var zero, endless []string
	tree := c.likelihood.tree
	label := func(v int) string {
		if name := tree.Nodes[v].Name; name != "" {
			return name
		}
		return fmt.Sprintf("node %d", v)
	}
	top := tree.Nodes[tree.Root()].Children
	for v, t := range c.length.In(theta) {
		name := label(v)
		if len(top) == 2 && v == top[1] {
			continue // part of the other branch, as the root may be anywhere on it
		}
		if len(top) == 2 && v == top[0] {
			t += c.length.In(theta)[top[1]]
			name += " to " + label(top[1])
		}
		switch {
		case t < zeroLength:
			zero = append(zero, name)
		case math.Exp(slowest*t*slices.Max(speeds)) < unequal:
			endless = append(endless, fmt.Sprintf("%s (%.3g)", name, t))
		}
	}
	remark := func(format, text string) { remarks = append(remarks, fmt.Sprintf(format, text)) }
	if len(zero) > 0 {
		remark("branch lengths that are best at 0: %s", strings.Join(zero, ", "))
	}
	if len(endless) > 0 {
		remark("branches so long that the bases at their ends are independent, where greater lengths are as probable: %s", strings.Join(endless, ", "))
	}
	var never []string
	for i, class := range c.process.Exchange {
		if c.exchange.In(theta)[class] < zeroExchange {
			never = append(never, exchangeNames[i])
		}
	}
	if len(never) > 0 {
		remark("exchangeabilities that are best at 0: %s", strings.Join(never, ", "))
	}
	if c.shape != nil {
		switch x := c.shape.In(theta)[0]; {
		case x > constantShape:
			remark("the shape of the rate classes is %s, so that sites hardly differ in their rates", fmt.Sprintf("%.3g", x))
		case x < leastShape*1.01:
			remark("the shape of the rate classes is at its least value, %s", fmt.Sprint(leastShape))
		}
	}
	return append(remarks, c.absent(theta)...)
}

// absent returns the remark for bases of frequency 0, or nil if all frequencies are positive.
func (c *climb) absent(theta []float64) []string {
	var lacking []string
	for b, f := range c.frequencies.In(theta) {
		if f == 0 {
			lacking = append(lacking, msa.Bases[b:b+1])
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return []string{"bases of frequency 0, whose rates the alignment does not determine: " + strings.Join(lacking, ", ")}
}

// exchangeNames are the pairs of bases of Reversible.Exchange.
var exchangeNames = [6]string{"AC", "AG", "AT", "CG", "CT", "GT"}
