package rewrite_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/internal/fsttest"
	"example.org/pathsum/internal/trials"
	"example.org/pathsum/semiring"
)

const begin, end = 27, 28 // written { and |

var alphabet = []int32{1, 2, 3} // written a, b, c

type series = fsttest.Series

// plainRule is a rule with finite sets, as strings.
type plainRule struct {
	change      []change
	left, right []string
}

type change struct {
	from, to string
	weight   series
}

func labels(s string) []int32 {
	l := fst.RuneLabels(s)
	for i := range l {
		l[i] -= 'a' - 1
	}
	return l
}

// rule returns the rule as the package has it, with ε in its contexts.
func (p plainRule) rule(ring semiring.Semiring[series]) rewrite.Rule[series] {
	build := func(paths []fst.Path[series]) fst.Machine[series] {
		return fst.Concat(fst.StringMap(ring, paths), fst.FromString(ring, []int32{fst.Epsilon}))
	}
	acceptor := func(words []string) fst.Machine[series] {
		if words == nil {
			return nil
		}
		var paths []fst.Path[series]
		for _, w := range words {
			paths = append(paths, fst.Path[series]{In: labels(w), Out: labels(w), Weight: ring.One()})
		}
		return build(paths)
	}
	var changes []fst.Path[series]
	for _, c := range p.change {
		changes = append(changes, fst.Path[series]{In: labels(c.from), Out: labels(c.to), Weight: c.weight})
	}
	return rewrite.Rule[series]{Change: build(changes), Left: acceptor(p.left), Right: acceptor(p.right)}
}

// rewriter applies rules as the documentation says.
type rewriter struct {
	rules    []plainRule
	options  *rewrite.Options[series]
	ring     semiring.Semiring[series]
	relation fsttest.Relation
	input    string // all of it
}

func match(words []string, ok func(word string) bool) bool {
	return words == nil || slices.ContainsFunc(words, ok)
}

// from follows all continuations at a position of the input: an insertion, if a rule has one, and
// then a change or a copied label.
func (r *rewriter) from(at int, out string, w series) {
	insertions := r.matching(at, out, true)
	for _, m := range insertions {
		r.reading(at, out+m.to, r.applied(w, m))
	}
	if len(insertions) == 0 {
		r.reading(at, out, w)
	} else if r.options.Application == rewrite.Optional {
		r.reading(at, out, r.passed(w))
	}
}

// reading follows them after the insertion.
func (r *rewriter) reading(at int, out string, w series) {
	changes := r.matching(at, out, false)
	for _, m := range changes {
		r.from(at+len(m.from), out+m.to, r.applied(w, m))
	}
	if len(changes) > 0 {
		if r.options.Application == rewrite.Obligatory {
			return
		}
		w = r.passed(w)
	}
	if at == len(r.input) {
		r.relation.Add(fsttest.Pair{In: r.input, Out: out}, w)
		return
	}
	r.from(at+1, out+r.input[at:at+1], w)
}

// applied returns w after a change is made.
func (r *rewriter) applied(w series, m matched) series {
	if coin := r.options.Coin; coin != nil {
		w = r.ring.Times(w, coin.Heads)
	}
	return r.ring.Times(w, m.weight)
}

// passed returns w after a possible change is not made.
func (r *rewriter) passed(w series) series {
	if coin := r.options.Coin; coin != nil {
		w = r.ring.Times(w, coin.Tails)
	}
	return w
}

// matched is a change of a rule.
type matched struct {
	rule int
	change
}

// matching returns the changes that match at a position, insertions or others, without those that
// another change overrides.
func (r *rewriter) matching(at int, out string, insertions bool) []matched {
	before, after := out, r.input[at:]
	if r.options.Direction == rewrite.Simultaneous {
		before = r.input[:at]
	}
	if r.options.Begin != 0 {
		before = string('a'+r.options.Begin-1) + before
	}
	if r.options.End != 0 {
		after += string('a' + r.options.End - 1)
	}
	var all []matched
	for i, rule := range r.rules {
		if !match(rule.left, func(l string) bool { return strings.HasSuffix(before, l) }) {
			continue
		}
		for _, c := range rule.change {
			if (c.from == "") == insertions && strings.HasPrefix(r.input[at:], c.from) &&
				match(rule.right, func(x string) bool { return strings.HasPrefix(after[len(c.from):], x) }) {
				all = append(all, matched{i, c})
			}
		}
	}
	if r.options.Match == rewrite.Any || len(all) == 0 {
		return all
	}
	best := slices.MinFunc(all, func(a, b matched) int {
		byLength := len(a.from) - len(b.from)
		if r.options.Match == rewrite.Longest {
			byLength = -byLength
		}
		return cmp.Or(byLength, a.rule-b.rule)
	})
	return slices.DeleteFunc(all, func(m matched) bool { return len(m.from) != len(best.from) || m.rule != best.rule })
}

// rewritten returns the outputs of rules for a string.
func rewritten(rules []plainRule, o *rewrite.Options[series], ring semiring.Semiring[series], input string) fsttest.Relation {
	settings := *o
	backward := o.Direction == rewrite.RightToLeft
	if backward {
		input = reversed(input)
		rules = slices.Clone(rules)
		settings.Begin, settings.End = settings.End, settings.Begin
		for i, rule := range rules {
			var q plainRule
			q.left, q.right = reversedAll(rule.right), reversedAll(rule.left)
			for _, c := range rule.change {
				q.change = append(q.change, change{reversed(c.from), reversed(c.to), c.weight})
			}
			rules[i] = q
		}
	}
	r := rewriter{rules: rules, options: &settings, ring: ring, relation: fsttest.Relation{}, input: input}
	r.from(0, "", ring.One())
	if !backward {
		return r.relation
	}
	return fsttest.Reversed(ring, r.relation)
}

func reversed(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func reversedAll(words []string) []string {
	if words == nil {
		return nil
	}
	back := []string{}
	for _, w := range words {
		back = append(back, reversed(w))
	}
	return back
}

func randomRules(r *rand.Rand) []plainRule {
	word := func(n int) string {
		b := make([]byte, r.IntN(n+1))
		for i := range b {
			b[i] = "abc"[r.IntN(3)]
		}
		return string(b)
	}
	sides := func(atEnd func(string) string) []string {
		if r.IntN(4) == 0 {
			return nil
		}
		words := []string{}
		for range 1 + r.IntN(2) {
			w := word(2)
			if r.IntN(4) == 0 {
				w = atEnd(w)
			}
			words = append(words, w)
		}
		return words
	}
	var rules []plainRule
	letter := 0
	for range 1 + r.IntN(3) {
		p := plainRule{
			left:  sides(func(w string) string { return "{" + w }),
			right: sides(func(w string) string { return w + "|" }),
		}
		for range 1 + r.IntN(2) {
			p.change = append(p.change, change{word(2), word(2), fsttest.Letter(letter)})
			letter++
		}
		rules = append(rules, p)
	}
	return rules
}

// applied returns the outputs of f for a string, by following its paths.
func applied(f *fst.FST[series], input string) fsttest.Relation {
	ring, word := f.Semiring(), labels(input)
	all := fsttest.Relation{}
	var follow func(s int32, at int, out string, w series)
	follow = func(s int32, at int, out string, w series) {
		if at == len(word) {
			all.Add(fsttest.Pair{In: input, Out: out}, ring.Times(w, f.Final(s)))
		}
		for _, a := range f.AppendArcs(nil, s) {
			next := at
			if a.In != fst.Epsilon {
				if at == len(word) || word[at] != a.In {
					continue
				}
				next++
			}
			follow(a.To, next, out+fsttest.String(a.Out), ring.Times(w, a.Weight))
		}
	}
	for _, s := range f.AppendStarts(nil) {
		follow(s.State, 0, "", s.Weight)
	}
	return all
}

func randomOptions(r *rand.Rand) *rewrite.Options[series] {
	o := &rewrite.Options[series]{
		Alphabet: alphabet, Begin: begin, End: end,
		Direction: rewrite.Direction(r.IntN(3)), Application: rewrite.Application(r.IntN(2)), Match: rewrite.Match(r.IntN(3)),
	}
	if o.Application == rewrite.Optional && r.IntN(2) == 0 {
		o.Coin = &rewrite.Coin[series]{Heads: fsttest.Letter(20), Tails: fsttest.Letter(21)}
	}
	return o
}

// Every string is rewritten as by reading the rules aloud, with the same weights, in
// every direction.
func TestCompile(t *testing.T) {
	ring := semiring.Semiring[series](fsttest.Traces{Max: 40}) // weights stay in their order
	pairs := 0
	for seed := range trials.Seeds(240) {
		r := fsttest.Rand(seed)
		rules := randomRules(r)
		o := randomOptions(r)
		var compiled []rewrite.Rule[series]
		for _, p := range rules {
			compiled = append(compiled, p.rule(ring))
		}
		f, err := rewrite.Compile(compiled, o)
		if err != nil {
			t.Fatal(err)
		}
		for range 12 {
			b := make([]byte, r.IntN(6))
			for i := range b {
				b[i] = "abc"[r.IntN(3)]
			}
			got := applied(f, string(b))
			want := rewritten(rules, o, ring, string(b))
			pairs += len(want)
			if d := fsttest.Diff(got, want); d != "" {
				t.Fatalf("seed %d, %+v of %v on %q: %s", seed, o, rules, b, d)
			}
		}
	}
	if pairs < 1000 {
		t.Errorf("only %d pairs", pairs)
	}
}

// The directions differ where a rule makes or destroys its own context.
func Example() {
	ring := semiring.Boolean{}
	rule := rewrite.Rule[bool]{
		Change: fst.FromPair(ring, []int32{'a'}, []int32{'b'}),
		Left:   fst.FromString(ring, fst.RuneLabels("b")),
	}
	for _, direction := range []rewrite.Direction{rewrite.LeftToRight, rewrite.RightToLeft, rewrite.Simultaneous} {
		f, err := rewrite.Compile([]rewrite.Rule[bool]{rule}, &rewrite.Options[bool]{Alphabet: fst.RuneLabels("abc"), Direction: direction})
		if err != nil {
			panic(err)
		}
		for p, err := range fst.Apply(f, fst.RuneLabels("baaa"), nil) {
			if err != nil {
				panic(err)
			}
			fmt.Println(string(p.Out))
		}
	}
	// Output:
	// bbbb
	// bbaa
	// bbaa
}

func TestErrors(t *testing.T) {
	ring := semiring.Real{}
	change := fst.FromPair(ring, []int32{1}, []int32{2})
	good := rewrite.Rule[float64]{Change: change}
	named := func(names ...string) *fst.FST[float64] {
		return change.WithSymbols(fst.NewSymbols(names...), fst.NewSymbols(names...))
	}
	word := fst.FromString(ring, []int32{1, 2, 1, 2}).WithSymbols(fst.NewSymbols("x"), nil)
	for _, x := range []struct {
		rules []rewrite.Rule[float64]
		o     *rewrite.Options[float64]
		want  error
	}{
		{nil, nil, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{{}}, nil, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{{Change: change, Left: change}}, nil, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{{Change: change, Right: change}}, nil, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{{Change: named("a", "b")}, {Change: named("a", "c")}}, nil, fst.ErrMismatch},
		{[]rewrite.Rule[float64]{{Change: named("a", "b"), Left: word}}, nil, fst.ErrMismatch},
		{[]rewrite.Rule[float64]{{Change: named("a", "b"), Right: word}}, nil, fst.ErrMismatch},
		{[]rewrite.Rule[float64]{{Change: change.WithSymbols(fst.NewSymbols("a"), fst.NewSymbols("b"))}}, nil, fst.ErrMismatch},
		{[]rewrite.Rule[float64]{{Change: change, Right: word}}, &rewrite.Options[float64]{Alphabet: []int32{1, 2}, Limit: 12}, semiring.ErrLimit},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Alphabet: []int32{1, 1}}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Alphabet: []int32{0}}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Alphabet: []int32{3}, End: 3}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Begin: 3, End: 3}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{End: -3}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Direction: 3}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Application: -1}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Match: 3}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Coin: &rewrite.Coin[float64]{.5, .5}}, rewrite.ErrRule},
		{[]rewrite.Rule[float64]{good}, &rewrite.Options[float64]{Alphabet: []int32{1, 2, 3}, Limit: 5}, semiring.ErrLimit},
	} {
		if _, err := rewrite.Compile(x.rules, x.o); !errors.Is(err, x.want) {
			t.Errorf("%+v: %v, want %v", x.o, err, x.want)
		}
	}
}

// The error of a machine that has failed names the rule and the cause.
func TestFailedMachines(t *testing.T) {
	ring := semiring.Real{}
	change := fst.FromPair(ring, []int32{1}, []int32{2})
	bad := fst.OneState(ring, 1, fst.Arc[float64]{To: 1, Weight: 1})
	for _, rule := range []rewrite.Rule[float64]{{Change: bad}, {Change: change, Left: bad}, {Change: change, Right: fst.Star(bad)}} {
		_, err := rewrite.Compile([]rewrite.Rule[float64]{{Change: change}, rule}, nil)
		if !errors.Is(err, fst.Err(bad)) || !strings.HasPrefix(err.Error(), "rewrite: rule 1: OneState: ") {
			t.Errorf("%v, want rule 1 and %v", err, fst.Err(bad))
		}
	}
	defer func() {
		if got := recover(); got != "rewrite: Compile: nil left context" {
			t.Errorf("panic %v", got)
		}
	}()
	var typed *fst.FST[float64]
	rewrite.Compile([]rewrite.Rule[float64]{{Change: change, Left: typed}}, nil)
}
