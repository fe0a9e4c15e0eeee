package expr_test

import (
	"fmt"
	"math"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A parameter is an indeterminate: the total weight of a loop is computed once, and then
// evaluated and differentiated at any θ.
func Example() {
	s := expr.New()
	again, stop := s.Param(0), s.Param(1)
	loop, _ := s.Star(again)
	total := s.Times(loop, stop) // again* ⊗ stop
	fmt.Println(s.String(total))

	for _, theta := range [][]semiring.ScaledFloat{numbers(.75, .25), numbers(.5, .25)} {
		values, err := s.Evaluate(nil, theta)
		if err != nil {
			fmt.Println(err)
			return
		}
		count := make([]float64, s.Len())
		count[total] = 1 // one path, to be explained
		uses := make([]float64, 2)
		s.Backpropagate(values, count, uses)
		fmt.Printf("value %v, expected uses %v\n", values[total].Float64(), uses)
	}

	_, err := s.Evaluate(nil, numbers(1, .25))
	fmt.Println(err)
	// Output:
	// θ1*star(θ0)
	// value 1, expected uses [3 1]
	// value 0.5, expected uses [1 1]
	// sum diverges: star(θ0)
}

// Each shard of a computation gets a fork: the shards share the expressions made so far, and
// their own handles are independent of each other.
func ExampleSpace_Fork() {
	s := expr.New()
	p, q := s.Param(0), s.Param(1)
	first, second := s.Fork(), s.Fork()
	pp, qq := first.Times(p, p), second.Times(q, q)
	fmt.Println(first.String(pp), second.String(qq), pp == qq, s.Len(), first.Len())
	// Output: θ0^2 θ1^2 true 4 5
}

// numbers are the values of parameters.
func numbers(theta ...float64) (values []semiring.ScaledFloat) {
	for _, x := range theta {
		values = append(values, semiring.NewScaled(x))
	}
	return values
}

// One expression in two rings: the cost of the better path of θ0 ⊕ θ1·θ2, and whether a path
// exists.
func ExampleMap() {
	s := expr.New()
	w := s.Plus(s.Param(0), s.Times(s.Param(1), s.Param(2)))
	cost := []semiring.Cost{9, 4, 3}
	costs, err := expr.Map(s, semiring.Tropical{}, func(p int32) semiring.Cost { return cost[p] },
		func(c semiring.ScaledFloat) semiring.Cost { return semiring.Cost(-c.Log()) })
	fmt.Println(costs[w], err)
	open := []bool{false, true, true}
	ways, err := expr.Map(s, semiring.Boolean{}, func(p int32) bool { return open[p] },
		func(c semiring.ScaledFloat) bool { return !c.IsZero() })
	fmt.Println(ways[w], err)
	// Output:
	// 7 <nil>
	// true <nil>
}

// At a temperature every path's weight is raised to a power: ½² + ½² is no longer one.
func ExampleSpace_EvaluateTempered() {
	s := expr.New()
	w := s.Plus(s.Param(0), s.Param(1))
	for _, beta := range []float64{1, 2, 0} {
		values, err := s.EvaluateTempered(nil, numbers(.5, .5), beta)
		fmt.Println(beta, values[w], err)
	}
	// Output:
	// 1 1 <nil>
	// 2 0.5 <nil>
	// 0 2 <nil>
}

// An expression as text, and back to the same handle. String is for readers.
func ExampleSpace_Parse() {
	s := expr.New()
	w := s.Times(s.Const(semiring.NewScaled(.5)), s.Plus(s.Param(0), s.Param(1)))
	text := s.Format(w)
	again, err := s.Parse(text)
	fmt.Println(text, again == w, err)
	s.SetNamer(func(p int32) string { return []string{"p", "q"}[p] })
	fmt.Println(s.String(w))
	_, err = s.Parse("$0*(")
	fmt.Println(err)
	// Output:
	// 0.5*($0+$1) true <nil>
	// 0.5*(p+q)
	// bad expression: byte 4, at "": expected a number, $, !, @, (, star(, whole( or power(
}

// A mixture is divided by its normalizer z = θ0 + θ1. At β = 2 a plain quotient would be
// θ0² / (θ0² + θ1²). As one number, z becomes z².
func ExampleSpace_Whole() {
	s := expr.New()
	p := s.Param(0)
	z := s.Plus(p, s.Param(1))
	quotient, _ := s.RDiv(p, z)
	whole, _ := s.RDiv(p, s.Whole(s.Untempered(z)))
	values, err := s.EvaluateTempered(nil, numbers(1, 3), 2)
	fmt.Println(values[quotient], values[whole], err)
	// Output: 0.1 0.0625 <nil>
}

// The derivative of θ0/(1 − θ1) by ln θ1: forward, by tangents, and in reverse, by expected uses.
func ExampleSpace_Tangents() {
	s := expr.New()
	loop, _ := s.Star(s.Param(1))
	w := s.Times(s.Param(0), loop)
	values, err := s.Evaluate(nil, numbers(.5, .75))
	if err != nil {
		panic(err)
	}
	fmt.Println(s.Tangents(nil, values, []float64{0, 1}, 1)[w])
	count, uses := make([]float64, s.Len()), make([]float64, 2)
	count[w] = 1
	s.Backpropagate(values, count, uses)
	fmt.Println(uses)
	// Output:
	// 3
	// [1 3]
}

// A cube root, and the power of θ0 by an exponent that may be learnt: ln θ1.
func ExampleSpace_Power() {
	s := expr.New()
	root, _ := s.RealPower(s.Param(0), 1./3)
	power, _ := s.Power(s.Param(0), s.Param(1))
	values, err := s.Evaluate(nil, numbers(8, math.Exp(2)))
	fmt.Printf("%.3f %.3f %v\n", values[root].Float64(), values[power].Float64(), err)
	// Output: 2.000 64.000 <nil>
}

// Different handles may be the same function: (a + b)·c and a·c + b·c. In the ring Functions they
// are equal.
func ExampleSpace_Functions() {
	s := expr.New()
	a, b, c := s.Param(0), s.Param(1), s.Param(2)
	product := s.Times(s.Plus(a, b), c)
	sum := s.Plus(s.Times(a, c), s.Times(b, c))
	f := s.Functions()
	keyer, _ := semiring.As[semiring.Keyer[expr.W]](f)
	fmt.Println(product == sum, string(keyer.AppendKey(nil, product, 0)) == string(keyer.AppendKey(nil, sum, 0)))
	// Output: false true
}

// Which parameters make up the weights of a model, and how often is each a factor?
func ExampleSpace_Factors() {
	s := expr.New()
	w := s.Times(s.Times(s.Param(0), s.Param(0)), s.Param(1))
	for i, f := range s.Factors([]expr.W{w}) {
		fmt.Printf("weight %d: %s, %d times\n", i, s.String(f.Of), f.Power)
	}
	// Output:
	// weight 0: θ0, 2 times
	// weight 0: θ1, 1 times
}
