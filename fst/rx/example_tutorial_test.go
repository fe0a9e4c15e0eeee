package rx_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"math"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

// The steps of TUTORIAL.md. Each grammar contains the grammar of the step before it.
const (
	digits = `
digit = 1:"one" | 2:"two" | 3:"three" | 4:"four" | 5:"five" | 6:"six" | 7:"seven" | 8:"eight" | 9:"nine";`

	tens = digits + `
del(x) = @x:();
ins(x) = ():@x;
teen = "10":"ten" | "11":"eleven" | "12":"twelve" | "13":"thirteen" | "14":"fourteen" | "15":"fifteen"
     | "16":"sixteen" | "17":"seventeen" | "18":"eighteen" | "19":"nineteen";
ty = 2:"twenty" | 3:"thirty" | 4:"forty" | 5:"fifty" | 6:"sixty" | 7:"seventy" | 8:"eighty" | 9:"ninety";
pair = @teen | @ty (@del(0) | @ins(" ") @digit);`

	hundreds = tens + `
two = @del(0) @digit | @pair;
hundred = @digit @ins(" hundred") (@del("00") | @ins(" ") @two);
small = @digit | @pair | @hundred;`

	thousands = hundreds + `
three = @del("00") @digit | @del(0) @pair | @hundred;
number = (0:"zero" | @small | @small @ins(" thousand") (@del("000") | @ins(" ") @three))^min;`

	years = thousands + `
year = @pair (@ins(" ") @pair | @del("00") @ins(" hundred") | @del(0) @ins(" oh ") @digit);`

	sentences = years + `
year_or_number = @number | @year<+1>;
irregular = "2000":"two thousand" | "007":"double oh seven";
reading = @irregular || @year_or_number;
edge = $ | [^0-9];
sentence = [a-z0-9\ ]* >> (@reading /^longest @edge __ @edge);`

	tokens = sentences + `
word = [a-z]+;
seat = @number @ins(" ") [a-z];
line = {* [0-9], [a-z]: @reading | @word | @seat | \ };`
)

// compile returns the machine of a definition. Its alphabet has all symbols in the text.
func compile(text, name string) *fst.FST[semiring.Cost] {
	compiler, err := rx.Load(semiring.Tropical{}, text)
	if err != nil {
		log.Fatal(err)
	}
	f, err := compiler.Machine(name)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

// apply prints the outputs of f for each text, best first, with their costs.
func apply(f *fst.FST[semiring.Cost], texts ...string) {
	for _, text := range texts {
		var all []string
		for out, err := range fst.ApplyText(f, text, nil) {
			if err != nil {
				log.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%s (%.3g)", out.Text, out.Weight))
		}
		if all == nil {
			all = []string{"nothing"}
		}
		fmt.Println(text, "→", strings.Join(all, ", "))
	}
}

// Digits. A pair A:B reads A and writes B. Quotes enclose a text, and | is a choice. A machine
// maps a text to any number of outputs, each with a cost.
//
// In Pynini: string_map of pairs, or a union of cross(a, b); rewrites, or top_rewrite.
func Example_tutorial01() {
	digit := compile(digits, "digit")
	apply(digit, "7", "3")
	fmt.Println(digit.NumStates(), "states,", digit.NumArcs(), "arcs")
	// Output:
	// 7 → seven (0)
	// 3 → three (0)
	// 25 states, 32 arcs
}

// Two digits. Expressions in a row are concatenated, and @name refers to a definition. Deletion and
// insertion are pairs with the empty string, (), on one side; definitions with parameters name
// them. An argument is an expression that replaces the parameter: with twice(x) = @x @x,
// @twice([0-9]) is any two digits. For the same digit twice, write {@x in [0-9]: @x @x}.
//
// In Pynini: a + b, pynutil.delete, pynutil.insert, and a Python function for each pattern.
func Example_tutorial02() {
	apply(compile(tens, "pair"), "17", "20", "42")
	// Output:
	// 17 → seventeen (0)
	// 20 → twenty (0)
	// 42 → forty two (0)
}

// Three digits. Zeros are read and not spoken, so exactly two digits follow the hundreds.
//
// In Pynini: the same union of concatenations; "00" is pynutil.delete("00").
func Example_tutorial03() {
	apply(compile(hundreds, "small"), "5", "70", "105", "400", "999")
	// Output:
	// 5 → five (0)
	// 70 → seventy (0)
	// 105 → one hundred five (0)
	// 400 → four hundred (0)
	// 999 → nine hundred ninety nine (0)
}

// All numbers below a million. ^min makes a machine small by merging common prefixes and suffixes.
// The machine has one path for each number, so the sum over all paths is the count of numbers.
//
// In Pynini: optimize().
func Example_tutorial04() {
	number := compile(thousands, "number")
	apply(number, "0", "1000", "12011", "730000", "999999")
	large := compile(strings.Replace(thousands, "^min", "", 1), "number")
	fmt.Println("as written:", large.NumStates(), "states,", large.NumArcs(), "arcs")
	fmt.Println("with ^min:", number.NumStates(), "states,", number.NumArcs(), "arcs")

	reals := semiring.Real{}
	counts, err := fst.Expand(fst.Map(number, reals, func(c semiring.Cost) float64 { return math.Exp(-float64(c)) }), nil)
	if err != nil {
		log.Fatal(err)
	}
	paths, err := graph.PathSum(counts.Graph())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f paths\n", paths)
	// Output:
	// 0 → zero (0)
	// 1000 → one thousand (0)
	// 12011 → twelve thousand eleven (0)
	// 730000 → seven hundred thirty thousand (0)
	// 999999 → nine hundred ninety nine thousand nine hundred ninety nine (0)
	// as written: 732 states, 974 arcs
	// with ^min: 232 states, 314 arcs
	// 1000000 paths
}

// The other direction. ^inv exchanges reading and writing: the same grammar reads spoken numbers. A
// text that it does not accept has no output. A character outside its alphabet is an error.
//
// In Pynini: invert.
func Example_tutorial05() {
	written := compile(thousands+"written = @number^inv;", "written")
	apply(written, "twelve thousand eleven", "nine hundred", "forty eleven")
	for _, err := range fst.ApplyText(written, "7", nil) {
		fmt.Println(err)
	}
	// Output:
	// twelve thousand eleven → 12011 (0)
	// nine hundred → 900 (0)
	// forty eleven → nothing
}

// Years and ambiguity. A union has all readings of its parts: 1905 is a year or a number. Both have
// the same cost until step 7.
//
// In Pynini: union. rewrites returns all outputs; one_top_rewrite fails if two are best.
func Example_tutorial06() {
	apply(compile(years+"either = @number | @year;", "either"), "1905", "1900", "1066", "2026")
	// Output:
	// 1905 → nineteen oh five (0), one thousand nine hundred five (0)
	// 1900 → nineteen hundred (0), one thousand nine hundred (0)
	// 1066 → ten sixty six (0), one thousand sixty six (0)
	// 2026 → two thousand twenty six (0), twenty twenty six (0)
}

// Costs and exceptions. <+1> is a cost, so a year is the second reading. E || F is E, and F for
// the texts that E does not read: exceptions first, then the rule.
//
// In Pynini: pynutil.add_weight(x, 1). For ||, subtract the exceptions from the input of the rule,
// and take the union.
func Example_tutorial07() {
	apply(compile(sentences, "reading"), "1905", "2000", "007")
	// Output:
	// 1905 → one thousand nine hundred five (0), nineteen oh five (1)
	// 2000 → two thousand (0)
	// 007 → double oh seven (0)
}

// Sentences. A rewrite rule, E / L __ R, applies E to every match between L and R, and copies all
// other text. ^longest selects the longest match.
//
// In Pynini: cdrewrite(tau, l, r, sigma_star), with weights by which the longest match is best.
func Example_tutorial08() {
	sentence := compile(sentences, "sentence")
	apply(sentence, "room 101", "007", "12 in 1905")
	fmt.Println(sentence.NumStates(), "states,", sentence.NumArcs(), "arcs")
	// Output:
	// room 101 → room one hundred one (0)
	// 007 → double oh seven (0)
	// 12 in 1905 → twelve in one thousand nine hundred five (0), twelve in nineteen oh five (1)
	// 909 states, 1997 arcs
}

// Tokens. {* S, T: E} is E any number of times, but never splits a run of symbols of S or of T
// between two items. Here S are digits and T letters, and this holds for input and output. So a run
// of digits is read as a whole, or not at all, like the last text below. No output joins the words
// of two readings, and 12b needs a rule of its own.
//
// In Pynini: no such function. Write marks between tokens, and compose with a machine that accepts
// the allowed marks.
func Example_tutorial09() {
	line := compile(tokens, "line")
	apply(line, "room 101", "12 in 1905", "12b", "12bc", "1234567")
	fmt.Println(line.NumStates(), "states,", line.NumArcs(), "arcs")
	// Output:
	// room 101 → room one hundred one (0)
	// 12 in 1905 → twelve in one thousand nine hundred five (0), twelve in nineteen oh five (1)
	// 12b → twelve b (0)
	// 12bc → nothing
	// 1234567 → nothing
	// 756 states, 1203 arcs
}

// Training. How often is a number read as a year? The probabilities of a choice {g: x = E | y = F}
// are parameters, and EM estimates them from pairs of written and spoken numbers; the choices
// themselves are hidden. Of the five pairs three are years and one is a number. The fifth, 17, may
// be either, and EM divides it between both in the proportion of the others, three to one.
//
// In Pynini: no training. Weights are estimated by another program.
func Example_tutorial10() {
	trained, model := train()
	for name, p := range model.Params.Named(model.Theta) {
		fmt.Printf("%s %.2f\n", name, p)
	}
	apply(trained, "1919", "350")
	// Output:
	// reading[number] 0.25
	// reading[year] 0.75
	// 1919 → nineteen nineteen (0.288), one thousand nine hundred nineteen (1.39)
	// 350 → three hundred fifty (1.39)
}

// train returns the machine of numbers and years, with trained probabilities of both readings.
func train() (*fst.FST[semiring.Cost], cascade.Model) {
	params := em.NewParams()
	compiler, err := rx.Load(params.Space(), years+"spoken = {reading: number = @number | year = (@year | @pair)};")
	if err != nil {
		log.Fatal(err)
	}
	compiler.Groups = em.Alternatives(params, nil)
	spoken, err := compiler.Machine("spoken")
	if err != nil {
		log.Fatal(err)
	}

	data := cascade.Pairs([][2]string{
		{"1919", "nineteen nineteen"}, {"1850", "eighteen fifty"}, {"2020", "twenty twenty"}, {"17", "seventeen"},
		{"1200", "one thousand two hundred"},
	})
	model := cascade.NewModel(cascade.Problem{Params: params, Stages: []cascade.Stage{spoken}})
	if _, err := model.Fit(context.Background(), data, nil); err != nil {
		log.Fatal(err)
	}
	trained, err := cascade.Instantiate(params, spoken, model.Theta, semiring.Tropical{})
	if err != nil {
		log.Fatal(err)
	}
	return trained, model
}

// Export. WriteBinary writes the file format of OpenFst, with the tables of symbols; WriteText
// writes a form for people. The machine that is read back has the same outputs.
//
// In Pynini: fst.write, Far, Fst.read.
func Example_tutorial11() {
	trained, _ := train()
	var file bytes.Buffer
	if err := fstio.WriteBinary(&file, trained, nil); err != nil {
		log.Fatal(err)
	}
	fmt.Println(file.Len(), "bytes")
	again, err := fstio.ReadBinary(&file, semiring.Tropical{})
	if err != nil {
		log.Fatal(err)
	}
	apply(again, "1919")
	// Output:
	// 34391 bytes
	// 1919 → nineteen nineteen (0.288), one thousand nine hundred nineteen (1.39)
}
