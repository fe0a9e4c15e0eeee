package rx_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// A grammar in files: a string map, definitions that import others, and a choice whose alternatives
// name parameters. From pairs of written and spoken forms, without labels for the alternative used,
// EM estimates how often a number is read as a year.
func ExampleReadDefinitions() {
	files := fstest.MapFS{
		"digits.tsv": {Data: []byte("1\tone\n2\ttwo\n9\tnine\n")},
		"numbers.rx": {Data: []byte(`
tens = 1:"ten" | 2:"twenty" | 9:"ninety";
pair = @tens @"digits.tsv";
cardinal = @"digits.tsv" ():" thousand " @"digits.tsv" ():" hundred and " @pair;`)},
		"dates.rx": {Data: []byte(`
import "numbers.rx";
number = {reading: year = @pair ():" " @pair | cardinal = @cardinal};`)},
	}
	definitions, err := rx.ReadDefinitions(files, "dates.rx")
	if err != nil {
		log.Fatal(err)
	}
	alphabet, err := rx.Alphabet(definitions)
	if err != nil {
		log.Fatal(err)
	}
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), alphabet)
	compiler.Groups = em.Alternatives(params, func(string, []string) em.Law { return em.Dirichlet{Alpha: 2} })
	if err := compiler.DefineAll(definitions); err != nil {
		log.Fatal(err)
	}
	number, err := compiler.Machine("number")
	if err != nil {
		log.Fatal(err)
	}

	data := cascade.Pairs([][2]string{
		{"1922", "tennine twentytwo"}, {"1991", "tennine ninetyone"}, {"2219", "twentytwo tennine"},
		{"1212", "one thousand two hundred and tentwo"},
	})
	l, err := cascade.Problem{Params: params, Stages: []cascade.Stage{number}}.Likelihood(data)
	if err != nil {
		log.Fatal(err)
	}
	r, err := em.Fit(context.Background(), l, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, p := range params.Named(r.Theta) {
		fmt.Printf("%s %.3f\n", name, p)
	}
	// Output:
	// reading[year] 0.667
	// reading[cardinal] 0.333
}

// Alternatives with features: the probability that a sound is dropped depends on the sound and on
// its predecessor, and rare sounds share the features of the others. One group has all strengths;
// the prior keeps strengths near 1 that the data do not determine.
func ExampleCompiler_Declare() {
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "t", "d", "k"))
	compiler.Groups = em.LogLinearAlternatives(params, "drop", func(group, alternative string) []em.Feature {
		if alternative == "keep" {
			return nil
		}
		return []em.Feature{{Name: "any"}, {Name: group}}
	}, em.LogLinearOptions{Sigma: 1})
	err := compiler.Load(`
final = {t: keep = t | drop = t:()} | {d: keep = d | drop = d:()} | {k: keep = k | drop = k:()};
word = a+ @final;`)
	if err != nil {
		log.Fatal(err)
	}
	word, err := compiler.Machine("word")
	if err != nil {
		log.Fatal(err)
	}
	var data []cascade.Example
	add := func(x, y string, times int) {
		in, _ := word.InSymbols().EncodeRunes(x)
		out, _ := word.OutSymbols().EncodeRunes(y)
		for range times {
			data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
		}
	}
	add("at", "at", 10)
	add("at", "a", 40)
	add("aad", "aa", 15)
	add("aad", "aad", 5)
	add("ak", "ak", 1)
	l, err := cascade.Problem{Params: params, Stages: []cascade.Stage{word}}.Likelihood(cascade.Data{Examples: data})
	if err != nil {
		log.Fatal(err)
	}
	r, err := em.Fit(context.Background(), l, nil)
	if err != nil {
		log.Fatal(err)
	}
	for name, x := range params.Named(r.Theta) {
		fmt.Printf("%s %.2f\n", name, x)
	}
	// Output:
	// drop[any] 0.59
	// drop[t] 0.71
	// drop[d] 0.40
	// drop[k] -0.52
	// drop[t/keep] 0.21
	// drop[t/drop] 0.79
	// drop[d/keep] 0.27
	// drop[d/drop] 0.73
	// drop[k/keep] 0.48
	// drop[k/drop] 0.52
}

// A rule that is applied with a probability wherever it matches, to the longest match: the outputs
// of every string have a total probability of 1.
func ExampleRewrite_longest() {
	alphabet := fst.NewSymbols("a", "b", "c")
	compiler := rx.NewCompiler(semiring.Real{}, alphabet)
	for _, rule := range []string{
		"((ab):c | a:b) / __", "((ab):c | a:b) /^longest __", "((ab):c | a:b) /^shortest __", "((ab):c | a:b) /^longest^opt_.9 __",
	} {
		f, err := compiler.Compile(rx.MustParse(`"abb" >> (` + rule + ")"))
		if err != nil {
			log.Fatal(err)
		}
		sum, err := graph.PathSum(f.Graph())
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-36s %.1f:", rule, sum)
		for p := range f.Paths() {
			out, _ := alphabet.Decode(p.Out)
			fmt.Printf(" %v %.1f", out, p.Weight)
		}
		fmt.Println()
	}
	// Output:
	// ((ab):c | a:b) / __                  2.0: [b b b] 1.0 [c b] 1.0
	// ((ab):c | a:b) /^longest __          1.0: [c b] 1.0
	// ((ab):c | a:b) /^shortest __         1.0: [b b b] 1.0
	// ((ab):c | a:b) /^longest^opt_.9 __   1.0: [a b b] 0.1 [c b] 0.9
}

// A trained machine is decompiled to a probabilistic expression: the running example of Eisner
// 2002, with the names of its coins, and with the estimated probabilities.
func ExampleCompiler_Decompile() {
	params := em.NewParams()
	alphabet := fst.NewSymbols("a", "b", "p", "q")
	compiler := rx.NewCompiler(params.Space(), alphabet)
	compiler.Groups = em.Alternatives(params, nil)
	b, err := compiler.Compile(rx.MustParse("(a:p)*_λ (b:(p +_ν q))*_μ"))
	if err != nil {
		log.Fatal(err)
	}
	e, err := compiler.Decompile(b)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)

	var data []cascade.Example
	for _, pair := range [][2]string{{"aab", "ppq"}, {"abb", "ppq"}, {"aaabbb", "pppqqq"}} {
		in, _ := alphabet.EncodeRunes(pair[0])
		out, _ := alphabet.EncodeRunes(pair[1])
		data = append(data, cascade.Example{X: cascade.Labels(in...), Y: cascade.Labels(out...)})
	}
	l, err := cascade.Problem{Params: params, Stages: []cascade.Stage{b}}.Likelihood(cascade.Data{Examples: data})
	if err != nil {
		log.Fatal(err)
	}
	r, err := em.Fit(context.Background(), l, nil)
	if err != nil {
		log.Fatal(err)
	}
	reals := semiring.Real{}
	trained, err := cascade.Instantiate(params, b, r.Theta, reals)
	if err != nil {
		log.Fatal(err)
	}
	if e, err = rx.NewCompiler(reals, alphabet).Decompile(trained); err != nil {
		log.Fatal(err)
	}
	fmt.Println(e)
	// Output:
	// a:p*_λ (b:p +_ν b:q)*_μ
	// a:p*_0.666666666666667 (b:p +_0.166666666666667 b:q)*_0.666666666666667
}
