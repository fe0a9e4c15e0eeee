package pairgram

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// ErrInvalid is wrapped by errors about invalid options and data.
var ErrInvalid = nested.ErrInvalid

// Pair is an example: a source and a target string of symbols 1, 2, …. Texts makes a Pair from two
// texts.
type Pair struct {
	Source, Target []int32
	// Weight is the number of times that the pair was observed, from 0 to 1e9. The zero value means
	// once; em.Times(0) excludes the pair from training.
	Weight em.Multiplicity
	// Name appears in errors and reports; if it is empty, the index does.
	Name string
}

// Texts returns the pair of two texts, with weight 1. Its symbols are the code points of their
// characters, as in fst.RuneSymbols: string(best.Target) is the text predicted for a source
// []rune("kat").
func Texts(source, target string) Pair {
	return Pair{Source: fst.RuneLabels(source), Target: fst.RuneLabels(target)}
}

func (p *Pair) weight() float64 { return p.Weight.Float64() }

// Size is the numbers of source and target symbols in a chunk.
type Size struct{ Source, Target int }

// Singletons returns the sizes 1:0, 0:1 and 1:1: deletion, insertion, substitution.
func Singletons() []Size { return []Size{{1, 0}, {0, 1}, {1, 1}} }

// maxSize bounds the sides of a chunk.
const maxSize = 8

// ordered returns the distinct sizes in order.
func ordered(sizes []Size) ([]Size, error) {
	all := slices.Clone(sizes)
	slices.SortFunc(all, func(x, y Size) int { return cmp.Or(cmp.Compare(x.Source, y.Source), cmp.Compare(x.Target, y.Target)) })
	all = slices.Compact(all)
	for _, s := range all {
		if s.Source < 0 || s.Target < 0 || s.Source+s.Target == 0 || s.Source > maxSize || s.Target > maxSize {
			return nil, nested.Errorf("pairgram: %w: chunks of %d symbols with %d, want 0 to %d on each side, not both 0", ErrInvalid, s.Source, s.Target, maxSize)
		}
	}
	return all, nil
}

// maxWeight bounds the weight of a pair.
const maxWeight = 1e9

// maxCells bounds the product of the lengths of a pair's strings.
const maxCells = 1 << 24

// check returns an error for the first invalid pair.
func check(pairs []Pair) error {
	for i := range pairs {
		if err := pairs[i].check(i); err != nil {
			return err
		}
	}
	return nil
}

// check returns an error if pair i is invalid.
func (p *Pair) check(i int) error {
	bad := func(sentinel error, format string, args ...any) error {
		return nested.Errorf("pairgram: %w: %s: "+format, append([]any{sentinel, p.name(i)}, args...)...)
	}
	if w := p.weight(); !(w >= 0 && w <= maxWeight) {
		return bad(ErrInvalid, "weight %g, want a number from 0 to %g", w, float64(maxWeight))
	}
	for _, side := range [][]int32{p.Source, p.Target} {
		for j, s := range side {
			if s < 1 {
				return bad(ErrInvalid, "symbol %d at position %d, want symbols > 0", s, j)
			}
		}
	}
	if tooLong(p.Source, p.Target) {
		return bad(semiring.ErrLimit, "strings of %d and %d symbols", len(p.Source), len(p.Target))
	}
	return nil
}

// tooLong reports whether a pair has more than maxCells.
func tooLong(x, y []int32) bool { return (len(x)+1)*(len(y)+1) > maxCells }

func (p *Pair) name(i int) string {
	if p.Name == "" {
		return fmt.Sprintf("pair %d", i)
	}
	return fmt.Sprintf("pair %d (%s)", i, p.Name)
}

// The signs in words for one or both sides of a chunk, as in Phonetisaurus: a|b}x|y for the symbols
// a b with x y.
const (
	tie   = "|" // between symbols
	split = "}" // between source and target
	skip  = "_" // a side without symbols
)

// blanks separate the columns and lines of a file.
const blanks = " \t\r\n"

// side returns one side of a chunk as a word. The error wraps fst.ErrSymbol for a symbol without a
// name, or with a name that would not be read back.
func side(names *fst.Symbols, symbols []int32) (string, error) {
	if len(symbols) == 0 {
		return skip, nil
	}
	all, err := names.Decode(symbols)
	if err != nil {
		return "", err
	}
	for _, name := range all {
		if name == "" || name == skip || name == fst.EpsilonName || strings.ContainsAny(name, tie+split+blanks) || !text.Valid(name) {
			return "", fmt.Errorf("%w: %s in a word of a chunk, want a name without blanks, %s and %s that is not %s or %s", fst.ErrSymbol, text.Quote(name), tie, split, skip, fst.EpsilonName)
		}
	}
	return strings.Join(all, tie), nil
}

// Text returns the chunk as a word such as a|b}x|y, for the symbols a and b with x and y, or _}x
// for an empty source with x: the format of Phonetisaurus. The error wraps fst.ErrSymbol for a
// symbol without a name, or with a name that would not be read back.
func (c Chunk) Text(source, target *fst.Symbols) (string, error) {
	s, err := side(source, c.Source)
	if err != nil {
		return "", nested.Errorf("pairgram: %w", err)
	}
	t, err := side(target, c.Target)
	if err != nil {
		return "", nested.Errorf("pairgram: %w", err)
	}
	return s + split + t, nil
}

// words returns the chunks as words, in their order.
func (c *Chunks) words(source, target *fst.Symbols) (*fst.Symbols, error) {
	all := fst.NewSymbols()
	for i, x := range c.all {
		word, err := x.Text(source, target)
		if err != nil {
			return nil, err
		}
		if err := all.Set(word, int32(i+1)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// parseChunk returns the chunk of a word and adds its new symbols. A word without } is a symbol on
// both sides, such as <unk>.
func parseChunk(word string, source, target *fst.Symbols) (Chunk, error) {
	sides := strings.Split(word, split)
	if len(sides) == 1 {
		sides = append(sides, word)
	}
	if len(sides) != 2 {
		return Chunk{}, fmt.Errorf("the word %s, want a source and a target with %s between", text.Quote(word), split)
	}
	var parsed [2][]int32
	for i, names := range []*fst.Symbols{source, target} {
		if sides[i] == skip {
			continue
		}
		for name := range strings.SplitSeq(sides[i], tie) {
			label := names.Add(name)
			if name == "" || label < 1 {
				return Chunk{}, fmt.Errorf("the word %s: %s is not a name of a symbol", text.Quote(word), text.Quote(name))
			}
			parsed[i] = append(parsed[i], label)
		}
		if n := len(parsed[i]); n > maxSize {
			return Chunk{}, fmt.Errorf("the word %s: %d symbols on a side, want at most %d", text.Quote(word), n, maxSize)
		}
	}
	if len(parsed[0])+len(parsed[1]) == 0 {
		return Chunk{}, fmt.Errorf("the word %s, want symbols on one side at least", text.Quote(word))
	}
	return Chunk{parsed[0], parsed[1]}, nil
}
