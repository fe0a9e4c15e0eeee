package synchronous_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/models/grammar/synchronous"
	"example.org/pathsum/models/grammar/treebank"
)

// The toy language puts verbs last and adjectives behind their nouns, and has no article.
var dictionary = map[string][][2]string{
	"D": {{"the", ""}},
	"A": {{"big", "gran"}, {"old", "viel"}, {"red", "rosu"}, {"small", "pika"}},
	"N": {{"dog", "kan"}, {"house", "domo"}, {"man", "viru"}, {"cat", "gato"}, {"tree", "arbo"}},
	"V": {{"sees", "vida"}, {"likes", "ama"}, {"finds", "trova"}},
}

// translated draws a sentence and its translation.
func translated(rng *rand.Rand) [2][]string {
	var source []string
	draw := func(tag string) string {
		w := dictionary[tag][rng.IntN(len(dictionary[tag]))]
		source = append(source, w[0])
		return w[1]
	}
	phrase := func() (target []string) {
		draw("D")
		var adjectives []string
		for range rng.IntN(3) {
			adjectives = append(adjectives, draw("A"))
		}
		target = []string{draw("N")}
		for i := range adjectives {
			target = append(target, adjectives[len(adjectives)-1-i])
		}
		return target
	}
	subject := phrase()
	verb := draw("V")
	return [2][]string{source, slices.Concat(subject, phrase(), []string{verb})}
}

// corpus draws pairs, and others that are not among them.
func corpus(rng *rand.Rand, n, others int) (pairs, heldOut [][2][]string) {
	seen := map[string]bool{}
	for range n {
		p := translated(rng)
		seen[strings.Join(p[0], " ")] = true
		pairs = append(pairs, p)
	}
	for len(heldOut) < others {
		if p := translated(rng); !seen[strings.Join(p[0], " ")] {
			heldOut = append(heldOut, p)
		}
	}
	return pairs, heldOut
}

// toyRules are rules for the source, whose words have their tags. Of the target they have nothing
// but its words: each may be the translation of any word, and every order is as good as the other.
func toyRules(pairs [][2][]string) []synchronous.Rule {
	var rules []synchronous.Rule
	for _, r := range [][3]string{{"S", "NP", "VP"}, {"VP", "V", "NP"}, {"NP", "D", "NB"}, {"NB", "A", "NB"}} {
		rules = append(rules, synchronous.Straight(r[0], r[1], r[2]), synchronous.Inverted(r[0], r[1], r[2]))
	}
	rules = append(rules, synchronous.Rule{Left: "NB", Source: []string{"N"}, Target: []string{"N"}, Weight: 1})
	var targets []string
	for _, p := range pairs {
		targets = append(targets, p[1]...)
	}
	slices.Sort(targets)
	targets = append(slices.Compact(targets), "") // or no word at all
	for _, tag := range []string{"D", "A", "N", "V"} {
		for _, w := range dictionary[tag] {
			for _, y := range targets {
				rules = append(rules, synchronous.Pair(tag, w[0], y))
			}
		}
	}
	return rules
}

// A translation with another order of words is learnt from pairs of sentences: 100 of them teach
// which words translate which, that verbs come last, and adjectives behind their nouns.
func Example() {
	rng := rand.New(rand.NewPCG(1, 2))
	pairs, heldOut := corpus(rng, 100, 100)
	rules := toyRules(pairs)
	g, err := synchronous.New("S", rules, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var data synchronous.Data
	for _, p := range pairs {
		data.Examples = append(data.Examples, synchronous.Example{Source: synchronous.Words(p[0]...), Target: synchronous.Words(p[1]...)})
	}
	if _, err := g.Fit(context.Background(), data, nil); err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range g.Rules()[:9] {
		if r.Left != "NP" && r.Weight > .01 { // the article leaves no trace that has an order
			fmt.Printf("%v: %.2f\n", r, r.Weight)
		}
	}
	translator, err := g.Predictor()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := translator.Best(synchronous.Example{Source: synchronous.Words(strings.Fields("the old man sees the small red house")...)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(d)
	fmt.Println(strings.Join(d.Target, " "))
	right := 0
	for _, p := range heldOut {
		source := p[0]
		target, err := translator.Translate(source)
		if err != nil {
			fmt.Println(err)
			return
		}
		if slices.Equal(target, p[1]) {
			right++
		}
	}
	fmt.Printf("right: %d of %d held out\n", right, len(heldOut))
	// Output:
	// S → NP VP / NP VP: 1.00
	// VP → V NP / NP V [1 0]: 1.00
	// NB → A NB / NB A [1 0]: 0.49
	// NB → N / N: 0.51
	// [⟨the/ε ⟨old/viel man/viru⟩⟩ ⟨sees/vida ⟨the/ε ⟨small/pika ⟨red/rosu house/domo⟩⟩⟩⟩]
	// viru viel domo rosu pika vida
	// right: 100 of 100 held out
}

// tree returns the tree of a text.
func tree(text string) *treebank.Tree {
	for t, err := range treebank.Trees(strings.NewReader(text), "") {
		if err == nil {
			return t
		}
	}
	panic("no tree: " + text)
}

// A transducer from trees to strings: each node may keep the order of what is below it or turn it
// round, and each word may become any word. Three pairs teach it which.
func ExamplePattern() {
	pairs := [][2]string{
		{"(S (NP dog) (VP (V sees) (NP cat)))", "kan gato vida"},
		{"(S (NP cat) (VP (V likes) (NP man)))", "gato viru ama"},
		{"(S (NP man) (VP (V sees) (NP dog)))", "viru kan vida"},
	}
	var rules []synchronous.Rule
	add := func(left, source, target string, order ...int) {
		pattern, err := synchronous.Pattern(source)
		if err != nil {
			fmt.Println(err)
			return
		}
		rules = append(rules, synchronous.Rule{Left: left, Source: pattern, Target: strings.Fields(target), Order: order, Weight: 1})
	}
	add("s", "(S np vp)", "np vp")
	add("s", "(S np vp)", "vp np", 1, 0)
	add("vp", "(VP v np)", "v np")
	add("vp", "(VP v np)", "np v", 1, 0)
	for _, y := range strings.Fields("kan gato viru vida ama") {
		for _, x := range []string{"dog", "cat", "man"} {
			add("np", "(NP "+x+")", y)
		}
		for _, x := range []string{"sees", "likes"} {
			add("v", "(V "+x+")", y)
		}
	}
	g, err := synchronous.New("s", rules, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var data synchronous.Data
	for _, p := range pairs {
		data.Examples = append(data.Examples, synchronous.Example{Source: synchronous.Tree(tree(p[0])), Target: synchronous.Words(strings.Fields(p[1])...)})
	}
	if _, err := g.Fit(context.Background(), data, nil); err != nil {
		fmt.Println(err)
		return
	}
	translator, err := g.Predictor()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := translator.Best(synchronous.Example{Source: synchronous.Tree(tree("(S (NP man) (VP (V likes) (NP cat)))"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(strings.Join(d.Target, " "))
	// Output:
	// viru gato ama
}

// A transducer from trees to trees: what is passive becomes active. The rule reads three levels of
// the tree at once.
func ExampleParseTree() {
	var rules []synchronous.Rule
	for _, r := range []struct {
		left, source, target string
		order                []int
	}{
		{"s", "(S np (VP (AUX was) v (PP (P by) np)))", "(S np (VP v np))", []int{2, 1, 0}},
		{"np", "(NP mice)", "(NP mice)", nil},
		{"np", "(NP cats)", "(NP cats)", nil},
		{"v", "(V eaten)", "(V ate)", nil},
	} {
		source, err := synchronous.Pattern(r.source)
		if err != nil {
			fmt.Println(err)
			return
		}
		target, err := synchronous.Pattern(r.target)
		if err != nil {
			fmt.Println(err)
			return
		}
		rules = append(rules, synchronous.Rule{Left: r.left, Source: source, Target: target, Order: r.order, Weight: 1})
	}
	g, err := synchronous.New("s", rules, em.Multinomial{})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := g.Predictor()
	if err != nil {
		fmt.Println(err)
		return
	}
	d, err := p.Best(synchronous.Example{Source: synchronous.Tree(tree("(S (NP mice) (VP (AUX was) (V eaten) (PP (P by) (NP cats))))"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(synchronous.ParseTree(d.Target))
	// The other way, from the target to the source.
	d, err = p.Best(synchronous.Example{Target: synchronous.Tree(tree("(S (NP mice) (VP (V ate) (NP cats)))"))})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(synchronous.ParseTree(d.Source))
	// Output:
	// (S (NP cats) (VP (V ate) (NP mice))) <nil>
	// (S (NP cats) (VP (AUX was) (V eaten) (PP (P by) (NP mice)))) <nil>
}
