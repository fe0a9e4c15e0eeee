package pairgram

import (
	"fmt"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
)

// How chunks are written as words of one side or both, as Phonetisaurus does it: a|b}x|y for
// the symbols a b with x y.
const (
	tie   = "|" // between symbols
	split = "}" // between source and target
	skip  = "_" // a side without symbols
)

// blanks are between the columns and lines of a file.
const blanks = " \t\r\n"

// side returns one side of a chunk as a word. The error wraps fst.ErrSymbol for a symbol
// without a name, or with one that would not be read back.
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

// Text returns the chunk as a word such as a|b}x|y, for the symbols a and b with x and y, or _}x,
// for nothing with x: as Phonetisaurus writes it. The error wraps fst.ErrSymbol for a symbol
// without a name, or with one that would not be read back.
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

// parseChunk returns the chunk that a word stands for, with new symbols added. A word without
// source and target is a symbol of both, such as <unk>.
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
				return Chunk{}, fmt.Errorf("the word %s: %s is no name of a symbol", text.Quote(word), text.Quote(name))
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
