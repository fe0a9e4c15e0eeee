package ngram

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// Words of an ARPA file that are no symbols.
const (
	beginName = "<s>"
	endName   = "</s>"
)

// arpaZero stands for the logarithm of 0.
const arpaZero = -99

// arpaDigits is the number of significant digits of a logarithm.
const arpaDigits = 9

// WriteARPA writes the model in the ARPA text format, which most n-gram tools read. Each line
// contains log10 p(w|h) and h w, and log10 of the back-off weight of h w if it is a context.
// Numbers have 9 digits, and −99 is log 0; a model read from such a text is written as the same
// text. All symbols 1 … V have a line, seen or not, with their names in symbols. The error wraps
// fst.ErrSymbol for a symbol without a name or with one that ReadARPA would not read back: an empty
// name, one with blanks or invalid UTF-8, <s>, </s> or fst.EpsilonName. Otherwise it comes from w.
// WriteARPA takes O(n-grams + V) time and the memory of a buffer.
func (m *Model) WriteARPA(w io.Writer, symbols *fst.Symbols) error {
	nonnil.Check("ngram: WriteARPA", "writer", w, "symbols", symbols)
	if err := m.checkNames(symbols); err != nil {
		return err
	}
	a := &arpaWriter{out: bufio.NewWriter(w), model: m, symbols: symbols}
	a.out.WriteString("\\data\\\n")
	for length := 1; length+1 < len(m.level); length++ {
		n := m.NumGrams(length)
		if length == 1 {
			n = a.words()
		}
		fmt.Fprintf(a.out, "ngram %d=%d\n", length, n)
	}
	for length := 1; length+1 < len(m.level); length++ {
		fmt.Fprintf(a.out, "\n\\%d-grams:\n", length)
		if length == 1 {
			a.unigrams()
		} else {
			a.extensions(0, length)
		}
	}
	a.out.WriteString("\n\\end\\\n")
	if err := a.out.Flush(); err != nil {
		return nested.Errorf("ngram: ARPA: %w", err)
	}
	return nil
}

func (m *Model) checkNames(symbols *fst.Symbols) error {
	for s := int32(1); s <= m.vocabulary; s++ {
		name, ok := symbols.Name(s)
		if !ok {
			return nested.Errorf("ngram: ARPA: %w: symbol %d of %d has no name", fst.ErrSymbol, s, m.vocabulary)
		}
		if name == "" || name == beginName || name == endName || name == fst.EpsilonName || strings.ContainsAny(name, arpaBlanks+"\n") || !text.Valid(name) {
			return nested.Errorf("ngram: ARPA: %w: %s, the name of symbol %d, would not be read back", fst.ErrSymbol, text.Quote(name), s)
		}
	}
	return nil
}

type arpaWriter struct {
	out     *bufio.Writer
	model   *Model
	symbols *fst.Symbols
	context []string
}

// words returns the number of lines for single words: all symbols, the end, and the beginning if it
// is a context.
func (a *arpaWriter) words() int {
	n := int(a.model.vocabulary) + 1
	if a.model.find(0, begin) > 0 {
		n++
	}
	return n
}

func (a *arpaWriter) unigrams() {
	for w := int32(begin); w <= a.model.vocabulary; w++ {
		if i := a.model.find(0, w); i > 0 {
			a.gram(i)
		} else if w != begin {
			a.number(a.model.unseen)
			a.out.WriteByte('\t')
			a.out.WriteString(a.name(w))
			a.out.WriteByte('\n')
		}
	}
}

// extensions writes the n-grams that are context k with more symbols.
func (a *arpaWriter) extensions(k int32, more int) {
	m := a.model
	for i := m.first[k]; i < m.first[k+1]; i++ {
		if more == 1 {
			a.gram(i)
		} else if m.first[i] < m.first[i+1] {
			a.context = append(a.context, a.name(m.symbol[i]))
			a.extensions(i, more-1)
			a.context = a.context[:len(a.context)-1]
		}
	}
}

// gram writes the line of n-gram i, whose context is known.
func (a *arpaWriter) gram(i int32) {
	a.number(a.model.logp[i])
	a.out.WriteByte('\t')
	for _, w := range a.context {
		a.out.WriteString(w)
		a.out.WriteByte(' ')
	}
	a.out.WriteString(a.name(a.model.symbol[i]))
	if a.model.isContext(i) {
		a.out.WriteByte('\t')
		a.number(a.model.backoff[i])
	}
	a.out.WriteByte('\n')
}

func (a *arpaWriter) name(symbol int32) string {
	switch symbol {
	case begin:
		return beginName
	case End:
		return endName
	}
	name, _ := a.symbols.Name(symbol)
	return name
}

func (a *arpaWriter) number(log float64) {
	x := log / math.Ln10
	if math.IsInf(x, -1) {
		x = arpaZero
	}
	if x == 0 {
		x = 0 // not −0
	}
	a.out.Write(strconv.AppendFloat(a.out.AvailableBuffer(), x, 'g', arpaDigits, 64))
}
