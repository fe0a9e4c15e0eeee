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

// LoopyOptions say how the submodels of LoopyBelief talk to each other. The zero value of
// a field means the default.
type LoopyOptions struct {
	// Choice returns the choice that feature k of example i belongs to, from 0, without
	// gaps. A structure has at most one feature of each choice, and that one once: which
	// word a word is linked to, for one (nil: each feature is a choice, an event that
	// happens or not). Submodels pass each other messages about choices, so that those
	// which depend on each other within a submodel are better one choice than many.
	Choice func(i, k int) int
	// Concerns reports whether submodel m says anything of a choice of example i (nil:
	// each does of all). Features of other choices it must not have.
	Concerns func(m, i, choice int) bool
	// Rounds bounds how often each submodel is asked (default 50).
	Rounds int
	// Tolerance is the change of a message, a distribution over a choice, below which an
	// example is settled (default 1e-9).
	Tolerance float64
	// Damping, in [0, 1), is the share that the message before keeps in ln of the next one
	// (default 0). Where examples do not settle, try ½.
	Damping float64
}

// Loopy is the likelihood that LoopyBelief returns.
type Loopy struct {
	em.Excluder
	*corpus
	options   LoopyOptions
	unsettled *atomic.Int64
}

// LoopyBelief returns an approximation of the exact objective, Σ_x ln Σ_z Π_m p_m(x, z),
// for submodels whose product has no lattice: loopy belief propagation (Pearl 1988;
// Yedidia, Freeman and Weiss 2005), with whole submodels for factors (Smith and Eisner 2008).
// Each submodel sums over its own structures exactly, given what the others say of each
// choice as if choices were independent. What it then says of a choice is its posterior,
// divided by what it was told. That goes round until it settles.
//
// The objective is the Bethe free energy, and counts are its derivatives where messages have
// settled. If no choices connect two submodels in two ways, directly or through others, it
// is the exact objective, and so are the counts. Otherwise nothing is promised: it may be
// above or below, its maximum another one, messages may not settle, and an M step may lower
// it. So it is an em.Heuristic. Unsettled says for how many examples messages went round in
// vain.
//
// There is no mean-field variant; the package comment says why.
//
// A nil opts stands for the defaults. The policy is as in Averaged, and so are the errors.
// Inferences must be Tilted, as those of Marked are; the error wraps em.ErrInvalid otherwise. An
// E step costs one of each submodel per round. A probability of a message is accurate to about
// 1e-16 times the odds that it was told. What a submodel is told of a value is at least e⁻⁵⁰
// times what it is told of the best one of the choice.
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
		Hire:   func() *talk { return &talk{of: l, worker: l.hire()} },
		Weight: l.weight,
		Name:   l.exampleName,
		Sum:    (*talk).example,
		Drain:  func(t *talk, _ em.Query, shard int, a *em.Tally) error { return l.drain(t.worker, shard, a) },
	}.Excluder()
	return l, nil
}

// notTilted is the error for submodel m, whose inferences are not Tilted.
func notTilted(m int) error {
	return nested.Errorf("agree: %w: submodel %d cannot take in what others say of its features, by a method Tilt; "+
		"LoopyBelief takes those of Marked, and for others there are Averaged, ProductOfPosteriors and Independent", em.ErrInvalid, m)
}

// Heuristic reports whether there is more than one submodel.
func (l *Loopy) Heuristic() bool { return len(l.submodels) > 1 }

// Unsettled returns the number of examples whose messages did not settle in the last E step.
func (l *Loopy) Unsettled() int { return int(l.unsettled.Load()) }

// talk is one goroutine's E steps: messages between the submodels about an example.
//
// The values of a choice are its features, and none of them. What is said of them is ln of
// numbers, in the order of the features and then, for none, of the choices.
type talk struct {
	*worker
	of       *Loopy
	features int
	choice   []int       // per value
	choices  int         // their number
	concerns []bool      // per submodel and choice
	said     [][]float64 // per submodel and value
	told     []float64   // per value, and so are those that follow
	before   []float64
	both     []float64
	field    []float64 // per feature
	top, sum []float64 // per choice
	round    float64   // the greatest change of a message
}

// least is the ln of the least probability that a submodel is told, relative to the
// greatest of the choice, and leastSaid that of what is said.
const (
	least     = -50
	leastSaid = -300
)

// example has all submodels count example i by what they agree on, and returns its free energy.
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

// meet asks all submodels for the features of example i, about which nothing has been said.
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

// zeros returns n zeros, in s if there is room.
func zeros(s []float64, n int) []float64 {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// concerned reports whether submodel m says anything of a choice.
func (t *talk) concerned(m, choice int) bool { return t.concerns[m*t.choices+choice] }

// hear adds to dst what submodel m says.
func (t *talk) hear(dst []float64, m int) {
	for v, c := range t.choice {
		if t.concerned(m, c) {
			dst[v] += t.said[m][v]
		}
	}
}

// listen sets t.told to what submodel m is told by the others.
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

// ask returns what submodel m finds given what it is told.
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

// say sets what submodel m, which has been asked last, says: its posterior, divided by what
// it was told.
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

// normalize makes distributions of what is said of each choice.
func (t *talk) normalize(s []float64) {
	sum := t.sums(s)
	for v, c := range t.choice {
		s[v] = max(s[v]-sum[c], leastSaid)
	}
}

// greatest returns the greatest value of each choice, until the next call.
func (t *talk) greatest(s []float64) []float64 {
	t.top = append(t.top[:0], s[t.features:]...)
	for v, c := range t.choice {
		t.top[c] = max(t.top[c], s[v])
	}
	return t.top
}

// sums returns, for each choice, the ln of the sum of exp over its values, until the next
// call.
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

// agreed returns Σ over choices of the ln of Σ over values of the product of all that is said.
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

// normalizer returns what the free energy has of submodel m, which has been asked last,
// beside its sum: the weight of what it is told that the field leaves out, and less, for each
// choice, ln Σ over values of what it is told times what it says.
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
