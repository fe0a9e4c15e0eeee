package expr_test

import (
	"fmt"

	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
)

// A parameter is an indeterminate: the total weight of a loop is worked out
// once, and then evaluated and differentiated at any θ.
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

// Each shard of a computation gets a fork: the shards share the expressions
// made so far, and the handles of their own do not depend on one another.
func ExampleSpace_Fork() {
	s := expr.New()
	p, q := s.Param(0), s.Param(1)
	first, second := s.Fork(), s.Fork()
	pp, qq := first.Times(p, p), second.Times(q, q)
	fmt.Println(first.String(pp), second.String(qq), pp == qq, s.Len(), first.Len())
	// Output: θ0^2 θ1^2 true 4 5
}
