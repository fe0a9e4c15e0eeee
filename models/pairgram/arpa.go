package pairgram

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/ngram"
)

// WriteARPA writes the n-grams of chunks in the ARPA text format. A chunk is a word as in the files
// of Phonetisaurus: a|b}x|y for the symbols a b with x y, and _ for no symbol. The words are in the
// order in which m reads chunks. Numbers have 9 digits. The error wraps fst.ErrSymbol for a symbol
// without a name, or with a name that ReadARPA would not read back: one with a blank or one of
// these signs. Otherwise it comes from w. See ngram.Model.WriteARPA.
func (m *Model) WriteARPA(w io.Writer, source, target *fst.Symbols) error {
	nonnil.Check("pairgram: WriteARPA", "writer", w, "names of source symbols", source, "names of target symbols", target)
	words, err := m.chunks.words(source, target)
	if err != nil {
		return nested.Errorf("pairgram: ARPA: %w", err)
	}
	if err := m.grams.WriteARPA(w, words); err != nil {
		return nested.Errorf("pairgram: %w", err)
	}
	return nil
}

// ReadARPA reads a model whose chunks are words in the format of WriteARPA and Phonetisaurus; name
// is the name of the source in errors. Symbols get their labels in source and target; new ones are
// added. The model reads forward. A word without } is a chunk of the symbol of that name with
// itself, so <unk> is an ordinary chunk. Model.Remarks counts the ignored lines of the n-grams, as
// in ngram.ReadARPA. The error wraps ErrFormat, or ngram.ErrFormat for invalid n-grams. Time and
// memory are proportional to the text.
func ReadARPA(r io.Reader, name string, source, target *fst.Symbols) (*Model, error) {
	nonnil.Check("pairgram: ReadARPA", "reader", r, "names of source symbols", source, "names of target symbols", target)
	var head bytes.Buffer // the part that is read twice: up to the 2-grams
	all, err := readWords(text.NewLineReader(io.TeeReader(r, &head), name), source, target)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	chunks, words, err := chunksOf(all)
	if err != nil {
		return nil, nested.Errorf("pairgram: %s: %w: %w", name, ErrFormat, err)
	}
	grams, err := ngram.ReadARPA(io.MultiReader(&head, r), name, words)
	if err != nil {
		return nil, nested.Errorf("pairgram: %w", err)
	}
	if n := grams.Vocabulary(); int(n) != chunks.Len() {
		return nil, nested.Errorf("pairgram: %s: %w: %d words, but only %d of them are 1-grams", name, ErrFormat, n, chunks.Len())
	}
	return newModel(chunks, false, grams), nil
}

// word is a word of a file and its chunk.
type word struct {
	text  string
	chunk Chunk
}

// readWords reads the words of the 1-grams, each as a chunk, in order. It ignores invalid lines:
// the reader of the n-grams reports them.
func readWords(lines *text.LineReader, source, target *fst.Symbols) ([]word, error) {
	var all []word
	for within := false; ; {
		line, err := lines.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		columns := strings.FieldsFunc(line.Text, func(r rune) bool { return strings.ContainsRune(blanks, r) })
		switch {
		case within && len(columns) == 1 && strings.HasPrefix(columns[0], "\\"):
			return all, nil
		case len(columns) == 1 && columns[0] == "\\1-grams:":
			within = true
		case within && len(columns) > 1 && columns[1] != "<s>" && columns[1] != "</s>":
			name := strings.Clone(columns[1]) // without the lines around it
			c, err := parseChunk(name, source, target)
			if err != nil {
				return nil, &text.Error{File: lines.File(), Line: line.Number, Err: nested.Errorf("%w: %w", ErrFormat, err)}
			}
			all = append(all, word{name, c})
		}
	}
}

// chunksOf returns the inventory of the chunks of words, and the words by the indices of their
// chunks.
func chunksOf(all []word) (*Chunks, *fst.Symbols, error) {
	if len(all) == 0 {
		return nil, nil, errors.New("no word that is a chunk among 1-grams")
	}
	var sizes []Size
	slices.SortFunc(all, func(a, b word) int {
		return cmp.Or(slices.Compare(a.chunk.Source, b.chunk.Source), slices.Compare(a.chunk.Target, b.chunk.Target))
	})
	list, words := make([]Chunk, len(all)), fst.NewSymbols()
	for i, w := range all {
		list[i] = w.chunk
		sizes = append(sizes, Size{len(w.chunk.Source), len(w.chunk.Target)})
		if i > 0 && slices.Equal(w.chunk.Source, all[i-1].chunk.Source) && slices.Equal(w.chunk.Target, all[i-1].chunk.Target) {
			return nil, nil, fmt.Errorf("the words %s and %s stand for the same chunk", text.Quote(all[i-1].text), text.Quote(w.text))
		}
		if err := words.Set(w.text, int32(i+1)); err != nil {
			return nil, nil, err
		}
	}
	sizes, err := ordered(sizes)
	if err != nil {
		return nil, nil, err
	}
	return newChunks(sizes, list), words, nil
}

// WriteAligned writes the most probable alignment of each pair as a line of the words of its
// chunks, separated by blanks, as the aligner of Phonetisaurus does. Pairs that cannot be divided
// are left out. The error is as for Best, wraps fst.ErrSymbol as for WriteARPA, or comes from w.
func (a *Aligner) WriteAligned(w io.Writer, pairs []Pair, source, target *fst.Symbols) error {
	nonnil.Check("pairgram: WriteAligned", "writer", w, "names of source symbols", source, "names of target symbols", target)
	for _, p := range pairs {
		chunks, _, err := a.Best(p)
		if errors.Is(err, em.ErrUnderivable) {
			continue
		}
		if err != nil {
			return err
		}
		words := make([]string, len(chunks))
		for i, c := range chunks {
			if words[i], err = c.Text(source, target); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, strings.Join(words, " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}
