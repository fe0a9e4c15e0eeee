package cascade

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/machines"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// Joint returns m with a parameter in place of every arc and stop weight. At each state the arcs
// and the stop weight form one group estimated by law. This is a Markovian joint model (Eisner
// 2002, §3), in which ⟦m⟧ sums to 1 over all pairs. Several starts, or a weighted one, become a
// group too. Arcs and starts that lead to no final state have the weight 0̄ and no parameter,
// because they would lose probability.
//
// Names of groups begin with name, which must be unique for each machine. If p already has a
// group with one of the names, fst.Err of the stage wraps em.ErrParameter.
//
// If the ring of m is Probabilistic, the weights of m, normalized in each group, are the start of
// the parameters. A group whose weights have no finite positive sum is an error of the stage. For
// other rings, law determines the start.
func Joint[W any](p *em.Params, name string, m fst.Machine[W], law em.Law) Stage {
	nonnil.Check("cascade: Joint", "parameters", p, "machine", m, "law", law)
	return made("Joint", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		z := newParameterizer(p, name, f, law)
		for s := range int32(f.NumStates()) {
			z.joint(s)
		}
		return z.machine()
	})
}

// ringOf returns the ring of p's expressions.
func ringOf(p *em.Params) semiring.Semiring[expr.W] { return p.Space() }

// made converts m to a machine over ring. It freezes m by expand, and returns the result of make,
// or a failed machine with the error of expand or make.
func made[V, W any](op string, ring semiring.Semiring[V], m fst.Machine[W], expand func(fst.Machine[W], *fst.Options) (*fst.FST[W], error), make func(f *fst.FST[W]) (*fst.FST[V], error)) fst.Machine[V] {
	f, err := expand(m, nil)
	if err != nil {
		return fst.Failed(ring, err)
	}
	result, err := make(f)
	if err != nil {
		return fst.Failed(ring, nested.Errorf("cascade: %s: %w", op, err))
	}
	return result
}

// mapped is fst.Map of a frozen machine; the result is frozen too.
func mapped[A, B any](f *fst.FST[A], ring semiring.Semiring[B], h func(A) B) *fst.FST[B] {
	return fst.Map(f, ring, h).(*fst.FST[B])
}

// Conditional returns m with parameters in place of its weights. At each state the arcs with the
// same input symbol form one group estimated by law: a Markovian conditional model. A state has
// two levels if it has input-ε arcs and also reads or stops. A coin decides whether to insert,
// and the insertions form one group. Each arc that reads, and the stop weight, contains the
// coin's other side as a factor. Without a coin the stop weight of a final state is 1. Arcs and
// starts that lead to no final state have the weight 0̄ and no parameter.
//
// So ⟦m⟧(x, ·) sums to 1 for every x with which m never gets stuck. This means that each state
// reached with a prefix of x can read the next symbol, stop at the end of x, or only insert. For
// other x it sums to less, because stuck paths are lost. In particular, a coin does not depend on
// the next symbol. A state that inserts or stops, but does not read, loses the probability of
// stopping before the end of x. Problem.Totals returns the sums over the outputs of given inputs.
// fst.Star(m) has such a state, which returns to the start or stops;
// fst.RemoveEpsilon(fst.Star(m)) does not.
//
// If the ring of m is Probabilistic, training starts at the weights of m, as in Joint, but the
// start of a coin comes from law. Arcs of equal weights start with equal values, even if EM should
// distinguish them. Options{Start: params.Random(src)} starts elsewhere.
//
// The name of a group is name/state/input, and the name of its parameter
// name/state/input[in:out], such as channel/0/a[a:b]. The labels are named by the machine's
// symbols, if any. Otherwise they are characters if all labels are, or numbers.
func Conditional[W any](p *em.Params, name string, m fst.Machine[W], law em.Law) Stage {
	nonnil.Check("cascade: Conditional", "parameters", p, "machine", m, "law", law)
	return made("Conditional", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		z := newParameterizer(p, name, f, law)
		for s := range int32(f.NumStates()) {
			z.conditional(s)
		}
		return z.machine()
	})
}

// Constants returns m with its weights as constants of p's Space. The ring of m
// must be Probabilistic, or fst.Err of the stage wraps semiring.ErrCapability.
func Constants[W any](p *em.Params, m fst.Machine[W]) Stage {
	nonnil.Check("cascade: Constants", "parameters", p, "machine", m)
	return made("Constants", ringOf(p), m, fst.Expand[W], func(f *fst.FST[W]) (*fst.FST[expr.W], error) {
		number, err := semiring.Convert(f.Semiring(), semiring.Scaled{})
		if err != nil {
			return nil, err
		}
		return mapped(f, ringOf(p), func(w W) expr.W { return p.Space().Const(number(w)) }), nil
	})
}

// Instantiate returns m at the parameters theta, a machine over ring, which must be Probabilistic.
// Its weights come from em.Params.Estimate. It returns the error of a failed m, and an error if
// theta is invalid, a weight has no value, or m has weights of other Params (em.ErrInvalid).
func Instantiate[W any](p *em.Params, m Stage, theta []float64, ring semiring.Semiring[W]) (*fst.FST[W], error) {
	nonnil.Check("cascade: Instantiate", "parameters", p, "machine", m, "ring", ring)
	f, err := machines.Exprs.Expand(m, nil)
	if err != nil {
		return nil, err
	}
	if f.Semiring() != semiring.Semiring[expr.W](p.Space()) {
		return nil, nested.Errorf("cascade: %w: Instantiate: the machine has weights of other Params", em.ErrInvalid)
	}
	if err := p.Check(theta); err != nil {
		return nil, err
	}
	number, err := semiring.FromScaled(ring)
	if err != nil {
		return nil, err
	}
	used := p.Space().NewSubset()
	addMachine(used, f)
	values, err := used.Evaluate(nil, p.Estimate(theta), 1)
	if err != nil {
		return nil, err
	}
	return mapped(f, ring, func(h expr.W) W { return number(values[h]) }), nil
}

// parameterizer collects the new weights of a machine.
type parameterizer[W any] struct {
	p     *em.Params
	f     *fst.FST[W]
	law   em.Law
	name  string
	names *arcNames
	prob  semiring.Probabilistic[W] // nil: no start from weights
	row   []int32
	live  []bool // states that lead to a final one; arcs to others are left out
	arcs  []expr.W
	final []expr.W
	err   error
	taken map[string]bool // existing names of groups

	// set makes the weights of members, which sum to factor.
	set func(name string, factor expr.W, members []member)
}

// member is a parameter to be made: the address of its weight, ln of its start, and its state and
// arc.
type member struct {
	to    *expr.W
	log   float64
	state int32
	arc   int32 // −1: stop
}

func newParameterizer[W any](p *em.Params, name string, f *fst.FST[W], law em.Law) *parameterizer[W] {
	z := &parameterizer[W]{p: p, f: f, law: law, name: name, names: newArcNames(f), row: f.Graph().Row(),
		arcs: make([]expr.W, f.NumArcs()), final: make([]expr.W, f.NumStates()), taken: map[string]bool{}}
	z.prob, _ = semiring.As[semiring.Probabilistic[W]](f.Semiring())
	for _, g := range p.Groups() {
		if strings.HasPrefix(g.String(), name) {
			z.taken[g.String()] = true
		}
	}
	// An arc of weight 0̄ is not left out: its weight is a start, or an error of its group.
	ways, err := f.Graph().WithWeights(slices.Repeat([]W{f.Semiring().One()}, f.NumArcs()), nil, f.Graph().Finals())
	if err != nil {
		z.fail(err) // never
		ways = f.Graph()
	}
	z.live = ways.Coaccessible()
	z.set = func(name string, factor expr.W, members []member) {
		z.group(name, members)
		for _, m := range members {
			*m.to = p.Space().Times(factor, *m.to)
		}
	}
	return z
}

// leads reports whether arc e leads to a final state.
func (z *parameterizer[W]) leads(e int32) bool { return z.live[z.f.Graph().To()[e]] }

// arc returns the member for arc e of state s.
func (z *parameterizer[W]) arc(s, e int32) member {
	return member{&z.arcs[e], z.log(z.f.Graph().Weights()[e]), s, e}
}

// joint makes the groups of state s.
func (z *parameterizer[W]) joint(s int32) {
	var members []member
	for e := z.row[s]; e < z.row[s+1]; e++ {
		if z.leads(e) {
			members = append(members, z.arc(s, e))
		}
	}
	if w := z.f.Final(s); !z.f.Semiring().IsZero(w) {
		members = append(members, member{&z.final[s], z.log(w), s, -1})
	}
	z.set(fmt.Sprintf("%s/%d", z.name, s), z.p.Space().One(), members)
}

func (z *parameterizer[W]) log(w W) float64 {
	if z.prob == nil {
		return 0
	}
	return z.prob.Log(w)
}

// newGroup makes a group. If a group of another machine, or of another symbol of this one, has
// the same name, it records an error and makes a group of another name, which the failed machine
// drops.
func (z *parameterizer[W]) newGroup(name string, n int, law em.Law) *em.Group {
	switch {
	case z.taken[name]:
		z.fail(nested.Errorf("cascade: %w: the group %s exists already; give this machine another name than %q", em.ErrParameter, name, z.name))
	case z.p.Find(name) != nil:
		z.fail(nested.Errorf("cascade: %w: the machine needs two groups %s; rename the symbol that is the last part of it", em.ErrParameter, name))
	}
	for z.p.Find(name) != nil {
		name += "′"
	}
	return z.p.Distribution(name, n, law)
}

// group makes a group of the members. It returns nil if there are no members.
func (z *parameterizer[W]) group(name string, members []member) *em.Group {
	if len(members) == 0 {
		return nil
	}
	g := z.newGroup(name, len(members), z.law)
	names, arcs := z.names, make([]int32, len(members))
	for i, m := range members {
		*m.to = g.Weight(i)
		arcs[i] = m.arc
	}
	g.SetNames(func(i int) string { return names.arc(arcs[i]) })
	if z.prob != nil {
		z.start(g, members)
	}
	return g
}

// start sets the group's start to the members' weights, normalized.
func (z *parameterizer[W]) start(g *em.Group, members []member) {
	top := math.Inf(-1)
	for _, m := range members {
		top = math.Max(top, m.log) // NaN stays NaN
	}
	start, sum := make([]float64, len(members)), 0.0
	for i, m := range members {
		start[i] = math.Exp(m.log - top)
		sum += start[i]
	}
	if !(sum > 0) || math.IsInf(top, 1) {
		z.fail(nested.Errorf("cascade: %w: group %s: the machine's weights sum to %g", em.ErrParameter, g, math.Exp(top)*sum))
		return
	}
	for i := range start {
		start[i] /= sum
	}
	if v, ok := z.law.(em.Variational); ok {
		v.Around(start)
	}
	g.SetStart(start)
}

func (z *parameterizer[W]) fail(err error) {
	if z.err == nil {
		z.err = err
	}
}

// conditional makes the groups of state s.
func (z *parameterizer[W]) conditional(s int32) {
	byInput := map[int32][]member{}
	var order []int32
	for e := z.row[s]; e < z.row[s+1]; e++ {
		if !z.leads(e) {
			continue
		}
		in := z.f.In()[e]
		if byInput[in] == nil {
			order = append(order, in)
		}
		byInput[in] = append(byInput[in], z.arc(s, e))
	}
	read := z.p.Space().One()
	stops := !z.f.Semiring().IsZero(z.f.Final(s))
	switch ins := byInput[fst.Epsilon]; {
	case ins == nil:
	case stops || len(order) > 1:
		read = z.coin(s, ins)
	default: // the only choices: insertions have the whole probability
		z.set(z.insertions(s), read, ins)
	}
	for _, in := range order {
		if in == fst.Epsilon {
			continue
		}
		z.set(fmt.Sprintf("%s/%d/%s", z.name, s, z.names.in.label(in)), read, byInput[in])
	}
	if stops {
		z.final[s] = read
	}
}

// insertions returns the name of the group of insertions of state s.
func (z *parameterizer[W]) insertions(s int32) string { return fmt.Sprintf("%s/%d/ε", z.name, s) }

// coin makes the two levels of a state with insertions and returns the weight
// of not inserting.
func (z *parameterizer[W]) coin(s int32, ins []member) expr.W {
	coin := z.newGroup(fmt.Sprintf("%s/%d/insert", z.name, s), 2, z.law)
	coin.SetNames(func(i int) string { return [...]string{"yes", "no"}[i] })
	z.set(z.insertions(s), coin.Weight(0), ins)
	return coin.Weight(1)
}

// machine makes a group of the starts, if there are several or a weighted one, and freezes the
// result.
func (z *parameterizer[W]) machine() (*fst.FST[expr.W], error) {
	start := make([]expr.W, len(z.f.Graph().Starts()))
	trivial := true
	var members []member
	for i, s := range z.f.Graph().Starts() {
		if !z.live[s.State] {
			continue
		}
		start[i] = z.p.Space().One()
		m := member{to: &start[i], log: z.log(s.Weight), state: s.State}
		members = append(members, m)
		trivial = trivial && m.log == 0
	}
	if len(members) > 1 || !trivial {
		z.group(z.name+"/start", members).SetNames(func(i int) string { return fmt.Sprint(members[i].state) })
	}
	return z.freeze(start)
}

// freeze returns f with the new weights.
func (z *parameterizer[W]) freeze(start []expr.W) (*fst.FST[expr.W], error) {
	if z.err != nil {
		return nil, z.err
	}
	starts := make([]fst.Start[expr.W], len(start))
	for i, s := range z.f.Graph().Starts() {
		starts[i] = fst.Start[expr.W]{State: s.State, Weight: start[i]}
	}
	blank := mapped(z.f, ringOf(z.p), func(W) expr.W { return z.p.Space().One() })
	return blank.WithWeights(z.arcs, starts, z.final)
}

// Power returns m with each weight, of starts, arcs and ends, to the power x. Here w is a
// parameter of the law Exponents for x or any other expression of e^x. The weight of a path is
// then raised to the power x, and in an unambiguous machine (fst.Unambiguous) so is the weight of
// a string.
//
// An acceptor that gives a string s the weight e^f(s) represents a feature f of whole strings;
// its Power weights this feature (Eisner 2002, §2). Constants makes such an acceptor of any
// unambiguous machine of numbers, with f(s) the logarithm of its weight.
//
// For w = 0̄, fst.Err of the stage wraps em.ErrInvalid.
func Power(m Stage, w expr.W) Stage {
	nonnil.Check("cascade: Power", "machine", m)
	return made("Power", m.Semiring(), m, machines.Exprs.Expand, func(f *fst.FST[expr.W]) (*fst.FST[expr.W], error) {
		space, err := semiring.Require[interface {
			Power(a, w expr.W) (expr.W, bool)
		}](f.Semiring())
		if err != nil {
			return nil, err
		}
		if w == expr.Zero {
			return nil, fmt.Errorf("%w: the value e^x of an exponent x is never 0", em.ErrInvalid)
		}
		return mapped(f, f.Semiring(), func(v expr.W) expr.W {
			v, _ = space.Power(v, w)
			return v
		}), nil
	})
}
