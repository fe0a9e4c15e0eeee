package agree

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"sync/atomic"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/nested"
)

// LoopyOptions configures the messages between the submodels of LoopyBelief. The zero value of a
// field means the default.
type LoopyOptions struct {
	// Choice returns the index of the choice that contains feature k of example i. Indices start
	// at 0 and have no gaps. A structure has at most one feature of each choice, at most once,
	// such as the word that a word is linked to. If Choice is nil, each feature is a choice: an
	// event that happens or not. Submodels send messages about choices. So features that depend
	// on each other within a submodel are better one choice than many.
	Choice func(i, k int) int
	// Concerns reports whether submodel m sends messages about a choice of example i. If Concerns
	// is nil, each submodel does so about all choices. Submodel m must not have features of other
	// choices.
	Concerns func(m, i, choice int) bool
	// Rounds bounds the number of messages of each submodel per example (default 50).
	Rounds int
	// Tolerance is the change of a message, a distribution over a choice, at or below which an
	// example has converged (default 1e-9).
	Tolerance float64
	// Damping, in [0, 1), is the share of the previous message in the logarithm of the next one
	// (default 0). If examples do not converge, try ½.
	Damping float64
}

// Loopy is the likelihood that LoopyBelief returns.
type Loopy struct {
	em.Excluder
	*corpus
	options   LoopyOptions
	unsettled *atomic.Int64
}

// LoopyBelief returns an approximation of the exact objective, Σ_x ln Σ_z Π_m p_m(x, z), for
// submodels whose product has no lattice: loopy belief propagation (Pearl 1988; Yedidia, Freeman
// and Weiss 2005), with whole submodels as factors (Smith and Eisner 2008). Each submodel sums
// over its own structures exactly, given the incoming messages about each choice, as if choices
// were independent. Its outgoing message about a choice is its posterior divided by the incoming
// message. Rounds of messages repeat until they converge.
//
// The objective is the Bethe free energy, and counts are its derivatives if messages have
// converged. If no two submodels are connected by choices in two ways, directly or through
// others, the objective and the counts are exact. Otherwise there is no guarantee: the objective
// may be above or below the exact one, its maximum may differ, messages may not converge, and an
// M step may lower it. So it is an em.Heuristic. Unconverged returns the number of examples whose
// messages did not converge.
//
// There is no mean-field variant; the package comment gives the reasons.
//
// A nil opts stands for the defaults. The policy and the errors are as in Averaged. Inferences
// must be Tilted, such as those of Marked; otherwise the error wraps em.ErrInvalid. An E step
// costs one E step of each submodel per round. A probability in a message is accurate to about
// 1e-16 times the odds of the incoming message. The smallest incoming value of a choice is raised
// to e⁻⁵⁰ times the largest.
func LoopyBelief(policy em.Policy, opts *LoopyOptions, submodels ...Submodel) (*Loopy, error) {
	var o LoopyOptions
	if opts != nil {
		o = *opts
	}
	o.Rounds = cmp.Or(o.Rounds, 50)
	o.Tolerance = cmp.Or(o.Tolerance, 1e-9)
	switch {
	case o.Rounds < 0 || !(o.Tolerance >= 0):
		return nil, nested.Errorf("agree: %w: %d rounds to a tolerance of %g", em.ErrInvalid, o.Rounds, o.Tolerance)
	case !(o.Damping >= 0 && o.Damping < 1):
		return nil, nested.Errorf("agree: %w: damping by %g, want a number in [0, 1)", em.ErrInvalid, o.Damping)
	case policy != em.Fail && policy != em.Skip:
		return nil, nested.Errorf("agree: %w: unknown policy %d", em.ErrInvalid, policy)
	}
	if err := alike(submodels); err != nil {
		return nil, nested.Errorf("agree: %w", err)
	}
	for m, s := range submodels {
		if _, ok := s.Infer().(Tilted); !ok {
			return nil, notTilted(m)
		}
	}
	r := rule{name: "loopy", temperature: 1, share: 1, scale: 1}
	l := &Loopy{options: o, unsettled: new(atomic.Int64), corpus: newCorpus(policy, submodels, r)}
	l.Excluder = em.Sharded[em.Query, talk]{
		Package: "agree",
		Params:  submodels[0].Params(),
		Cut:     l.cut,
		Fingerprint: func(w io.Writer) {
			fmt.Fprintln(w, o.Rounds, o.Tolerance, o.Damping)
			l.fingerprint(w)
		},
		Tempered:    true,
		Underivable: policy,
		Begin: func(q em.Query) (em.Query, error) {
			l.unsettled.Store(0)
			return l.begin(q)
		},
		NewWorker: func() *talk { return &talk{of: l, worker: l.hire()} },
		Weight:    l.weight,
		Name:      l.exampleName,
		Open:      emptyTally[talk],
		Sum:       (*talk).example,
		Drain:     func(t *talk, _ em.Query, shard int, a *em.Tally) error { return l.drain(t.worker, shard, a) },
	}.Excluder()
	return l, nil
}

// notTilted returns the error for submodel m, whose inferences are not Tilted.
func notTilted(m int) error {
	return nested.Errorf("agree: %w: submodel %d cannot receive messages: it has no method Tilt; "+
		"use submodels of Marked, or Averaged, ProductOfPosteriors or Independent in place of LoopyBelief", em.ErrInvalid, m)
}

// Heuristic reports whether there is more than one submodel.
func (l *Loopy) Heuristic() bool { return len(l.submodels) > 1 }

// Unconverged returns the number of examples whose messages did not converge in the last E step.
func (l *Loopy) Unconverged() int { return int(l.unsettled.Load()) }

// talk holds one goroutine's messages between the submodels about the current example.
//
// The values of a choice are its features and "none of them". A message holds the logarithm of
// each value, in the order of the features and then, for "none of them", of the choices.
type talk struct {
	*worker
	of       *Loopy
	features int
	choice   []int       // per value
	choices  int         // number of choices
	concerns []bool      // per submodel and choice
	said     [][]float64 // outgoing messages, per submodel and value
	told     []float64   // incoming message, per value; before and both are also per value
	before   []float64
	both     []float64
	field    []float64 // per feature
	top, sum []float64 // per choice
	round    float64   // largest change of a message in the current round
}

// least is the logarithm of the smallest incoming probability relative to the largest of the
// choice. leastSaid is the same for outgoing messages.
const (
	least     = -50
	leastSaid = -300
)

// example makes all submodels count example i with the converged messages, and returns its free
// energy.
func (t *talk) example(_ em.Query, i int, weight float64, a *em.Tally) (float64, error) {
	derivable, err := t.meet(i, a)
	if err != nil || !derivable {
		return math.Inf(-1), err
	}
	settled := false
	for round := 0; round < t.of.options.Rounds && !settled; round++ {
		t.round = 0
		for m := range t.inferences {
			p, err := t.ask(m, i, a)
			if err != nil {
				return 0, err
			}
			t.say(m, p.Features)
		}
		settled = t.round <= t.of.options.Tolerance
	}
	if !settled {
		t.of.unsettled.Add(1)
	}
	energy := t.agreed()
	for m, inference := range t.inferences {
		p, err := t.ask(m, i, a)
		if err != nil {
			return 0, err
		}
		energy += p.Total.Log() + t.normalizer(m)
		inference.Count(p.Features, weight)
	}
	return energy, nil
}

// meet computes the features of example i in all submodels without messages, and resets the
// messages.
func (t *talk) meet(i int, a *em.Tally) (derivable bool, err error) {
	derivable = true
	n := 0
	for m, inference := range t.inferences {
		p, err := inference.Posterior(i)
		if err != nil {
			return false, nested.Errorf("submodel %d: %w", m, err)
		}
		a.Arcs += p.Arcs
		derivable = derivable && !p.Total.IsZero()
		if m > 0 && len(p.Features) != n {
			return false, errFeatures(len(p.Features), m, n)
		}
		n = len(p.Features)
	}
	if !derivable {
		return false, nil
	}
	t.features, t.choice, t.choices = n, t.choice[:0], 0
	for k := range n {
		c := k
		if t.of.options.Choice != nil {
			if c = t.of.options.Choice(i, k); c < 0 || c >= n {
				return false, fmt.Errorf("%w: feature %d belongs to choice %d, want one below %d", em.ErrInvalid, k, c, n)
			}
		}
		t.choice, t.choices = append(t.choice, c), max(t.choices, c+1)
	}
	for c := range t.choices {
		t.choice = append(t.choice, c)
	}
	t.concerns = t.concerns[:0]
	for len(t.said) < len(t.inferences) {
		t.said = append(t.said, nil)
	}
	for m := range t.inferences {
		t.said[m] = zeros(t.said[m], len(t.choice))
		for c := range t.choices {
			t.concerns = append(t.concerns, t.of.options.Concerns == nil || t.of.options.Concerns(m, i, c))
		}
	}
	t.field = zeros(t.field, n)
	return true, nil
}

// zeros returns a zeroed slice of length n, reusing s if possible.
func zeros(s []float64, n int) []float64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// concerned reports whether submodel m sends messages about a choice.
func (t *talk) concerned(m, choice int) bool { return t.concerns[m*t.choices+choice] }

// hear adds the outgoing message of submodel m to dst.
func (t *talk) hear(dst []float64, m int) {
	for v, c := range t.choice {
		if t.concerned(m, c) {
			dst[v] += t.said[m][v]
		}
	}
}

// listen sets t.told to the incoming message of submodel m from the others.
func (t *talk) listen(m int) {
	t.told = zeros(t.told, len(t.choice))
	for other := range t.inferences {
		if other != m {
			t.hear(t.told, other)
		}
	}
	top := t.greatest(t.told)
	for v, c := range t.choice {
		t.told[v] = max(t.told[v]-top[c], least)
	}
}

// ask returns the posterior of submodel m given its incoming message.
func (t *talk) ask(m, i int, a *em.Tally) (Posterior, error) {
	t.listen(m)
	for k := range t.field {
		t.field[k] = 0
		if c := t.choice[k]; t.concerned(m, c) {
			t.field[k] = t.told[k] - t.told[t.features+c]
		}
	}
	inference, ok := t.inferences[m].(Tilted)
	if !ok {
		return Posterior{}, notTilted(m)
	}
	p, err := inference.Tilt(i, t.field)
	if err != nil {
		return Posterior{}, nested.Errorf("submodel %d: %w", m, err)
	}
	a.Arcs += p.Arcs
	if p.Total.IsZero() {
		return Posterior{}, fmt.Errorf("submodel %d: %w: the others leave it no structure", m, em.ErrUnderivable)
	}
	return p, nil
}

// say sets the outgoing message of submodel m, the last one asked: its posterior divided by its
// incoming message.
func (t *talk) say(m int, features []float64) {
	s := t.said[m]
	t.before = append(t.before[:0], s...)
	for v := range s {
		s[v] = 1
	}
	copy(s, features)
	for k, x := range features {
		s[t.features+t.choice[k]] -= x
	}
	for v, x := range s {
		s[v] = math.Log(max(x, 0)) - t.told[v]
	}
	t.normalize(s)
	if keep := t.of.options.Damping; keep > 0 {
		for v := range s {
			s[v] = keep*t.before[v] + (1-keep)*s[v]
		}
		t.normalize(s)
	}
	for v, c := range t.choice {
		if t.concerned(m, c) {
			t.round = max(t.round, math.Abs(math.Exp(s[v])-math.Exp(t.before[v])))
		}
	}
}

// normalize scales the message about each choice to a distribution.
func (t *talk) normalize(s []float64) {
	sum := t.sums(s)
	for v, c := range t.choice {
		s[v] = max(s[v]-sum[c], leastSaid)
	}
}

// greatest returns the largest value of each choice. The result is valid until the next call.
func (t *talk) greatest(s []float64) []float64 {
	t.top = append(t.top[:0], s[t.features:]...)
	for v, c := range t.choice {
		t.top[c] = max(t.top[c], s[v])
	}
	return t.top
}

// sums returns, for each choice, the ln of the sum of exp over its values. The result is valid
// until the next call.
func (t *talk) sums(s []float64) []float64 {
	top := t.greatest(s)
	t.sum = zeros(t.sum, t.choices)
	for v, c := range t.choice {
		t.sum[c] += math.Exp(s[v] - top[c])
	}
	for c := range t.sum {
		t.sum[c] = top[c] + math.Log(t.sum[c])
	}
	return t.sum
}

// agreed returns Σ over choices of the ln of Σ over values of the product of all messages.
func (t *talk) agreed() float64 {
	t.both = zeros(t.both, len(t.choice))
	for m := range t.inferences {
		t.hear(t.both, m)
	}
	energy := 0.0
	for c, x := range t.sums(t.both) {
		for m := range t.inferences {
			if t.concerned(m, c) {
				energy += x
				break
			}
		}
	}
	return energy
}

// normalizer returns the terms of submodel m, the last one asked, in the free energy besides its
// path sum: the part of the incoming message that the field leaves out, minus, for each choice,
// ln Σ over values of the incoming times the outgoing message.
func (t *talk) normalizer(m int) float64 {
	t.both = append(t.both[:0], t.told...)
	t.hear(t.both, m)
	x := 0.0
	for c, sum := range t.sums(t.both) {
		if t.concerned(m, c) {
			x += t.told[t.features+c] - sum
		}
	}
	return x
}
