package rx_test

import (
	"fmt"
	"log"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
)

// The running example of Eisner 2002: (b) writes p for each a, then p or q for
// each b; (c) turns p into x until it begins to drop them; (a) is both. Four
// coins explain all of its arcs, each of which is a product of several.
func Example() {
	params := em.NewParams()
	compiler := rx.NewCompiler(params.Space(), fst.NewSymbols("a", "b", "p", "q", "x", "z"))
	compiler.Groups = em.Alternatives(params, nil)
	err := compiler.Load(`
b = (a:p)*_λ (b:(p +_ν q))*_μ;
c = (p:x<1-ρ> | q:z)* (p:()<ρ> (p:() | q:z)*)?;
a = @b >> @c;`)
	if err != nil {
		log.Fatal(err)
	}
	a, err := compiler.Machine("a")
	if err != nil {
		log.Fatal(err)
	}

	coins := []float64{.7, .3, .5, .5, .2, .8, .1, .9} // λ μ ν ρ, heads and tails
	m, err := cascade.Instantiate(params, a, coins, semiring.Real{})
	if err != nil {
		log.Fatal(err)
	}
	start := m.Graph().Starts()[0].State
	lo, hi := m.Graph().Row()[start], m.Graph().Row()[start+1]
	for e := lo; e < hi; e++ {
		names, _ := m.InSymbols().Decode([]int32{m.In()[e], m.Out()[e]})
		fmt.Printf("%s:%s\t%.3f = %s\n", names[0], names[1], m.Graph().Weights()[e], params.Space().String(a.Graph().Weights()[e]))
	}
	fmt.Printf("stop\t%.3f = %s\n", m.Final(start), params.Space().String(a.Final(start)))
	// Output:
	// a:<eps>	0.070 = λ[heads]*ρ[heads]
	// a:x	0.630 = λ[heads]*ρ[tails]
	// b:<eps>	0.003 = λ[tails]*μ[heads]*ν[heads]*ρ[heads]
	// b:x	0.027 = λ[tails]*μ[heads]*ν[heads]*ρ[tails]
	// b:z	0.120 = λ[tails]*μ[heads]*ν[tails]
	// stop	0.150 = λ[tails]*μ[tails]
}

// The same expression from a text and from functions.
func ExampleParse() {
	e, err := rx.Parse("[a-z]* (colour):(color) # one spelling")
	if err != nil {
		log.Fatal(err)
	}
	letter := rx.OneOf(rx.Range('a', 'z'))
	f := rx.Concat(rx.Star(letter), rx.Cross(rx.Text("colour"), rx.Text("color")))
	fmt.Println(e, e.Equal(f))

	_, err = rx.Parse("a +_λ\n(b | )")
	fmt.Println(err)
	// Output:
	// [a-z]*(colour):(color) true
	// rx: 2:6: syntax error: ')', want an expression
}

// A plain machine. Numbers are probabilities, and a ring of costs takes the
// negative logarithm of each.
func ExampleCompiler() {
	costs := semiring.Tropical{}
	compiler := rx.NewCompiler(costs, fst.NewSymbols("a", "b"))
	f, err := compiler.Compile(rx.MustParse("a<.5>b<.5> | (ab)<.2>"))
	if err != nil {
		log.Fatal(err)
	}
	for path := range f.Paths() {
		fmt.Printf("%v %.4f\n", path.In, path.Weight)
	}
	// Output:
	// [1 2] 1.3863
	// [1 2] 1.6094
}

// Rules of sounds, one after the other: final stops lose their voice, and then the
// plural's s takes on the voice of what is before it.
func ExampleRewrite() {
	alphabet := fst.NewSymbols("a", "b", "d", "g", "k", "m", "n", "o", "p", "s", "t", "z", "+")
	compiler := rx.NewCompiler(semiring.Boolean{}, alphabet)
	err := compiler.Load(`
final = (b:p | d:t | g:k) / __ $;
plural = s:z / [bdgmn] \+ __ $;
seam = \+:() / __;
sounds = @final >> @plural >> @seam;`)
	if err != nil {
		log.Fatal(err)
	}
	sounds, err := compiler.Machine("sounds")
	if err != nil {
		log.Fatal(err)
	}
	for _, word := range []string{"bad", "bad+s", "bat+s", "dog"} {
		in, _ := alphabet.EncodeRunes(word)
		for p, err := range fst.Apply(sounds, in, nil) {
			if err != nil {
				log.Fatal(err)
			}
			names, _ := alphabet.Decode(p.Out)
			fmt.Println(word, "→", strings.Join(names, ""))
		}
	}
	// Output:
	// bad → bat
	// bad+s → badz
	// bat+s → bats
	// dog → dok
}

// Balanced parentheses, a context-free grammar, and the strings of a few letters that
// its approximation of depth 2 has.
func ExampleCompiler_Network() {
	alphabet := fst.NewSymbols("(", ")")
	compiler := rx.NewCompiler(semiring.Boolean{}, alphabet)
	if err := compiler.Define("S", rx.MustParse(`(\( @S \))*`)); err != nil {
		log.Fatal(err)
	}
	start, parts, err := compiler.Network("S")
	if err != nil {
		log.Fatal(err)
	}
	grammar, err := cfg.New(start, parts)
	if err != nil {
		log.Fatal(err)
	}
	f, err := fst.Optimize(grammar.Superset(2), nil)
	if err != nil {
		log.Fatal(err)
	}
	for p := range f.Paths() {
		if len(p.In) > 4 {
			break
		}
		names, _ := alphabet.Decode(p.In)
		fmt.Printf("%q ", strings.Join(names, ""))
	}
	fmt.Println()
	// Output:
	// "" "()" "(())" "()()"
}

// A grammar over bytes: machines over the alphabet of its definitions, with code points as labels,
// are composed with a machine that reads UTF-8.
func ExampleAlphabet() {
	definitions, err := rx.ParseDefinitions(`
letter = [a-zé ];
plain = é:e / __;
bytes = @utf8 >> @letter* >> @plain >> @utf8^inv;`)
	if err != nil {
		log.Fatal(err)
	}
	alphabet, err := rx.Alphabet(definitions)
	if err != nil {
		log.Fatal(err)
	}
	ring := semiring.Boolean{}
	utf8 := fst.UTF8(ring, []rune("abcdefghijklmnopqrstuvwxyzé "))
	compiler := rx.NewCompiler(ring, alphabet)
	if err := compiler.DefineMachine("utf8", utf8); err != nil {
		log.Fatal(err)
	}
	if err := compiler.DefineAll(definitions); err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"plain", "bytes"} {
		f, err := compiler.Machine(name)
		if err != nil {
			log.Fatal(err)
		}
		const text = "café"
		in := fst.RuneLabels(text)
		if name == "bytes" {
			in = in[:0]
			for _, b := range []byte(text) {
				in = append(in, int32(b))
			}
		}
		for p, err := range fst.Apply(f, in, nil) {
			if err != nil {
				log.Fatal(err)
			}
			fmt.Println(len(in), string(p.Out))
		}
	}
	// Output:
	// 4 cafe
	// 5 cafe
}

// Vowels are deleted and all other symbols are copied, whether the alphabet names them or not.
func ExampleCompiler_other() {
	compiler := rx.NewCompiler(semiring.Tropical{}, fst.NewSymbols("a", "e", "i", "o", "u", fst.OtherName))
	f, err := compiler.Compile(rx.MustParse("([aeiou]:() | [^aeiou])*"))
	if err != nil {
		log.Fatal(err)
	}
	for _, text := range []string{"any symbol", "日本 aeon"} {
		out, err := fst.BestText(f, text, nil)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(out.Text)
	}
	// Output:
	// ny symbl
	// 日本 n
}
