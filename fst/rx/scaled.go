package rx

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"example.org/pathsum/semiring"
)

// scaledSum is a sum of expressions with constants in front; without terms it is 0̄. Terms stay
// separate as long as more may be added: several together may form a coin or a choice.
type scaledSum []scaled

// scaled is a constant times an expression.
type scaled struct {
	number semiring.ScaledFloat // above 0
	powers []power              // of parameters, ascending, without exponents of 0
	expr   Expr
	size   int   // of expr, written out
	loose  bool  // expr need not be a distribution, even if the ring adds probabilities
	fault  error // why there is no expression
}

// power is a power of a parameter. A negative one comes from a closure or a quotient.
type power struct {
	of Prob
	n  int
}

var one = semiring.NewScaled(1)

// maxSize caps sizes; larger expressions count as maxSize.
const maxSize = math.MaxInt32 / 4

// scaledExprs is the semiring of scaledSums. The laws hold for the relations of the expressions.
type scaledExprs struct {
	adds         bool // ⊕ adds numbers
	tosses       bool // numbers are probabilities, not costs
	alternatives func(group string) []string
}

// constantExprs is the commutative semiring of sums of constants.
type constantExprs struct{ *scaledExprs }

func (constantExprs) Laws() semiring.Laws { return semiring.Commutative }

func (*scaledExprs) Zero() scaledSum               { return nil }
func (*scaledExprs) One() scaledSum                { return scaledSum{{number: one}} }
func (*scaledExprs) IsZero(x scaledSum) bool       { return len(x) == 0 }
func (*scaledExprs) Plus(x, y scaledSum) scaledSum { return slices.Concat(x, y) }

// bad returns a sum without an expression, with err as its fault.
func (*scaledExprs) bad(err error) scaledSum { return scaledSum{{number: one, fault: err}} }

// constant returns the number x.
func (r *scaledExprs) constant(x semiring.ScaledFloat) scaledSum {
	switch {
	case x.IsZero():
		return nil
	case !x.IsFinite() || x.Mant < 0:
		return r.bad(invalid(ErrInvalid, "a weight of %v, want a finite number that is not negative", x))
	}
	return scaledSum{{number: x}}
}

func (r *scaledExprs) Times(x, y scaledSum) scaledSum {
	if len(x) == 0 || len(y) == 0 {
		return nil
	}
	a, b := r.one(x), r.one(y)
	return scaledSum{{
		number: a.number.Mul(b.number), powers: product(a.powers, b.powers, 1),
		expr: sequence(a, b), size: min(a.size+b.size, maxSize),
		loose: a.loose || b.loose, fault: cmp.Or(a.fault, b.fault),
	}}
}

// Star: (p E)* is 1/(1−p) times E*_p, for a number or a coin.
func (r *scaledExprs) Star(x scaledSum) (scaledSum, bool) {
	if len(x) == 0 {
		return r.One(), true
	}
	a := r.one(x)
	if a.fault != nil {
		return scaledSum{a}, true
	}
	p := neat(a.number.Float64())
	empty := a.expr.n == nil
	closed := func(p Prob) Expr {
		if empty {
			return Expr{}
		}
		return ProbStar(p, a.expr)
	}
	size := min(a.size+1, maxSize)
	switch {
	case r.tosses && len(a.powers) == 0 && p > 0 && p < 1:
		return scaledSum{{number: one.Div(semiring.NewScaled(1 - p)), expr: closed(Number(p)), size: size, loose: a.loose}}, true
	case len(a.powers) == 1 && a.powers[0].n == 1 && a.powers[0].of.tosses() && p == 1:
		heads := a.powers[0].of
		return scaledSum{{number: one, powers: []power{{heads.Not(), -1}}, expr: closed(heads), size: size, loose: a.loose}}, true
	}
	e, err := a.weighted()
	return scaledSum{{number: one, expr: Star(e), size: size, loose: true, fault: err}}, true
}

// RDiv returns x/y for a y without symbols.
func (r *scaledExprs) RDiv(x, y scaledSum) (scaledSum, bool) {
	if len(y) == 0 {
		return nil, false
	}
	if len(x) == 0 {
		return nil, true
	}
	a, b := r.one(x), r.one(y)
	if b.expr.n != nil && b.fault == nil {
		b.fault = invalid(ErrInvalid, "a weight that divides by %v", b.expr)
	}
	a.number = a.number.Div(b.number)
	a.powers = product(a.powers, b.powers, -1)
	a.fault = cmp.Or(a.fault, b.fault)
	return scaledSum{a}, true
}

// LDiv returns y/x.
func (r *scaledExprs) LDiv(x, y scaledSum) (scaledSum, bool) { return r.RDiv(y, x) }

// weighted returns the expression with the constant in front, as weights.
func (s scaled) weighted() (Expr, error) {
	if s.fault != nil {
		return Expr{}, s.fault
	}
	var es []Expr
	switch x := s.number.Float64(); {
	case neat(x) == 1:
	case x >= 0x1p-1000 && x <= 0x1p1000:
		es = append(es, Weight(Number(neat(x))))
	default: // too small or too great for one number
		es = append(es, Weight(Number(s.number.Mant)))
		step := math.Ldexp(1, 512*int(cmp.Compare(s.number.Exp, 0)))
		for range max(s.number.Exp, -s.number.Exp) {
			es = append(es, Weight(Number(step)))
			if len(es) > MaxRepeat {
				return Expr{}, invalid(ErrInvalid, "a weight of %v", s.number)
			}
		}
	}
	for _, f := range s.powers {
		factor := Weight(f.of)
		if f.n < 0 {
			if !f.of.tosses() {
				return Expr{}, invalid(ErrInvalid, "a weight that divides by %s", f.of)
			}
			factor = Star(Weight(f.of.Not())) // 1/(1−λ) is λ*
		}
		for range max(f.n, -f.n) {
			es = append(es, factor)
		}
	}
	if s.expr.n != nil {
		es = append(es, s.expr)
	}
	return flat(es), nil
}

// sequence returns the concatenation of the expressions of a and b.
func sequence(a, b scaled) Expr {
	switch {
	case a.expr.n == nil:
		return b.expr
	case b.expr.n == nil:
		return a.expr
	}
	return flat([]Expr{a.expr, b.expr})
}

// flat returns the concatenation of es. If it is short, nested concatenations are flattened;
// flattening longer ones would copy them repeatedly.
func flat(es []Expr) Expr {
	const short = 256
	length := 0
	for _, e := range es {
		length += max(1, len(e.node().args))
	}
	if length > short {
		return Concat(es...)
	}
	var all []Expr
	for _, e := range es {
		if n := e.node(); n.op == concat {
			all = append(all, n.args...)
		} else {
			all = append(all, e)
		}
	}
	return Concat(all...)
}

// product returns x times the n-th power of y.
func product(x, y []power, n int) []power {
	all := slices.Clone(x)
	for _, f := range y {
		at, ok := slices.BinarySearchFunc(all, f.of, comparePower)
		switch {
		case !ok:
			all = slices.Insert(all, at, power{f.of, n * f.n})
		case all[at].n == -n*f.n:
			all = slices.Delete(all, at, at+1)
		default:
			all[at].n += n * f.n
		}
	}
	return all
}

// shared returns the common factors of x and y: of each parameter the power nearer to 0.
func shared(x, y []power) []power {
	var all []power
	for _, f := range x {
		n := exponent(y, f.of)
		switch {
		case n > 0 && f.n > 0:
			all = append(all, power{f.of, min(n, f.n)})
		case n < 0 && f.n < 0:
			all = append(all, power{f.of, max(n, f.n)})
		}
	}
	return all
}

// exponent returns the power of a parameter in x.
func exponent(x []power, of Prob) int {
	if at, ok := slices.BinarySearchFunc(x, of, comparePower); ok {
		return x[at].n
	}
	return 0
}

func comparePower(f power, of Prob) int {
	return cmp.Or(cmp.Compare(f.of.group, of.group), cmp.Compare(f.of.alternative, of.alternative))
}

// neat returns x rounded to 15 digits.
func neat(x float64) float64 {
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64)
	if err != nil {
		return x
	}
	return y
}
