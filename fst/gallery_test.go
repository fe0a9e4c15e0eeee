package fst_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/fst"
	"example.org/pathsum/fst/cfg"
	"example.org/pathsum/fst/fstio"
	"example.org/pathsum/fst/rewrite"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/golden"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/graph"
)

//go:generate go test . -run ^TestGallery$ -update

// gallery is a page with pictures that shows the effect of every operation on a small machine.
type gallery struct {
	t        *testing.T
	text     strings.Builder
	pictures map[string]string // picture sources by operation
}

// drawing is a machine in the dot language of Graphviz.
type drawing string

// becomes stands between the operands and the result in a picture.
const becomes drawing = `digraph {
	becomes [shape="plaintext" width="0" margin="0"];
}
`

// show adds an operation, with a sentence about it, its operands, and its result.
func (g *gallery) show(name, sentence string, before []drawing, after drawing) {
	if len(before) > 0 {
		before = append(before, becomes)
	}
	g.tell(name, sentence, append(before, after), "")
}

// tell adds an operation whose result is a text.
func (g *gallery) tell(name, sentence string, before []drawing, answer string) {
	if _, twice := g.pictures[name]; twice {
		g.t.Errorf("%s is there twice", name)
	}
	var sources []string
	for _, d := range before {
		sources = append(sources, string(d))
	}
	g.pictures[name] = strings.Join(sources, "\n")
	fmt.Fprintf(&g.text, "\n## %s\n\n%s\n\n![%[1]s](gallery/%[1]s.svg)\n", name, sentence)
	if answer != "" {
		fmt.Fprintf(&g.text, "\n%s", answer)
	}
}

func answer(yes bool) string { return fmt.Sprintf("    %v\n", yes) }

// dot returns a drawing of a machine.
func dot[W any](t *testing.T, m fst.Machine[W]) drawing {
	t.Helper()
	return shaded(t, must(fst.Expand(m, nil))(t), nil)
}

// shaded returns a drawing of a machine in which more likely arcs are thicker.
func shaded[W any](t *testing.T, f *fst.FST[W], posterior []float64) drawing {
	t.Helper()
	var b strings.Builder
	if err := fstio.WriteDOT(&b, f, &fstio.DOT{Digits: 3, Posterior: posterior}); err != nil {
		t.Fatal(err)
	}
	return drawing(b.String())
}

func TestGallery(t *testing.T) {
	g := &gallery{t: t, pictures: map[string]string{}}
	fmt.Fprint(&g.text, `# Gallery

The results of the operations of package fst, and of packages that build on it, for small machines.
An initial state is bold, a final state has a double line, and arcs between the same two states
share a line. An arc a reads a and writes a; an arc a:b reads a and writes b; ε is the empty string.
A weight follows a slash, and the weight of an initial state precedes it. Weights of 1, and
costs of 0, are left out. Weights are probabilities unless the text calls them costs.

gallery_test.go generates the page and the sources of its pictures. Package fst/fstio/svg draws
them, and your own machines.
`)
	g.rational()
	g.strings()
	g.composition()
	g.optimization()
	g.paths()
	g.comparison()
	known := operations(t)
	for _, name := range known {
		if _, ok := g.pictures[name]; !ok {
			t.Errorf("%s is not in the gallery", name)
		}
	}
	for name := range g.pictures {
		elsewhere := strings.HasPrefix(name, "rewrite.") || strings.HasPrefix(name, "cfg.") || strings.HasPrefix(name, "graph.")
		if !slices.Contains(known, name) && !elsewhere {
			t.Errorf("%s is not an operation of this package", name)
		}
	}
	golden.File(t, "GALLERY.md", g.text.String())
	golden.Folder(t, "gallery", ".dot", g.pictures)
}

// operations returns the exported functions, and the methods of types that are not machines,
// that take or return machines. It omits Failed, whose result has no states, and SymbolsOf.
func operations(t *testing.T) []string {
	var names []string
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || slices.Contains([]string{"Failed", "SymbolsOf"}, f.Name.Name) || !mentions(f.Type, "FST", "Machine", "Path") {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				if !mentions(f.Recv, "Codec", "Edits", "Sampler") {
					continue
				}
				name = receiver(f.Recv.List[0].Type) + "." + name
			}
			names = append(names, name)
		}
	}
	return names
}

// mentions reports whether one of the names occurs below n.
func mentions(n ast.Node, names ...string) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && slices.Contains(names, id.Name)
		return true
	})
	return found
}

// receiver returns the name of a type.
func receiver(x ast.Expr) (name string) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return name
}

var galleryLetters = fst.NewSymbols("a", "b", "c", "d")

// compiled returns the machine of an expression.
func compiled[W any](t *testing.T, ring semiring.Semiring[W], text string) *fst.FST[W] {
	t.Helper()
	return must(rx.NewCompiler(ring, galleryLetters).Compile(rx.MustParse(text)))(t)
}

// parsed returns the machine of costs of a text in OpenFst's format, with semicolons between
// lines.
func parsed(t *testing.T, text string) *fst.FST[semiring.Cost] {
	t.Helper()
	o := &fstio.Options{In: galleryLetters, Out: galleryLetters}
	f := must(fstio.ReadText(strings.NewReader(strings.ReplaceAll(text, ";", "\n")), costs, o))(t)
	return f.WithSymbols(galleryLetters, galleryLetters)
}

func (g *gallery) rational() {
	t := g.t
	p := func(text string) *fst.FST[float64] { return compiled(t, reals, text) }
	ab, cd := p("a:b<.5> | b<.5>"), p("cd")
	g.show("Union", "The pairs of strings of either machine.",
		[]drawing{dot(t, ab), dot(t, cd)}, dot(t, fst.Union(ab, cd)))
	g.show("Concat", "A pair of strings of the first machine, followed by a pair of the second.",
		[]drawing{dot(t, ab), dot(t, cd)}, dot(t, fst.Concat(ab, cd)))
	g.show("Star", "Any number of times.", []drawing{dot(t, cd)}, dot(t, fst.Star(cd)))
	g.show("Plus", "At least once.", []drawing{dot(t, cd)}, dot(t, fst.Plus(cd)))
	g.show("Optional", "Once or not at all.", []drawing{dot(t, cd)}, dot(t, fst.Optional(cd)))
	abc := p("a:b<.3> c | b(c:())<.7>")
	g.show("Reverse", "All strings backwards.", []drawing{dot(t, abc)}, dot(t, must(fst.Reverse(abc, nil))(t)))
	g.show("Invert", "Input and output exchanged.", []drawing{dot(t, abc)}, dot(t, fst.Invert(abc)))
	g.show("ProjectIn", "The acceptor of the inputs.", []drawing{dot(t, abc)}, dot(t, fst.ProjectIn(abc)))
	g.show("ProjectOut", "The acceptor of the outputs.", []drawing{dot(t, abc)}, dot(t, fst.ProjectOut(abc)))
	swap := func(label int32) int32 { return []int32{0, 2, 1, 3, 4}[label] }
	g.show("Relabel", "Other labels on one tape or both; here a and b are exchanged on the output tape.",
		[]drawing{dot(t, abc)}, dot(t, must(fst.Expand(fst.Relabel(abc, nil, swap), nil))(t).WithSymbols(galleryLetters, galleryLetters)))
	cost := func(p float64) semiring.Cost { return semiring.Cost(0 - math.Log(p)) }
	never := fst.Relabel(fst.Star(ab), nil, func(label int32) int32 { return -label })
	fst.Expand(never, nil)
	g.tell("Err", "The error of a lazy machine; here labels became negative.", []drawing{dot(t, ab)}, "    "+fst.Err(never).Error()+"\n")
	g.show("Map", "Other weights, possibly of another ring; here costs −ln p for probabilities p.",
		[]drawing{dot(t, ab)}, dot(t, fst.Map(ab, costs, cost)))
}

func (g *gallery) strings() {
	t := g.t
	name := func(f *fst.FST[float64]) *fst.FST[float64] { return f.WithSymbols(galleryLetters, galleryLetters) }
	a := fst.Arc[float64]{In: 1, Out: 1, Weight: .5}
	b := fst.Arc[float64]{In: 2, Out: 3, Weight: .25}
	g.show("OneState", "The machine with one state and the given arcs, here a and b:c.", nil, dot(t, name(must(fst.Expand(fst.OneState(reals, .25, a, b), nil))(t))))
	toEnd := a
	toEnd.To = 1
	g.show("FromArcs", "The machine with the given arcs and final weights, here of two states.", nil, dot(t, name(must(fst.Expand(fst.FromArcs(reals, map[int32]float64{1: 1}, []fst.Arc[float64]{b, toEnd}), nil))(t))))
	g.show("FromString", "The acceptor of one string, abc.", nil, dot(t, name(fst.FromString(reals, []int32{1, 2, 3}))))
	g.show("FromPair", "The transducer of one pair of strings, abc and d.", nil, dot(t, name(fst.FromPair(reals, []int32{1, 2, 3}, []int32{4}))))
	g.show("StringMap", "The trie of many pairs of strings: ab, ac and (b, cd), with weights.", nil, dot(t, name(must(fst.Expand(fst.StringMap(reals, []fst.Path[float64]{
		{In: []int32{1, 2}, Out: []int32{1, 2}, Weight: .5}, {In: []int32{1, 3}, Out: []int32{1, 3}, Weight: .3}, {In: []int32{2}, Out: []int32{3, 4}, Weight: .2},
	}), nil))(t))))
	edits := fst.Edits[semiring.Cost]{Replace: 1, Delete: 1, Insert: 1}
	g.show("Edits.Machine", "All edits of strings over the labels a and b; weights are costs.", nil,
		dot(t, must(fst.Expand(edits.Machine(costs, []int32{1, 2}, []int32{1, 2}), nil))(t).WithSymbols(galleryLetters, galleryLetters)))
	g.show("Edits.Within", "All edits of strings over the label a with at most one edit.", nil,
		dot(t, must(fst.Expand(edits.Within(costs, []int32{1}, []int32{1}, 1), nil))(t).WithSymbols(galleryLetters, galleryLetters)))
	g.show("UTF8", "From bytes to characters: é and è.", nil, dot(t, must(fst.Expand(fst.UTF8(reals, []rune("éè")), nil))(t)))
	r := must(rewrite.Compile([]rewrite.Rule[float64]{{Change: compiled(t, reals, "a:b"), Left: compiled(t, reals, "c")}}, &rewrite.Options[float64]{Alphabet: []int32{1, 2, 3}}))(t)
	g.show("rewrite.Compile", "The context-dependent rule a → b / c __ over the alphabet a, b, c, obligatory, from left to right.",
		[]drawing{dot(t, compiled(t, reals, "a:b")), dot(t, compiled(t, reals, "c"))}, dot(t, must(fst.Optimize(r, nil))(t)))
	truths := semiring.Boolean{}
	grammar := must(cfg.FromRules(truths, 3, []int32{1, 2}, []cfg.Rule[bool]{{Left: 3, Right: []int32{1, 3, 2}, Weight: true}, {Left: 3, Weight: true}}))(t)
	minimal := func(m fst.Machine[bool]) drawing {
		f := must(fst.Optimize(m, nil))(t)
		return dot(t, f.WithSymbols(galleryLetters, galleryLetters))
	}
	g.show("cfg.Grammar.Superset", "The strings of the grammar S → a S b | ε and others: calls are followed exactly to depth 1. Minimized.", nil, minimal(grammar.Superset(1)))
	g.show("cfg.Grammar.Subset", "The strings of the grammar S → a S b | ε whose derivations have calls of depth at most 2. Minimized.", nil, minimal(grammar.Subset(2)))
}

func (g *gallery) composition() {
	t := g.t
	p := func(text string) *fst.FST[float64] { return compiled(t, reals, text) }
	x, y := p("a:b<.5> | a:c<.5>"), p("b:d | c:(d<.1> | a<.9>)")
	g.show("Compose", "All pairs (x, z) such that the first machine has (x, y) and the second (y, z) for some y; weights multiply.",
		[]drawing{dot(t, x), dot(t, y)}, dot(t, fst.Compose(x, y)))
	lazy := fst.Compose(x, y)
	g.show("Expand", "The frozen form of a lazy machine, here of the composition of two others.", []drawing{dot(t, x), dot(t, y)}, dot(t, lazy))
	late, next := p("a:() c:a | b:() d:b"), p("a")
	looking := fst.LookAhead(late, fst.Output)
	g.show("LookAhead", "An operand that keeps a composition from entering paths that the other operand cannot continue; here the composition of the first machine with the second.",
		[]drawing{dot(t, late), dot(t, next)}, dot(t, fst.Compose(looking, next)))
	u, v := p("a b*_.5 c"), p("a (b | d) c")
	g.show("Intersect", "The strings that both machines accept; weights multiply.",
		[]drawing{dot(t, u), dot(t, v)}, dot(t, must(fst.Connect(fst.Intersect(u, v), nil))(t)))
	g.show("Difference", "The strings of the first machine that the second does not accept.",
		[]drawing{dot(t, u), dot(t, v)}, dot(t, must(fst.Connect(fst.Difference(u, v, nil), nil))(t)))
	g.show("Complement", "The strings over an alphabet, here a and b, that the machine does not accept.",
		[]drawing{dot(t, p("ab"))}, dot(t, must(fst.Expand(fst.Complement(p("ab"), []int32{1, 2}, nil), nil))(t)))
	root, part := p("a d c"), p("b<.5> | bb<.5>")
	parts := map[int32]fst.Machine[float64]{4: part}
	g.show("Replace", "Arcs that write d are replaced by copies of the second machine.", []drawing{dot(t, root), dot(t, part)}, dot(t, fst.Replace(root, parts, nil)))
	rest := p("a | d")
	g.show("Match", "Labels that match other labels: here d matches each of a, b and c for which the state has no arc.",
		[]drawing{dot(t, rest)}, dot(t, fst.Match(rest, fst.Matching{Rest: 4, Alphabet: []int32{1, 2, 3}})))
}

func (g *gallery) optimization() {
	t := g.t
	p := func(text string) *fst.FST[float64] { return compiled(t, reals, text) }
	dead := parsed(t, "0 1 a a;0 2 b b;3 1 c c;1")
	g.show("Connect", "Without the states and arcs that are on no path from an initial to a final state.", []drawing{dot(t, dead)}, dot(t, must(fst.Connect(dead, nil))(t)))
	epsilon := must(fst.Expand(fst.Concat(p("a<.5> | ()<.5>"), p("b")), nil))(t)
	g.show("RemoveEpsilon", "Without arcs ε:ε.", []drawing{dot(t, epsilon)}, dot(t, fst.RemoveEpsilon(epsilon)))
	waits := p("():a b:() ():c d")
	g.show("NormalizeEpsilon", "Arcs that read ε come last.", []drawing{dot(t, waits)}, dot(t, must(fst.NormalizeEpsilon(waits, fst.Input, nil))(t)))
	many := parsed(t, "0 1 a a 1;0 2 a a 2;1 3 b b 1;2 3 b b 3;2 3 c c 1;3")
	g.show("Determinize", "One arc per state and input label; weights are costs.", []drawing{dot(t, many)}, dot(t, fst.Determinize(many, nil)))
	ambiguous := parsed(t, "0 1 a b 1;0 2 a c 2;1 3 d d 3;2 3 d d 1;3")
	g.show("DeterminizeBest", "Deterministic, with the best output of each input string; weights are costs.", []drawing{dot(t, ambiguous)}, dot(t, must(fst.DeterminizeBest(ambiguous, nil))(t)))
	g.show("DeterminizeAll", "Deterministic, with all outputs of each input string, written as soon as they are certain; weights are costs.", []drawing{dot(t, ambiguous)}, dot(t, must(fst.DeterminizeAll(ambiguous, nil))(t)))
	ends := parsed(t, "0 1 a a 1;0 2 a a 2;1 1 b b 1;2 2 b b 3;1 3 c c;2 4 d d;0 3 c c 1;0 4 c c 2;3;4")
	g.show("Disambiguate", "One path for each string. Weights are costs; the two cycles differ in cost, so the machine has no deterministic form.",
		[]drawing{dot(t, ends)}, dot(t, must(fst.Disambiguate(ends, nil))(t)))
	g.tell("Unambiguous", "Reports whether a machine has only one path for each string.", []drawing{dot(t, ends)}, answer(must(fst.Unambiguous(ends, nil))(t)))
	g.show("DisambiguateBest", "One path for each input string, with the best output; weights are costs.", []drawing{dot(t, ambiguous)}, dot(t, must(fst.DisambiguateBest(ambiguous, nil))(t)))
	late := parsed(t, "0 1 a a;0 2 b b;1 3 c c 2;1 3 d d 5;2 3 c c 1;3")
	g.show("PushWeights", "Weights moved toward the initial state as far as possible; they are costs.", []drawing{dot(t, late)}, dot(t, must(fst.PushWeights(late, fst.TowardInitial, nil))(t)))
	out := p("a:() (b:() c | c:() b:c)")
	g.show("PushLabels", "Output labels moved toward the initial state.", []drawing{dot(t, out)}, dot(t, must(fst.PushLabels(out, fst.TowardInitial, nil))(t)))
	wide := parsed(t, "0 1 a a 1;0 2 b b 3;1 3 c c 2;2 4 c c;3;4")
	g.show("Minimize", "The equivalent machine with the fewest states; weights are costs.", []drawing{dot(t, wide)}, dot(t, must(fst.Minimize(wide, nil))(t)))
	choices := parsed(t, "0 1 a a 1;0 2 a a 2;1 3 b b;1 4 b b;2 3 b b;3;4")
	g.show("MergeBisimilar", "States with the same continuations are merged; the machine need not be deterministic. Weights are costs.",
		[]drawing{dot(t, choices)}, dot(t, must(fst.MergeBisimilar(choices, nil))(t)))
	mess := must(fst.Expand(fst.Union(p("ab"), p("ac"), fst.Concat(p("b"), p("c"))), nil))(t)
	g.show("Optimize", "Without ε, deterministic and minimal, as far as the machine allows.", []drawing{dot(t, mess)}, dot(t, must(fst.Optimize(mess, nil))(t)))
	codec := must(fst.NewCodec(reals, fst.Labels|fst.Weights))(t)
	pairs := p("a:b<.5> | b:c<.5> | a:b<.25>")
	encoded := must(codec.Encode(pairs, nil))(t)
	g.show("Codec.Encode", "A separate label for each combination of labels and weight.", []drawing{dot(t, pairs)}, dot(t, encoded))
	smaller := must(fst.Expand(fst.Determinize(encoded, nil), nil))(t)
	g.show("Codec.Decode", "The labels and weights restored, here after determinization.", []drawing{dot(t, smaller)},
		dot(t, must(codec.Decode(smaller, nil))(t).WithSymbols(galleryLetters, galleryLetters)))
	delay := p("(a:())(():b) | (ab):(c)")
	g.show("Synchronize", "Reads and writes in step as far as possible.", []drawing{dot(t, delay)}, dot(t, fst.Synchronize(delay, nil)))
	unsorted := parsed(t, "0 2 b c;0 1 a d;2 1 c c;1")
	g.show("TopSort", "States in an order in which every arc leads to a later state.", []drawing{dot(t, unsorted)}, dot(t, must(fst.TopSort(unsorted, nil))(t)))
	g.show("Renumber", "States in the given order, here 0, 2, 1.", []drawing{dot(t, unsorted)}, dot(t, must(fst.Renumber(unsorted, []int32{0, 2, 1}, nil))(t)))
	g.show("ArcSortIn", "Arcs of a state in the order of their input labels.", []drawing{dot(t, unsorted)}, dot(t, must(fst.ArcSortIn(unsorted, nil))(t)))
	back := parsed(t, "0 2 a d;0 1 b c;1")
	g.show("ArcSortOut", "Arcs of a state in the order of their output labels.", []drawing{dot(t, back)}, dot(t, must(fst.ArcSortOut(back, nil))(t)))
	counts := fst.FromString(reals, []int32{1, 1, 2, 1}).WithSymbols(galleryLetters, galleryLetters)
	g.show("Quotient", "States of a class are merged, and the weights of parallel arcs add up: the classes are {0, 1, 3} and {2, 4}.",
		[]drawing{dot(t, counts)}, dot(t, must(fst.Quotient(counts, []int32{0, 0, 1, 0, 1}, nil))(t)))
}

func (g *gallery) paths() {
	t := g.t
	lattice := parsed(t, "0 1 a a 1;0 1 b b 2;1 2 c c 1;1 2 d d 4;2")
	g.show("ShortestPaths", "The best paths, here 2; weights are costs.", []drawing{dot(t, lattice)}, dot(t, must(fst.ShortestPaths(lattice, 2, nil))(t)))
	var best strings.Builder
	for _, p := range must(fst.BestPaths(lattice, 3, nil))(t) {
		fmt.Fprintf(&best, "    %s  %v  states %v\n", strings.Join(must(galleryLetters.Decode(p.Out))(t), ""), p.Weight, p.States)
	}
	g.tell("BestPaths", "The best paths one by one, here 3, with their states; weights are costs.", []drawing{dot(t, lattice)}, best.String())
	twice := parsed(t, "0 1 a a 1;0 1 a a 2;1 2 c c 1;1 2 d d 4;2")
	g.show("ShortestStrings", "The best strings, here 2, each with its best path; weights are costs.", []drawing{dot(t, twice)}, dot(t, must(fst.ShortestStrings(twice, 2, nil))(t)))
	echo := compiled(t, reals, "(a:b<.6> | a:(bb)<.4>)*")
	var outputs strings.Builder
	for p, err := range fst.Apply(echo, []int32{1, 1}, nil) {
		fmt.Fprintf(&outputs, "    %s  %.2f\n", strings.Join(must(galleryLetters.Decode(p.Out))(t), ""), must(p.Weight, err)(t))
	}
	g.tell("Apply", "The outputs for a string, here aa, best first, each with the sum over its paths.", []drawing{dot(t, echo)}, outputs.String())
	outputs.Reset()
	for out, err := range fst.ApplyText(echo, "aa", nil) {
		fmt.Fprintf(&outputs, "    %s  %.2f\n", out.Text, must(out.Weight, err)(t))
	}
	g.tell("ApplyText", "The same for a text, by the names of labels.", []drawing{dot(t, echo)}, outputs.String())
	likeliest := must(fst.BestText(echo, "aa", nil))(t)
	g.tell("BestText", "Only the best output.", []drawing{dot(t, echo)}, fmt.Sprintf("    %s  %.2f\n", likeliest.Text, likeliest.Weight))
	g.tell("SampleText", "A random output, in proportion to the weights.", []drawing{dot(t, echo)},
		fmt.Sprintf("    %s\n", must(fst.SampleText(echo, "aa", rand.NewPCG(1, 1), nil))(t)))
	g.tell("Weight", "The weight of a pair of strings, here aa and bbb.", []drawing{dot(t, echo)},
		fmt.Sprintf("    %.2f\n", must(fst.Weight(echo, []int32{1, 1}, []int32{2, 2, 2}, nil))(t)))
	weak := compiled(t, reals, "(a<.9> | b<.1>)(c<.5> | d<.5>) | a<.05>d")
	g.tell("PathSum", "The sum of the weights of all paths, here of probabilities that are not normalized.", []drawing{dot(t, weak)},
		fmt.Sprintf("    %.2f\n", must(fst.PathSum(weak, nil))(t)))
	g.show("PruneBeam", "The states and arcs on paths that cost at most 1 more than the best.", []drawing{dot(t, lattice)}, dot(t, must(fst.PruneBeam(lattice, 1, nil))(t)))
	either := parsed(t, "0 1 a a 1;0 1 b b 3;1")
	endless := fst.Determinize(fst.RemoveEpsilon(fst.Plus(either)), nil)
	g.show("ExpandWithin", "The part of a lazy machine, here of the closure of this one, on paths that cost at most 1 more than the best.",
		[]drawing{dot(t, either)}, dot(t, must(fst.ExpandWithin(t.Context(), endless, 1, nil))(t)))
	likely := compiled(t, reals, "(a<.9> | b<.1>)(c<.6> | d<.4>)")
	posterior := must(graph.Posteriors(likely.Graph()))(t).Arc
	g.show("PrunePosterior", "The arcs that a random path takes with a probability of at least 0.2. Thicker arcs are likelier.", []drawing{shaded(t, likely, posterior)}, dot(t, must(fst.PrunePosterior(likely, .2, nil))(t)))
	g.show("PruneArcs", "Without the arcs whose weights a function rejects, here weights below 0.2.", []drawing{dot(t, weak)},
		dot(t, must(fst.PruneArcs(weak, func(w float64) bool { return w >= .2 }, nil))(t)))
	edits := must(fst.Expand(fst.OneState(reals, .1, fst.Arc[float64]{In: 1, Out: 1, Weight: .3}, fst.Arc[float64]{In: 2, Out: 2, Weight: .3},
		fst.Arc[float64]{In: 1, Out: 2, Weight: .05}, fst.Arc[float64]{In: 2, Out: 1, Weight: .05}, fst.Arc[float64]{In: 1, Weight: .05},
		fst.Arc[float64]{In: 2, Weight: .05}, fst.Arc[float64]{Out: 1, Weight: .05}, fst.Arc[float64]{Out: 2, Weight: .05}), nil))(t)
	whole := fst.Compose(fst.FromString(reals, []int32{1, 2, 1}), fst.Compose(edits, fst.FromString(reals, []int32{1, 1})))
	ways := must(fst.Connect(whole, nil))(t).WithSymbols(galleryLetters, galleryLetters)
	g.show("graph.Posteriors", "The expected number of uses of each arc on a random path: likelier arcs are thicker. Here all edits of aba into aa.",
		nil, shaded(t, ways, must(graph.Posteriors(ways.Graph()))(t).Arc))
	g.show("Uniform", "The probabilities of a random walk: at each state all choices are equally likely.", []drawing{dot(t, lattice)}, dot(t, must(fst.Uniform(lattice, nil))(t)))
	g.tell("NewSampler", "A source of random paths by their weights: see Sampler.Sample.", []drawing{dot(t, likely)}, "")
	sampler := must(fst.NewSampler(likely, nil))(t)
	r := rand.New(rand.NewPCG(1, 2))
	drawn := map[string]int{}
	for range 1000 {
		drawn[strings.Join(must(galleryLetters.Decode(sampler.Sample(r).In))(t), "")]++
	}
	var lines []string
	for text, n := range drawn {
		lines = append(lines, fmt.Sprintf("    %s  %d times\n", text, n))
	}
	slices.SortFunc(lines, cmp.Compare[string])
	g.tell("Sampler.Sample", "A random path; here a thousand. Thicker arcs are likelier.", []drawing{shaded(t, likely, posterior)}, strings.Join(lines, ""))
}

func (g *gallery) comparison() {
	t := g.t
	a, b := parsed(t, "0 1 a a 1;1 2 b b 2;2"), parsed(t, "0 1 a a 3;1 2 b b;2")
	both := []drawing{dot(t, a), dot(t, b)}
	g.tell("Equivalent", "Reports whether two deterministic machines have the same relation; these weights are costs.", both, answer(must(fst.Equivalent(a, b, nil))(t)))
	g.tell("RandomlyEquivalent", "Reports whether two machines, deterministic or not, agree on random strings.", both,
		answer(must(fst.RandomlyEquivalent(a, b, rand.New(rand.NewPCG(1, 2)), 10, nil))(t)))
	g.tell("Equal", "Reports whether two machines are identical.", both, answer(must(fst.Equal(a, b, nil))(t)))
	g.tell("Isomorphic", "Reports whether two machines differ only in the numbers of their states.", both, answer(must(fst.Isomorphic(a, b, nil))(t)))
}
