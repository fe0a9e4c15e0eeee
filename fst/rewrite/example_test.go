package rewrite_test

import (
	"fmt"
	"log"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/semiring"
)

// A t between vowels becomes a d.
func ExampleCompile() {
	ring := semiring.Boolean{}
	vowel := fst.FromArcs(ring, map[int32]bool{1: true}, []fst.Arc[bool]{
		{In: 'a', Out: 'a', To: 1, Weight: true}, {In: 'i', Out: 'i', To: 1, Weight: true}})
	tToD := fst.FromPair(ring, fst.RuneLabels("t"), fst.RuneLabels("d"))
	f, err := rewrite.Compile([]rewrite.Rule[bool]{{Change: tToD, Left: vowel, Right: vowel}},
		&rewrite.Options[bool]{Alphabet: fst.RuneLabels("aitd")})
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(f, "atitat", nil) {
		fmt.Println(out.Text, err)
	}
	// Output: adidat <nil>
}

// An optional rule: a coin is tossed at each position where it matches.
func ExampleOptions() {
	ring := semiring.Real{}
	drop := rewrite.Rule[float64]{Change: fst.FromPair(ring, fst.RuneLabels("h"), nil)}
	f, err := rewrite.Compile([]rewrite.Rule[float64]{drop}, &rewrite.Options[float64]{
		Alphabet: fst.RuneLabels("aho"), Application: rewrite.Optional, Coin: &rewrite.Coin[float64]{Heads: .75, Tails: .25}})
	if err != nil {
		log.Fatal(err)
	}
	for out, err := range fst.ApplyText(f, "aha", nil) {
		fmt.Println(out.Text, out.Weight, err)
	}
	// Output:
	// aa 0.75 <nil>
	// aha 0.25 <nil>
}

// The longest match: of a and aa, which of them is rewritten?
func ExampleRule() {
	ring := semiring.Boolean{}
	change := fst.StringMap(ring, []fst.Path[bool]{
		{In: fst.RuneLabels("a"), Out: fst.RuneLabels("1"), Weight: true},
		{In: fst.RuneLabels("aa"), Out: fst.RuneLabels("2"), Weight: true}})
	for _, match := range []rewrite.Match{rewrite.Any, rewrite.Longest, rewrite.Shortest} {
		f, err := rewrite.Compile([]rewrite.Rule[bool]{{Change: change}},
			&rewrite.Options[bool]{Alphabet: fst.RuneLabels("a"), Match: match})
		if err != nil {
			log.Fatal(err)
		}
		var all []string
		for out, err := range fst.ApplyText(f, "aaa", nil) {
			if err != nil {
				log.Fatal(err)
			}
			all = append(all, out.Text)
		}
		fmt.Println(all)
	}
	// Output:
	// [111 21 12]
	// [21]
	// [111]
}
