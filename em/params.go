package em

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"weak"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// ErrInvalid is returned if options, a problem or data are invalid for every θ.
var ErrInvalid = nested.ErrInvalid

// ErrParameter is returned for invalid parameter values: a wrong number of
// values, a value that is negative or not finite, a group that does not sum to 1 or
// is all zero.
var ErrParameter = errors.New("bad parameter")

// Params is the table of the parameters θ of a problem: mostly probabilities,
// in named groups, each with its own law of estimation. Parameters are numbered
// 0, 1, 2, … in the order of creation of their groups; a value of θ is a
// []float64 of length Len.
//
// A group takes about 110 bytes. A parameter takes no memory until θ has a value or a machine uses
// it as a weight; names are functions.
//
// A Params owns the Space of the weights of the problem's machines.
// Build it first, then the machines. Several goroutines may read it at once, but
// not while it is being built.
type Params struct {
	space  *expr.Space
	groups []*Group
	named  nameIndex
	n      int
	spare  spare
}

// NewParams returns an empty table with its own Space.
func NewParams() *Params {
	p := &Params{space: expr.New()}
	p.space.SetNamer(p.Name)
	return p
}

// Space returns the ring of the weights of every machine over p. It may grow at any time,
// for instance when machines are composed, except during an E step, which may then panic.
func (p *Params) Space() *expr.Space { return p.space }

// Len returns the number of parameters.
func (p *Params) Len() int { return p.n }

// Groups returns the groups in the order of their creation. The slice
// must not be modified.
func (p *Params) Groups() []*Group { return p.groups }

// Group adds n parameters that are estimated together by law. It panics if n is negative, or if p
// has a group of that name. If names come from data, call Find first.
// cascade.Joint, cascade.Conditional and similar functions return an error instead, and
// Alternatives reuses the group.
func (p *Params) Group(name string, n int, law Law) *Group { return p.add("Group", name, n, law) }

func (p *Params) add(caller, name string, n int, law Law) *Group {
	nonnil.Check("em: "+caller, "law", law)
	if n < 0 {
		panic("em: " + caller + ": negative size")
	}
	if p.Find(name) != nil {
		panic(fmt.Sprintf("em: %s: the group %q exists already: give this one another name, or use the existing one (Params.Find)", caller, name))
	}
	g := &Group{name: name, first: p.n, n: n, law: law, space: p.space}
	p.groups = append(p.groups, g)
	p.named.add(p.groups)
	p.n += n
	return g
}

// Distribution is like Group, for the probabilities of one choice, which sum to 1 under any
// law: Check returns an error if they do not. If the law is a Valuer, so that θ are not
// probabilities, only its own Check applies.
func (p *Params) Distribution(name string, n int, law Law) *Group {
	g := p.add("Distribution", name, n, law)
	g.distribution = true
	return g
}

// Name returns the name of parameter i, for instance "channel[3]"; it is
// "?" and the number if p has no such parameter.
func (p *Params) Name(i int32) string {
	if i < 0 || int(i) >= p.n {
		return fmt.Sprintf("?%d", i)
	}
	// The last group that begins at i or before contains it: others that begin there are empty.
	next, _ := slices.BinarySearchFunc(p.groups, int(i)+1, func(g *Group, first int) int { return cmp.Compare(g.first, first) })
	g := p.groups[next-1]
	return g.Name(int(i) - g.first)
}

// Named yields every value of v, one per parameter, with its parameter's Name, in order. v
// may be θ, or counts. A name is made when it is yielded.
func (p *Params) Named(v []float64) iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, x := range v {
			if !yield(p.Name(int32(i)), x) {
				return
			}
		}
	}
}

// Names yields the number and the Name of every parameter, in order. Use it to print several
// vectors side by side, such as learnt and true values. A name is made when it is yielded.
//
//	for i, name := range params.Names() {
//		fmt.Println(name, learnt[i], truth[i])
//	}
func (p *Params) Names() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for _, g := range p.groups {
			for i := range g.n {
				if !yield(g.first+i, g.Name(i)) {
					return
				}
			}
		}
	}
}

// Find returns the group called name, or nil.
func (p *Params) Find(name string) *Group { return p.named.find(p.groups, name) }

// Lookup returns the number i of the first parameter whose Name is name, so that theta[i] is its
// value. It returns false if no parameter has this name. A group of one parameter may also be
// looked up by the group's name. Lookup names all parameters of the groups whose names are prefixes
// of name.
func (p *Params) Lookup(name string) (i int, ok bool) {
	for _, g := range p.groups {
		if rest, ok := strings.CutPrefix(name, g.name); !ok || !strings.HasPrefix(rest, "[") {
			continue
		}
		for k := range g.n {
			if g.Name(k) == name {
				return g.first + k, true
			}
		}
	}
	if g := p.Find(name); g != nil && g.n == 1 {
		return g.first, true
	}
	return 0, false
}

// Start returns the default θ for the start of training: the
// values set with Group.SetStart, or else the start of the group's law
// (Multinomial: uniform).
func (p *Params) Start() []float64 {
	theta := make([]float64, p.n)
	for _, g := range p.groups {
		if g.start != nil {
			copy(g.In(theta), g.start)
		} else {
			g.law.Start(g.In(theta))
		}
	}
	return theta
}

// Random returns a random θ: each group is drawn by its law
// (Multinomial: uniformly from the simplex; Fixed: its start).
func (p *Params) Random(src rand.Source) []float64 {
	nonnil.Check("em: Random", "source of randomness", src)
	theta := p.Start()
	for _, g := range p.groups {
		g.law.Random(g.In(theta), src)
	}
	return theta
}

// Check returns nil if theta is a valid value of θ, and otherwise an error
// wrapping ErrParameter that names the group or parameter. A θ that was created before
// another model added its groups to p is too short.
func (p *Params) Check(theta []float64) error {
	if len(theta) != p.n {
		return nested.Errorf("em: %w: %d values for %d parameters; make all models of a Params first, or take Params.Start() or Random again",
			ErrParameter, len(theta), p.n)
	}
	for _, g := range p.groups {
		v := g.In(theta)
		least, want := 0.0, " ≥ 0"
		if _, ok := g.law.(Valuer); ok {
			least, want = math.Inf(-1), ""
		}
		for i, x := range v {
			if !(x >= least) || x-x != 0 {
				return nested.Errorf("em: %w: %s is %g, not a finite number%s", ErrParameter, g.Name(i), x, want)
			}
		}
		err := g.law.Check(v)
		if err == nil && g.distribution {
			err = g.checkSum(v)
		}
		if err != nil {
			return nested.Errorf("em: %w: group %s: %v", ErrParameter, g.name, err)
		}
	}
	return nil
}

// checkSum returns an error unless v are the probabilities of a choice, or the law is a Valuer
// that makes probabilities of them.
func (g *Group) checkSum(v []float64) error {
	if _, free := g.law.(factors); free && len(v) > 0 {
		return fmt.Errorf("of a distribution, the law %T makes values of any sum, want probabilities", g.law)
	}
	if _, other := g.law.(Valuer); other {
		return nil
	}
	if err := (Multinomial{}).Check(v); err != nil {
		return nested.Errorf("of a distribution, the %w; give its law Values, or the group a start", err)
	}
	return nil
}

// factors is a law of factors that are not probabilities, such as Exponents.
type factors interface{ isFactor() }

// LogPrior returns the log density of theta, up to a constant, under the priors
// of all groups: 0 if there are no priors.
func (p *Params) LogPrior(theta []float64) float64 {
	sum := 0.0
	for _, g := range p.groups {
		sum += g.law.LogPrior(g.In(theta))
	}
	return sum
}

// Values returns the values of the parameters at theta, which must be valid. Training
// computes the weights of machines from them. They are theta itself
// unless a law is a Valuer.
func (p *Params) Values(theta []float64) []semiring.ScaledFloat {
	values := make([]semiring.ScaledFloat, p.n)
	for _, g := range p.groups {
		out, in := values[g.first:g.first+g.n], g.In(theta)
		if v, ok := g.law.(Valuer); ok {
			v.Values(out, in)
			continue
		}
		for i, x := range in {
			out[i] = semiring.NewScaled(x)
		}
	}
	return values
}

// Estimate returns the values of the parameters at theta, which must be valid, for
// use in a trained model. They are the result of Values unless a law is an Estimator.
func (p *Params) Estimate(theta []float64) []semiring.ScaledFloat {
	values := p.Values(theta)
	for _, g := range p.groups {
		if e, ok := g.law.(Estimator); ok {
			e.Estimate(values[g.first:g.first+g.n], g.In(theta))
		}
	}
	return values
}

// Group is a set of parameters estimated together, for instance the probabilities
// of the arcs that leave one state. Using one parameter on several arcs ties them.
type Group struct {
	name  string
	first int
	n     int
	law   Law
	start []float64
	label func(i int) string
	space *expr.Space

	distribution bool // values sum to 1
}

// String returns the name of the group.
func (g *Group) String() string { return g.name }

// Len returns the number of parameters of the group.
func (g *Group) Len() int { return g.n }

// Law returns the law of the group.
func (g *Group) Law() Law { return g.law }

// First returns the number, in the table, of the group's first parameter.
func (g *Group) First() int { return g.first }

// Weight returns the group's parameter i as a weight. It panics if i is not in
// [0, Len).
func (g *Group) Weight(i int) expr.W {
	if i < 0 || i >= g.n {
		panic("em: Weight: no such parameter in the group")
	}
	return g.space.Param(int32(g.first + i))
}

// In returns the part of v, one value per parameter of the table, that belongs
// to the group; it shares v's storage.
func (g *Group) In(v []float64) []float64 { return v[g.first : g.first+g.n : g.first+g.n] }

// SetStart makes start, one value per parameter of the group, the start of training.
// The values are checked when training starts. It panics if the length
// is wrong, or g is nil.
//
// Params.Start copies the values when it is called, and a model copies them when it is made
// (cascade.NewModel, channel.New, hmm.New). A later SetStart does not affect that model. Write to
// g.In(model.Theta) instead.
func (g *Group) SetStart(start []float64) {
	nonnil.Check("em: SetStart", "group", g)
	if len(start) != g.n {
		panic("em: SetStart: wrong number of values")
	}
	g.start = append([]float64(nil), start...)
}

// SetNames gives the group's parameters names for diagnostics.
func (g *Group) SetNames(name func(i int) string) { g.label = name }

// Label returns the name that SetNames gave the group's parameter i, or false if it has no name.
func (g *Group) Label(i int) (name string, ok bool) {
	if g.label == nil {
		return "", false
	}
	return g.label(i), true
}

// IsDistribution reports whether the group was made by Params.Distribution: its values sum to 1
// under any law.
func (g *Group) IsDistribution() bool { return g.distribution }

// Name returns the name of the group's parameter i: "group[name of i]".
func (g *Group) Name(i int) string {
	if g.label != nil {
		return g.name + "[" + g.label(i) + "]"
	}
	return fmt.Sprintf("%s[%d]", g.name, i)
}

// score returns the expected log probability at theta of complete data with these
// counts: Σ counts·ln value, or Score if a law is a Scorer.
func (p *Params) score(theta, counts []float64) float64 {
	values := p.Values(theta)
	sum := 0.0
	for _, g := range p.groups {
		if law, ok := g.law.(Scorer); ok {
			sum += law.Score(g.In(theta), g.In(counts))
			continue
		}
		least := math.Inf(-1)
		if _, ok := g.law.(bordered); ok {
			least = lnLeast // as in face
		}
		for i := g.first; i < g.first+g.n; i++ {
			if math.Abs(counts[i]) <= negligible {
				continue
			}
			ln := values[i].Log()
			if law, ok := g.law.(logValuer); ok && math.IsInf(ln, -1) {
				ln = law.logValue(g.In(theta), i-g.first)
			}
			sum += counts[i] * max(ln, least)
		}
	}
	return sum
}

// logValuer is a Law whose values may be positive but smaller than the least ScaledFloat.
type logValuer interface {
	logValue(theta []float64, i int) float64
}

// negligible bounds counts so small that the parameter estimated from them may have been
// rounded to 0.
const negligible = 1e-300

// scale returns theta with all free values multiplied by exp(ln). It returns false if no value is
// free, or the result is invalid.
func (p *Params) scale(theta []float64, ln float64) ([]float64, bool) {
	theta, some := append([]float64(nil), theta...), false
	for _, g := range p.groups {
		if law, ok := g.law.(Scalable); ok && law.Scale(g.In(theta), ln) {
			some = true
		}
	}
	return theta, some && p.Check(theta) == nil
}

// spare keeps a vector of counts from one Fit to the next, unless the memory is collected in
// between. If several Fits run at once, each has its own vector.
type spare struct {
	mutex  sync.Mutex
	vector weak.Pointer[[]float64]
}

// take returns the vector, or nil if it has been taken or collected.
func (s *spare) take() []float64 {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	v := s.vector.Value()
	s.vector = weak.Pointer[[]float64]{}
	if v == nil {
		return nil
	}
	return *v
}

// keep stores v, which must no longer be in use.
func (s *spare) keep(v []float64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.vector = weak.Make(&v)
}
