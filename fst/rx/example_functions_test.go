package rx_test

import (
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// printed prints the outputs of the machine of an expression over letters and digits for texts.
func printed(e rx.Expr, texts ...string) {
	f, err := rx.NewCompiler(semiring.Tropical{}, fst.RuneSymbols("a-z0-9-")).Compile(e)
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range texts {
		fmt.Printf("%s →", text)
		for out, err := range fst.ApplyText(f, text, nil) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Printf(" %s/%v", out.Text, out.Weight)
		}
		fmt.Println()
	}
}

// The smallest machine: b is written for a, any number of times, at a cost of 1 each.
func ExampleCompiler_Compile() {
	compiler := rx.NewCompiler(semiring.Tropical{}, fst.NewSymbols("a", "b"))
	f, err := compiler.Compile(rx.MustParse("(a:b<+1> | b)*"))
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(f, "abba", nil) {
		fmt.Println(out.Text, out.Weight, err)
	}
	// Output: bbbb 2 <nil>
}

// Numbers of three digits, a hyphen, and four more at choice.
func ExampleRepeat() {
	digit := rx.OneOf(rx.Range('0', '9'))
	more := rx.Concat(rx.Text("-"), rx.Repeat(digit, 4, 4))
	number := rx.Concat(rx.Repeat(digit, 3, 3), rx.Optional(more))
	fmt.Println(number)
	printed(number, "555", "555-0199", "555-01")
	// Output:
	// [0-9]{3}(\-[0-9]{4})?
	// 555 → 555/0
	// 555-0199 → 555-0199/0
	// 555-01 →
}

// A word in British or American spelling becomes American; the opposite direction costs 1.
func ExampleCross() {
	e := rx.Union(
		rx.Cross(rx.Text("colour"), rx.Text("color")),
		rx.Text("color"),
		rx.Concat(rx.Cross(rx.Text("color"), rx.Text("colour")), rx.Weight(rx.Cost(1))))
	printed(e, "colour", "color")
	// Output:
	// colour → color/0
	// color → color/0 colour/1
}

// Strings of letters that are not in a list of words, and have no x.
func ExampleSubtract() {
	listed := rx.Union(rx.Text("cat"), rx.Text("dog"))
	letters := rx.Plus(rx.OneOf(rx.Range('a', 'z')))
	withoutX := rx.Star(rx.NoneOf(rx.One("x")))
	printed(rx.Intersect(rx.Subtract(letters, listed), withoutX), "cat", "cow", "fox")
	// Output:
	// cat →
	// cow → cow/0
	// fox →
}

// A composition: each machine reads the output of its predecessor.
func ExampleCompose() {
	lower := rx.Star(rx.Union(rx.Cross(rx.Text("a"), rx.Text("b")), rx.Text("b")))
	count := rx.Star(rx.Cross(rx.Text("bb"), rx.Text("2")))
	e := rx.Compose(lower, count)
	printed(e, "abba")
	printed(rx.ProjectOut(e), "22")
	printed(rx.Invert(rx.Compose(rx.Text("ab"), lower)), "bb")
	// Output:
	// abba → 22/0
	// 22 → 22/0
	// bb → ab/0
}

// Strings without ab in them: a complement.
func ExampleComplement() {
	all := rx.Star(rx.Any())
	printed(rx.Complement(rx.Concat(all, rx.Text("ab"), all)), "ba", "cab")
	printed(rx.Reverse(rx.Cross(rx.Text("ab"), rx.Text("xy"))), "ba")
	// Output:
	// ba → ba/0
	// cab →
	// ba → yx/0
}

// A distribution over strings: a or b, again with probability ¾. Its probabilities sum to 1.
func ExampleProbStar() {
	a, b := rx.Symbol("a"), rx.Symbol("b")
	e := rx.ProbStar(rx.Number(.75), rx.ProbUnion(rx.Number(.5), a, b))
	f, err := rx.NewCompiler(semiring.Real{}, fst.NewSymbols("a", "b")).Compile(e)
	if err != nil {
		log.Fatal(err)
	}
	total, err := graph.PathSum(f.Graph())
	fmt.Printf("%v: all %.3f %v, ", e, total, err)
	p, err := fst.Weight(f, []int32{1, 2}, []int32{1, 2}, nil)
	fmt.Printf("ab %.5f %v\n", p, err)
	// Output: (a +_0.5 b)*_0.75: all 1.000 <nil>, ab 0.03516 <nil>
}

// A choice whose probabilities have names, which are given here, and could be trained.
func ExampleChoice() {
	greeting := rx.Choice("greeting",
		rx.Alternative{Name: "short", Expr: rx.Text("hi")}, rx.Alternative{Name: "long", Expr: rx.Text("hello")})
	compiler := rx.NewCompiler(semiring.Real{}, fst.RuneSymbols("a-z"))
	compiler.Groups = rx.Weights(func(group string, alternatives []string) []float64 {
		fmt.Println(group, alternatives)
		return []float64{.25, .75}
	})
	f, err := compiler.Compile(greeting)
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(f, "hello", nil) {
		fmt.Println(out.Text, out.Weight, err)
	}
	// Output:
	// greeting [short long]
	// hello 0.75 <nil>
}

// Rules that are applied with a probability. Where "too" is, "to" is as well: both changes are
// alternatives, each with probability .5, and so is no change. One match at a place, the longest,
// leaves a distribution.
func ExampleRewriteOptions() {
	for _, rule := range []string{`("to":"2" | "too":"3") /^opt_.5 __`, `("to":"2" | "too":"3") /^opt_.5^longest __`} {
		compiler, err := rx.Load(semiring.Real{}, "sms = "+rule+";")
		if err != nil {
			log.Fatal(err)
		}
		f, err := compiler.Machine("sms")
		if err != nil {
			log.Fatal(err)
		}
		sum := 0.
		for out, err := range fst.ApplyText(f, "too", nil) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Print(out.Text, " ", out.Weight, ", ")
			sum += out.Weight
		}
		fmt.Println("sum", sum)
	}
	// Output:
	// 3 0.5, 2o 0.5, too 0.5, sum 1.5
	// 3 0.5, too 0.5, sum 1
}
