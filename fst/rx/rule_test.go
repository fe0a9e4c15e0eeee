package rx_test

import (
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/semiring"
)

// rewriting is the oracle that applies rules to strings, from their beginning to their end, as
// package rewrite specifies.
type rewriting struct {
	changes     []func(x, y string) float64
	left, right []func(text string) bool
	inPlace     bool // the left context is matched against the output
	obligatory  bool
	match       rewrite.Match
	yes, no     float64 // of an optional rule that could be applied
	backward    bool    // strings are read from their end
}

// rewriting returns the rules of t, or, if they are applied from the end, the rules for reversed
// strings.
func (t *tree) rewriting() *rewriting {
	r := &rewriting{
		inPlace: t.direction != rewrite.Simultaneous, obligatory: t.application == rewrite.Obligatory,
		backward: t.direction == rewrite.RightToLeft, match: t.match, yes: 1, no: 1,
	}
	if t.tossed {
		r.yes, r.no = t.prob(), 1-t.prob()
	}
	turned := func(s string) string { return s }
	if r.backward {
		turned = reversed
	}
	for rule := range slices.Chunk(t.kids, 3) {
		left, right := rule[1], rule[2]
		if r.backward {
			left, right = right, left
		}
		r.changes = append(r.changes, func(x, y string) float64 { return rule[0].of(turned(x), turned(y)) })
		r.left = append(r.left, func(s string) bool { return left.of(turned(s), turned(s)) != 0 })
		r.right = append(r.right, func(s string) bool { return right.of(turned(s), turned(s)) != 0 })
	}
	return r
}

// of returns the weight of the pair of x and y.
func (r *rewriting) of(x, y string) float64 {
	if r.backward {
		x, y = reversed(x), reversed(y)
	}
	return r.from(x, y, 0, 0, true)
}

// from returns the weight of the rest of x and y from i and j on: an insertion, if it is allowed
// and a rule has one, and then a change or a copied symbol.
func (r *rewriting) from(x, y string, i, j int, inserts bool) float64 {
	before := "$" + x[:i]
	if r.inPlace {
		before = "$" + y[:j]
	}
	var matches [][2]int // rules, and the ends of their matches
	for rule, change := range r.changes {
		if !slices.ContainsFunc(suffixes(before), r.left[rule]) {
			continue
		}
		for k := i; k <= len(x); k++ {
			if inserts != (k == i) {
				continue
			}
			if slices.ContainsFunc(prefixes(x[k:]+"$"), r.right[rule]) && over(func(z string) float64 { return change(x[i:k], z) }) != 0 {
				matches = append(matches, [2]int{rule, k})
			}
		}
	}
	sum, stay := 0.0, 1.0
	switch {
	case len(matches) > 0 && r.obligatory:
		stay = 0
	case len(matches) > 0:
		stay = r.no
	}
	for _, m := range r.chosen(matches) {
		for l, k := j, m[1]; l <= len(y); l++ {
			if w := r.changes[m[0]](x[i:k], y[j:l]); w != 0 {
				sum += r.yes * w * r.from(x, y, k, l, !inserts)
			}
		}
	}
	switch {
	case stay == 0:
	case inserts:
		sum += stay * r.from(x, y, i, j, false)
	case i == len(x):
		sum += stay * indicator(j == len(y))
	case j < len(y) && x[i] == y[j]:
		sum += stay * r.from(x, y, i+1, j+1, true)
	}
	return sum
}

// chosen returns the matches that are alternatives.
func (r *rewriting) chosen(matches [][2]int) [][2]int {
	if len(matches) == 0 || r.match == rewrite.Any {
		return matches
	}
	best := matches[0] // of the first rule
	for _, m := range matches {
		if r.match == rewrite.Longest && m[1] > best[1] || r.match == rewrite.Shortest && m[1] < best[1] {
			best = m
		}
	}
	return [][2]int{best}
}

func suffixes(s string) (all []string) {
	for i := range len(s) + 1 {
		all = append(all, s[i:])
	}
	return all
}

func prefixes(s string) (all []string) {
	for i := range len(s) + 1 {
		all = append(all, s[:i])
	}
	return all
}

// Examples from the literature: Kaplan and Kay 1994; Karttunen, "The replace operator" (1995);
// Mohri and Sproat 1996; and textbook rules of sounds.
func TestRulesOfTheLiterature(t *testing.T) {
	c := rx.NewCompiler(semiring.Boolean{}, fst.NewSymbols(strings.Split("abcdeiklmnoprstuxyzNDT ", "")...))
	define(t, c, `V = [aeiou]; voiceless = [kpst]; end = $ | \ ;`)
	for _, test := range []struct{ rule, in, out string }{
		{"(ab):x / ab __ a", "abababa", "abxaba"},
		{"(ab):x /^rtl ab __ a", "abababa", "ababxa"},
		{"(ab):x /^sim ab __ a", "abababa", "abxxa"},
		{"a:b / b __", "baaa", "bbbb"},
		{"a:b /^rtl b __", "baaa", "bbaa"},
		{"a:b /^opt b __", "baa", "baa|bba|bbb"},
		{"a:b / c __ b", "cab", "cbb"},
		{"N:m / __ p >> N:n / __", "kaNpaN", "kampan"},
		{"N:m / __ p, N:n / __ [^p], N:n / __ $", "kaNpaN", "kampan"},
		{"(b:p | d:t | z:s) / __ @end", "bad bed abz", "bat bet abs"},
		{"t:D / @V __ @V", "otto atat tata", "otto aDat taDa"},
		{"[aeiou]:() / [aeiou] __", "aeaei", "a"},
		{"[aeiou]:() /^sim [aeiou] __", "aeaei", "a"},
		{"[aeiou]:() /^rtl [aeiou] __", "aeaei", "a"},
		{"[aeiou]:() /^sim __ [aeiou]", "taea", "ta"},
		{"():e / s __ s", "bass sss", "bases seses"},
		{"():e / $ __ s", "skos", "eskos"},
		{"():x / __ $", "ab", "abx"},
		{"s:z / $ ~(.* @voiceless) __ $", "baks", "baks"},
		{"s:z / $ ~(.* @voiceless) __ $", "bads", "badz"},
		{"a:(b | c) / x __ , x:() / __ x", "xxa", "xb|xc"},
		{"a:b / $ __ $", "a", "b"},
		{"a:b / $ __ $", "aa", "aa"},
		{"(a+):x / __", "aa", "x|xx"}, // no longest match is taken
		{"(a+):x /^longest __", "aataa", "xtx"},
		{"(a+):x /^shortest __", "aataa", "xxtxx"},
		{"(a+):x /^longest __ b", "aaab", "xb"},
		{"(ab):c /^longest __, a:b / __", "abaab", "cbc"}, // as in Gerdemann and van Noord 1999
		{"(ab):c /^shortest __, a:b / __", "abaab", "bbbbb"},
		{"(a b):x /^longest __, (. b):y / __", "abbb", "xy"},
		{"(a b | a b c):x /^longest __ c", "abcc", "xc"}, // abc needs another c
		{"(a | ab):x /^longest^rtl __", "aab", "xx"},
		// An insertion and a change at one place, as foma 0.10 and HFST 3.16 have them.
		{"a:b /^sim __, ():x / a __", "aa", "bxbx"},
		{"a:b /^sim __, ():x / __ a", "aa", "xbxb"},
		{"a:b / __, ():x / b __", "aa", "bxbx"},
		{"():x / a __, a:b / x __", "aa", "axb"},
		{"a:b /^rtl __, ():x / __ b", "aa", "xbxb"},
		{"():x /^longest __ a, a:y / __", "aa", "xyxy"},
		{"():x /^shortest __ a, a:y / __", "aa", "xyxy"},
		{"(a*):x /^sim^longest __", "baac", "xbxxxcx"},
		{"(a*):x /^sim^shortest __", "aa", "xxxxx"},
		{"(a?):x /^sim __", "a", "xxx"},
		{"a:b /^sim^opt __, ():x / __ $", "a", "a|ax|b|bx"},
		{"(a | b):(c d) / __ (@V & [^e])", "aobe", "cdobe"},
	} {
		f := must(c.Compile(rx.Compose(rx.Text(test.in), rx.MustParse(test.rule))))(t)
		var got []string
		for p := range f.Paths() {
			got = append(got, strings.Join(must(f.OutSymbols().Decode(p.Out))(t), ""))
		}
		slices.Sort(got)
		if !slices.Equal(got, strings.Split(test.out, "|")) {
			t.Errorf("%s makes %q of %q, want %q", test.rule, got, test.in, test.out)
		}
	}
}

// Strings of one rule that match at one position compete. If only one of them is chosen, the
// outputs of an input sum to 1.
func TestRivalMatches(t *testing.T) {
	for options, want := range map[string]float64{"^opt_0.5": 1.5, "^longest^opt_0.5": 1, "^shortest^opt_0.5": 1} {
		c := rx.NewCompiler(semiring.Real{}, fst.RuneSymbols("a-z0-9"))
		f, err := c.Compile(rx.MustParse(`("to":"2" | "too":"3") /` + options + ` __`))
		if err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for out, err := range fst.ApplyText(f, "too", nil) {
			if err != nil {
				t.Fatal(err)
			}
			sum += out.Weight
		}
		if sum != want {
			t.Errorf("%s: the outputs of too sum to %g, want %g", options, sum, want)
		}
	}
}

// Rules with an equivalent form: rules of one symbol are closures, the right end is the left end of
// reversed strings, and a rule without changes is the closure of the alphabet.
func TestRuleIdentities(t *testing.T) {
	reals := semiring.Real{}
	truths := semiring.Boolean{}
	for _, test := range []struct {
		rule, same string
		weights    bool // these are the same, too
	}{
		{"a:b / __", "(a:b | [^a])*", true},
		{"a:b<.5> /^opt __", "(a:b<.5> | .)*", true},
		{"a:b /^opt_.25 __", "(<.25>a:b | <.75>a | [^a])*", true},
		{"a:b /^opt_.25 c __ b", "((a:b +_.25 a) / c __ b)", true},
		{"():b /^opt_.25 __ $", ".* (():b +_.25 ())", true},
		{"a:b /^opt_1 c __ b", "a:b / c __ b", true},
		{"a:b /^opt_0 c __ b", ".*", true},
		{"(a+):b /^longest __", "([^a] | (a+):b [^a])* ((a+):b)?", true},
		{"(a+):b /^shortest __", "a:b / __", true},
		{"(a | ab):c /^longest __", "((ab):c /^longest __, a:c / __)", true},
		{"(a b*):c /^longest __", "[bc]* ((a b*):c (c [bc]*)?)*", true},
		{"a:b /^sim __", "(a:b | [^a])*", true},
		{"a:() /^rtl __", "(a:() | [^a])*", true},
		{"a / b __ c", ".*", true},
		{"(a & b) / b __ c", ".*", true},
		{"():b / __", "(():b .)* ():b", true},
		{"a:b / $ __", "(a:b .* | [^a] .*)?", true},
		{"a:b / __ $", "(.* (a:b | [^a]))?", true},
		{"a:b / c __", "([^c] | c+ (a:b | [^ac]))* c*", true},
		{"a:b / __ c", "([^a] | a+ b | a* a:b c)* a*", true},
		{"a:b / b __", "[ac]* (b (a:b)* (c [ac]*)?)*", true},
		{"a:b /^rtl b c __ a", "(a:b / a __ c b)^rev", true},
		{"(ab):c /^rtl $ __ b", "(((b a):c) / b __ $)^rev", true},
		{"a:b /^sim c __ b", "(a:b /^sim b __ c)^rev", true},
		{"a:b / (a | b) __", "a:b / a __, a:b / b __", true},
		{"a:(b | c) / b __", "a:b / b __, a:c / b __", true},
		{"a:b / c __", "a:b /^sim c __", true},
		{"a:b / c __", "a:b /^rtl c __", true},
		{"a:b / c __ >> a:b / c __", "a:b / c __", true},
		{"(a:b / c __)^in", ".*", true},
		{"(a:b /^sim a __)^out", "~(.* aa .*)", false},
		{"a:b / . __", "a:b / [abc] __", true},
		{"a:b / ~() __", "a:b / .+ __", true},
		{"a:b / ~(.*) __", ".*", true},
		{"a:b / __ (a:b / __)^out", "a:b / __", true},
	} {
		diff := difference(t, truths, test.rule, test.same)
		if test.weights {
			diff = difference(t, reals, test.rule, test.same)
		}
		if diff != "" {
			t.Errorf("%s and %s: %s", test.rule, test.same, diff)
		}
	}
}

func difference[W any](t *testing.T, ring semiring.Semiring[W], e, f string) string {
	t.Helper()
	c := rx.NewCompiler(ring, fst.NewSymbols("a", "b", "c"))
	dist := must(semiring.Require[semiring.Metric[W]](ring))(t).Dist
	return fsttest.DiffWeights(must(c.Compile(rx.MustParse(e)))(t), must(c.Compile(rx.MustParse(f)))(t), 3, 3, dist, 1e-12)
}
