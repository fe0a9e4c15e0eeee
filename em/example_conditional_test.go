package em_test

import (
	"context"
	"fmt"
	"log"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
)

// Coins in a regular expression: each letter is an a if λ falls heads, and there is another one
// if μ does. The string aab was seen.
func ExampleAlternatives() {
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b"))
	compiler.Groups = em.Alternatives(params, func(group string, alternatives []string) em.Law {
		fmt.Println(group, alternatives)
		return em.Multinomial{}
	})
	pattern, err := rx.Parse("(a +_λ b)*_μ")
	if err != nil {
		log.Fatal(err)
	}
	machine, err := compiler.Compile(pattern)
	if err != nil {
		log.Fatal(err)
	}
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{machine}})
	if _, err := model.Fit(context.Background(), cascade.Data{Examples: []cascade.Example{{X: cascade.Labels(1, 1, 2)}}}, nil); err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(model.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	// Output:
	// μ [heads tails]
	// λ [heads tails]
	// μ[heads] 0.75
	// μ[tails] 0.25
	// λ[heads] 0.67
	// λ[tails] 0.33
}
