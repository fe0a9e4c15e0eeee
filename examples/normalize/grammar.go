package main

import (
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/internal/tsv"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

//go:embed grammars
var grammars embed.FS

// direction is the way in which a grammar is read.
type direction int

const (
	writtenSpoken direction = iota
	spokenWritten
)

var directions = []direction{writtenSpoken, spokenWritten}

// String returns the direction as it stands in data.
func (d direction) String() string { return [...]string{"written-spoken", "spoken-written"}[d] }

// folder returns where the grammar is.
func (d direction) folder() string {
	return path.Join("grammars", [...]string{"written", "spoken"}[d])
}

// top is the file that every grammar begins with, and the definition that it is compiled from.
const (
	topFile = "sentence.rx"
	top     = "sentence"
)

// grammar is a machine that reads one form and writes the other.
type grammar struct {
	direction direction
	params    *em.Params              // the probabilities of choices
	alphabet  *fst.Symbols            // of both tapes
	model     *fst.FST[expr.W]        // the machine, with weights over params
	theta     []float64               // the parameters in use
	machine   *fst.FST[semiring.Cost] // the machine at the parameters in use
	running   *fst.FST[semiring.Cost] // the same contracted, whose outputs texts has
	texts     *texts

	trainable *fst.FST[expr.W] // the model, with marks if there are contexts
	contexts  *contexts        // nil if words around a token say nothing
	context   weights[semiring.Cost]
}

// load compiles the grammar of a direction, with its default probabilities.
func load(d direction) (*grammar, error) { return loadWith(d, nil) }

// ownRules is the definition that rules of one's own take the place of: what it reads is read so
// before all others.
const ownRules = "own"

// loadWith is load with rules of one's own, nil for none.
func loadWith(d direction, own []rx.Definition) (*grammar, error) {
	definitions, err := rx.ReadDefinitions(grammars, path.Join(d.folder(), topFile))
	if err != nil {
		return nil, err
	}
	if own != nil {
		isOwn := func(x rx.Definition) bool { return x.Name == ownRules }
		if !slices.ContainsFunc(own, isOwn) {
			return nil, fmt.Errorf("no definition %s = …; among the rules", ownRules)
		}
		definitions = append(slices.DeleteFunc(definitions, isOwn), own...)
	}
	alphabet, err := alphabetOf(definitions)
	if err != nil {
		return nil, err
	}
	starts, err := readProbabilities(grammars, path.Join(d.folder(), "probabilities.tsv"))
	if err != nil {
		return nil, err
	}
	g := &grammar{direction: d, params: em.NewParams(), alphabet: alphabet}
	compiler := rx.NewCompiler(g.params.Space(), alphabet)
	compiler.Groups = em.Alternatives(g.params, starts.prior)
	if err := compiler.DefineAll(definitions); err != nil {
		return nil, err
	}
	if g.model, err = compiler.Machine(top); err != nil {
		return nil, err
	}
	if err := starts.set(g.params); err != nil {
		return nil, err
	}
	g.trainable = g.model
	return g, g.use(g.params.Start())
}

// use makes theta the probabilities of choices.
func (g *grammar) use(theta []float64) error {
	g.theta = theta
	m, err := cascade.Instantiate(g.params, g.trainable, theta, tropical)
	if err != nil {
		return err
	}
	if g.contexts != nil {
		g.context = g.contexts.costs(theta)
	}
	// What is said begins alike in many kinds of tokens, which become one way then. What is
	// written does not, and without arcs ε:ε every end of a token has all beginnings behind it.
	if g.direction == spokenWritten {
		if m, err = fst.Optimize(m, nil); err != nil {
			return err
		}
	}
	return g.run(m)
}

// run makes m the machine that is applied.
func (g *grammar) run(m *fst.FST[semiring.Cost]) (err error) {
	g.machine = m
	g.texts = &texts{labels: map[string]int32{}}
	g.running, err = contract(g.machine, g.texts)
	return err
}

// raw is the label of byte 0 where bytes stand for themselves: they are behind all code points.
const raw = unicode.MaxRune + 1

// alphabetOf returns what the definitions name, all of ASCII and the bytes.
func alphabetOf(definitions []rx.Definition) (*fst.Symbols, error) {
	alphabet, err := rx.Alphabet(definitions)
	if err != nil {
		return nil, err
	}
	for r := rune(1); r < utf8.RuneSelf; r++ {
		if _, ok := alphabet.Name(r); !ok {
			if err := alphabet.Set(string(r), r); err != nil {
				return nil, err
			}
		}
	}
	for b := range 256 {
		if b > 0 && b < utf8.RuneSelf {
			continue // a character
		}
		if err := alphabet.Set(byteName(byte(b)), raw+int32(b)); err != nil {
			return nil, err
		}
	}
	return alphabet, nil
}

// byteName is the name of a byte that stands for itself.
func byteName(b byte) string { return fmt.Sprintf("x%02x", b) }

// encode returns the labels of a text, whatever its bytes.
func (g *grammar) encode(text string) []int32 {
	labels := make([]int32, 0, len(text))
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		if _, known := g.alphabet.Name(r); known && r != 0 && (r != utf8.RuneError || size > 1) {
			labels = append(labels, r)
			continue
		}
		for _, b := range []byte(text[i : i+size]) {
			labels = append(labels, raw+int32(b))
		}
	}
	return labels
}

// decode returns the text of labels.
func decode(labels []int32) string {
	text := make([]byte, 0, len(labels))
	for _, l := range labels {
		if l >= raw {
			text = append(text, byte(l-raw))
		} else {
			text = utf8.AppendRune(text, l)
		}
	}
	return string(text)
}

// reading is what a grammar makes of a line.
type reading struct {
	text string
	cost float64 // −ln of the probability of the best path
}

// maxStates bounds the states of a line's lattice.
const maxStates = 1 << 26

// whole returns the n best readings of a line that is not divided.
func (g *grammar) whole(line string, n int) ([]reading, error) {
	f, err := g.lattice(g.running, line)
	if err != nil {
		return nil, err
	}
	best, err := graph.UniqueBestPaths(f.Graph(), f.Out())
	if err != nil {
		return nil, err
	}
	var all []reading
	for labels, path := range best {
		text := g.texts.decode(labels)
		if slices.ContainsFunc(all, func(r reading) bool { return r.text == text }) {
			continue // the same in other pieces
		}
		all = append(all, reading{text, float64(path.Weight)})
		if len(all) == n {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the grammar has no reading of %q", line)
	}
	return all, nil
}

// lattice returns what a machine makes of a line, with marks if there are contexts.
func (g *grammar) lattice(m *fst.FST[semiring.Cost], line string) (*fst.FST[semiring.Cost], error) {
	f := fst.FromString(tropical, g.encode(line))
	if g.contexts != nil {
		var err error
		if f, err = marks(g.contexts, g.context, g.encode(line)); err != nil {
			return nil, err
		}
	}
	return fst.Connect(fst.Compose(f, m), &fst.Options{Limit: maxStates})
}

// probabilities are weights of alternatives, by the names of their parameters.
type probabilities map[string]float64

// readProbabilities reads lines of a group, an alternative and its weight.
func readProbabilities(files fs.FS, name string) (probabilities, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all := probabilities{}
	for row, err := range tsv.Rows(f, name, 3, 3) {
		if err != nil {
			return nil, err
		}
		p, err := strconv.ParseFloat(row.Columns[2], 64)
		if err != nil || !(p > 0) {
			return nil, fmt.Errorf("%s:%d: %q, want a number > 0", name, row.Line, row.Columns[2])
		}
		key := parameter(row.Columns[0], row.Columns[1])
		if _, twice := all[key]; twice {
			return nil, fmt.Errorf("%s:%d: %s comes twice", name, row.Line, key)
		}
		all[key] = p
	}
	return all, nil
}

// of returns the probabilities of the alternatives of a group, in proportion to the weights; an
// alternative without one has weight 1.
func (p probabilities) of(group string, alternatives []string) []float64 {
	all, sum := make([]float64, len(alternatives)), 0.0
	for i, a := range alternatives {
		all[i] = 1
		if w, ok := p[parameter(group, a)]; ok {
			all[i] = w
		}
		sum += all[i]
	}
	for i := range all {
		all[i] /= sum
	}
	return all
}

// parameter returns the name of the parameter of an alternative.
func parameter(group, alternative string) string { return fmt.Sprintf("%s[%s]", group, alternative) }

// set makes the modes of the priors the start of the parameters.
func (p probabilities) set(params *em.Params) error {
	left := maps.Clone(p)
	for _, g := range params.Groups() {
		law := g.Law().(em.Dirichlet)
		start := make([]float64, g.Len())
		for i := range start {
			start[i] = (law.Alphas[i] - 1) / priorStrength
			delete(left, g.Name(i))
		}
		g.SetStart(start)
	}
	for name := range left {
		return fmt.Errorf("a probability of %s, which the grammar does not name", name)
	}
	return nil
}
