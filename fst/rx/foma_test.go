package rx_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// foma is another implementation of rewrite rules: M. Hulden, "Foma: a finite-state compiler and
// library" (2009). The test with it is skipped where it is not installed, unless the environment
// has PATHSUM_FOMA=require.

// both is a text in our syntax and in foma's.
type both struct{ rx, foma string }

func (x both) String() string { return x.rx }

// joined returns texts one after the other, between others.
func joined(between both, xs ...both) both {
	var a, b []string
	for _, x := range xs {
		a, b = append(a, x.rx), append(b, x.foma)
	}
	return both{strings.Join(a, between.rx), strings.Join(b, between.foma)}
}

// fomaRules makes random lists of rules over the alphabet abc that mean the same to both.
type fomaRules struct{ *rand.Rand }

func (r fomaRules) letter() string { return string("abc"[r.IntN(3)]) }

// word returns a text of at least least and at most most letters.
func (r fomaRules) word(least, most int) both {
	var letters []string
	for range least + r.IntN(most-least+1) {
		letters = append(letters, r.letter())
	}
	if letters == nil {
		return both{"()", "0"}
	}
	return both{`"` + strings.Join(letters, "") + `"`, "[" + strings.Join(letters, " ") + "]"}
}

// words returns one of them or two.
func (r fomaRules) words(least, most int) both {
	x := r.word(least, most)
	if r.IntN(3) == 0 {
		x = joined(both{" | ", " | "}, x, r.word(least, most))
	}
	return both{"(" + x.rx + ")", "[" + x.foma + "]"}
}

// context returns what stands on one side of a rule.
func (r fomaRules) context(left bool) both {
	part := func() both {
		switch x := r.words(1, 1); r.IntN(6) {
		case 0:
			return both{x.rx + "*", x.foma + "*"}
		case 1:
			return r.words(1, 2)
		default:
			return x
		}
	}
	edge := both{"$", ".#."}
	parts := []both{part()}
	switch r.IntN(8) {
	case 0, 1:
		return both{}
	case 2:
		parts = []both{edge}
	case 3:
		parts = append(parts, edge)
	case 4:
		parts = append(parts, part())
	}
	if left {
		slices.Reverse(parts)
	}
	return joined(both{" ", " "}, parts...)
}

// rules returns a list. It is one that means the same to foma:
//
//   - Foma applies rules at all places together, and takes all ways to do so; ours are applied
//     from one end to the other. So no match begins within another one, unless there is one
//     rule, of which the longest or shortest match is taken, with its context in the input.
//   - Of two rules with the same longest or shortest match, both are alternatives to foma. So
//     changes of different rules begin with different letters then, and one rule inserts.
//   - Where a change writes several letters, foma 0.10 does not see the letter that was changed in
//     the context of an insertion behind it, and it drops an insertion that begins with another
//     one. So at most one letter is written, and exactly one by an insertion.
func (r fomaRules) rules() both {
	marks, arrow, place := "", "->", "||"
	switch r.IntN(3) {
	case 0:
		marks, arrow = "^longest", "@->"
	case 1:
		marks, arrow = "^shortest", "@>"
	}
	one := arrow != "->" // of several matches
	long := one && r.IntN(3) > 0
	switch direction := r.IntN(3); {
	case long || direction == 0:
		marks += "^sim"
	case direction == 1:
		place = "//"
	default:
		marks, place = marks+"^rtl", `\\`
	}
	if !one && r.IntN(3) == 0 {
		marks, arrow = "^opt"+marks, "(->)"
	}
	var list []both
	inserted, rules := long, 1+r.IntN(3)
	if long {
		rules = 1
	}
	for i, first := range r.Perm(3)[:rules] {
		change, becomes := r.words(1, 1), r.words(0, 1)
		if one {
			letter := both{"abc"[first : first+1], "abc"[first : first+1]}
			change = letter
			if long {
				change = joined(both{" ", " "}, letter, r.words(0, 2))
			}
			change = both{"(" + change.rx + ")", "[" + change.foma + "]"}
		}
		if !inserted && r.IntN(2) == 0 {
			change, becomes, inserted = both{"()", "[..]"}, r.words(1, 1), one
		}
		left, right := r.context(true), r.context(false)
		rule := both{change.rx + ":" + becomes.rx + " /", change.foma + " " + arrow + " " + becomes.foma}
		if i == 0 {
			rule.rx += marks
		}
		rule.rx += " " + left.rx + " __ " + right.rx
		if left != (both{}) || right != (both{}) {
			rule.foma += " " + place + " " + left.foma + " _ " + right.foma
		}
		list = append(list, rule)
	}
	return joined(both{", ", " ,, "}, list...)
}

// foma returns what foma makes of words by each of the rules, nil where that is more than it
// lists.
func foma(t *testing.T, rules []both, words []string) [][][]string {
	t.Helper()
	if _, err := exec.LookPath("foma"); err != nil {
		if os.Getenv("PATHSUM_FOMA") == "require" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var script bytes.Buffer
	for _, r := range rules {
		fmt.Fprintf(&script, "regex %s ;\n", r.foma)
		for _, w := range words {
			fmt.Fprintf(&script, "echo end\ndown %s\n", w)
		}
		script.WriteString("echo end\nclear stack\n")
	}
	file := filepath.Join(t.TempDir(), "rules.foma")
	if err := os.WriteFile(file, script.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("foma", "-q", "-f", file).Output()
	if err != nil {
		t.Fatal(err)
	}
	var all [][][]string
	parts := strings.Split(string(out), "end\n")
	for i := range rules {
		var outputs [][]string
		for _, part := range parts[1+i*(len(words)+1):][:len(words)] {
			got := strings.Split(strings.TrimSuffix(part, "\n"), "\n")
			if len(got) > 90 { // it lists 100 paths
				got = nil
			}
			slices.Sort(got)
			outputs = append(outputs, slices.Compact(got))
		}
		all = append(all, outputs)
	}
	return all
}

// Lists of rules make of a string what foma makes of it.
func TestFoma(t *testing.T) {
	const lists = 600
	r := fomaRules{fsttest.Rand(1)}
	var words []string
	for n := 1; n <= 3; n++ {
		words = append(words, wordsOf("abc", n)...)
	}
	for range 6 {
		w := ""
		for range 4 + r.IntN(2) {
			w += r.letter()
		}
		words = append(words, w)
	}
	var rules []both
	for range lists {
		rules = append(rules, r.rules())
	}
	c := rx.NewCompiler(semiring.Boolean{}, fst.RuneSymbols("abc"))
	changed := 0
	for i, outputs := range foma(t, rules, words) {
		f := must(c.Compile(rx.MustParse(rules[i].rx)))(t)
		for k, want := range outputs {
			if want == nil {
				continue
			}
			var got []string
			for p, err := range fst.ApplyText(f, words[k], nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p.Text)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s makes %q of %s, but foma's %s makes %q", rules[i], got, words[k], rules[i].foma, want)
				break
			}
			if len(want) > 1 || want[0] != words[k] {
				changed++
			}
		}
	}
	if changed < lists*len(words)/4 {
		t.Errorf("rules changed only %d of %d words", changed, lists*len(words))
	}
}

// wordsOf returns the words of n letters.
func wordsOf(letters string, n int) []string {
	words := []string{""}
	for range n {
		var more []string
		for _, w := range words {
			for _, l := range letters {
				more = append(more, w+string(l))
			}
		}
		words = more
	}
	return words
}

// What is left out, and why, as the documentation of package rewrite has it: what foma makes of
// contexts that are in the output on both sides, and of matches that overlap. The latter come
// from an optional rule, of whose outputs those are removed that leave a match.
func TestFomaWithoutDirection(t *testing.T) {
	for _, x := range []struct {
		rule, word string
		want       []string
	}{{`a -> b \/ b _ b`, "baab", []string{"baab", "bbbb"}}, {`a -> b \/ b _ a`, "baaa", []string{"???"}}} {
		if got := foma(t, []both{{foma: x.rule}}, []string{x.word})[0][0]; !slices.Equal(got, x.want) {
			t.Errorf("foma's %s makes %q of %s, want %q", x.rule, got, x.word, x.want)
		}
	}
	var words []string
	for n := 1; n <= 7; n++ {
		words = append(words, wordsOf("ab", n)...)
	}
	c := rx.NewCompiler(semiring.Boolean{}, fst.RuneSymbols("abx"))
	rules := []both{
		{`((aba):x /^sim^opt __) >> ~(.* (aba) .*)`, "a b a -> x"},
		{`((ab | ba):x /^sim^opt __) >> ~(.* (ab | ba) .*)`, "[a b | b a] -> x"},
	}
	for i, outputs := range foma(t, rules, words) {
		f := must(c.Compile(rx.MustParse(rules[i].rx)))(t)
		several := 0
		for k, want := range outputs {
			var got []string
			for p, err := range fst.ApplyText(f, words[k], nil) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, p.Text)
			}
			slices.Sort(got)
			if got = slices.Compact(got); !slices.Equal(got, want) {
				t.Errorf("%s makes %q of %s, but foma's %s makes %q", rules[i], got, words[k], rules[i].foma, want)
				break
			}
			if len(want) > 1 {
				several++
			}
		}
		if several == 0 {
			t.Errorf("%s has one output for each word", rules[i].foma)
		}
	}
}
