package linegrammar

import (
	"fmt"
	"slices"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/em"
	"example.org/pathsum/em/cascade"
	"example.org/pathsum/fst"
	"example.org/pathsum/fst/rx"
	"example.org/pathsum/semiring"
	"example.org/pathsum/semiring/expr"
	"example.org/pathsum/semiring/graph"
)

// tropical is the ring of the machines at the current parameters.
var tropical = semiring.Tropical{}

// Grammar is a machine that reads a line and writes another. It is safe for concurrent use,
// except while it is trained.
type Grammar struct {
	Name     string
	Params   *em.Params              // the probabilities of choices
	Alphabet *fst.Symbols            // of both tapes, from Alphabet
	Model    *fst.FST[expr.W]        // the machine, with weights over Params
	Theta    []float64               // the current parameters
	Machine  *fst.FST[semiring.Cost] // the machine at the current parameters

	optimize bool
	running  *fst.FST[semiring.Cost] // Machine contracted, whose outputs texts has
	texts    *texts

	trainable *fst.FST[expr.W] // the model, with marks if there are contexts
	contexts  *contexts        // nil without features of words around a token
	context   weights[semiring.Cost]
}

// New returns the grammar of a model with weights over params, at their start. With optimize
// the machine that Apply uses is determinized as far as possible, which helps if many readings
// of a line have the same beginning.
func New(name string, params *em.Params, alphabet *fst.Symbols, model *fst.FST[expr.W], optimize bool) (*Grammar, error) {
	g := &Grammar{Name: name, Params: params, Alphabet: alphabet, Model: model, trainable: model, optimize: optimize}
	return g, g.Use(params.Start())
}

// Use makes theta the current parameters.
func (g *Grammar) Use(theta []float64) error {
	g.Theta = theta
	m, err := cascade.Instantiate(g.Params, g.trainable, theta, tropical)
	if err != nil {
		return err
	}
	if g.contexts != nil {
		g.context = g.contexts.costs(theta)
	}
	if g.optimize {
		if m, err = fst.Optimize(m, nil); err != nil {
			return err
		}
	}
	return g.run(m)
}

// run makes m the machine that Apply uses.
func (g *Grammar) run(m *fst.FST[semiring.Cost]) (err error) {
	g.Machine = m
	g.texts = &texts{labels: map[string]int32{}}
	g.running, err = contract(g.Machine, g.texts)
	return err
}

// Size returns the numbers of states and arcs of the machine that Apply uses.
func (g *Grammar) Size() (states, arcs int) { return g.running.NumStates(), g.running.NumArcs() }

// raw is the label of byte 0 as a byte: labels of bytes follow all code points.
const raw = unicode.MaxRune + 1

// Alphabet returns the symbols in definitions, all of ASCII, and the bytes, which encode
// characters that the definitions do not name.
func Alphabet(definitions []rx.Definition) (*fst.Symbols, error) {
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
		if err := alphabet.Set(ByteName(byte(b)), raw+int32(b)); err != nil {
			return nil, err
		}
	}
	return alphabet, nil
}

// ByteName returns the name in an Alphabet of a byte as a byte.
func ByteName(b byte) string { return fmt.Sprintf("x%02x", b) }

// Encode returns the labels of a text, which may contain any bytes.
func (g *Grammar) Encode(text string) []int32 {
	labels := make([]int32, 0, len(text))
	for i, size := 0, 0; i < len(text); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(text[i:])
		if _, known := g.Alphabet.Name(r); known && r != 0 && (r != utf8.RuneError || size > 1) {
			labels = append(labels, r)
			continue
		}
		for _, b := range []byte(text[i : i+size]) {
			labels = append(labels, raw+int32(b))
		}
	}
	return labels
}

// Decode returns the text of labels.
func Decode(labels []int32) string {
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

// Reading is an output of a grammar for a line.
type Reading struct {
	Text string
	Cost float64 // −ln of the probability of the best path
}

// MaxStates bounds the states of a line's lattice.
const MaxStates = 1 << 26

// whole returns the n best readings of a line that is not divided.
func (g *Grammar) whole(line string, n int) ([]Reading, error) {
	f, err := g.lattice(g.running, line)
	if err != nil {
		return nil, err
	}
	best, err := graph.UniqueBestPaths(f.Graph(), f.Out())
	if err != nil {
		return nil, err
	}
	var all []Reading
	for labels, path := range best {
		text := g.texts.decode(labels)
		if slices.ContainsFunc(all, func(r Reading) bool { return r.Text == text }) {
			continue // the same in other pieces
		}
		all = append(all, Reading{text, float64(path.Weight)})
		if len(all) == n {
			break
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("the grammar has no reading of %q", line)
	}
	return all, nil
}

// lattice returns the composition of a line and a machine, with marks if there are contexts.
func (g *Grammar) lattice(m *fst.FST[semiring.Cost], line string) (*fst.FST[semiring.Cost], error) {
	f := fst.FromString(tropical, g.Encode(line))
	if g.contexts != nil {
		var err error
		if f, err = marks(g.contexts, g.context, g.Encode(line)); err != nil {
			return nil, err
		}
	}
	return fst.Connect(fst.Compose(f, m), &fst.Options{Limit: MaxStates})
}
