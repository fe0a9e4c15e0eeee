package ngram

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.org/pathsum/fst"
	"example.org/pathsum/internal/nonnil"
	"example.org/pathsum/internal/text"
)

// arpaBlanks are the column separators of an ARPA file.
const arpaBlanks = " \t\r"

// ReadARPA reads a model in the ARPA text format of WriteARPA and other tools; name is the name of
// the source in errors. Words get their labels in symbols; new words are added to it. <s> and </s>
// are the beginning and the end, and <unk> is an ordinary word. The vocabulary is all of symbols,
// and the probability of a symbol without a line is 0. A missing back-off weight is 1; −99 is log
// 0. Lines of one length may be in any order, and a context must have a line itself. A length with
// 0 n-grams in the header needs no section. Text before \data\ and after \end\ is ignored. The
// numbers are not changed; Validate checks that they sum to 1.
//
// Some files contain useless lines: n-grams with </s> before the last position or <s> after the
// first, and back-off weights of the longest n-grams. ReadARPA ignores them, and Model.Remarks
// counts them.
//
// The error is a *ParseError with the expected text, also for invalid UTF-8, a NUL byte and a line
// of more than 1 MiB. Time and memory are proportional to the length of the text, whatever its
// header announces.
func ReadARPA(r io.Reader, name string, symbols *fst.Symbols) (*Model, error) {
	nonnil.Check("ngram: ReadARPA", "reader", r, "symbols", symbols)
	a := &arpaReader{lines: text.NewLineReader(r, name), symbols: symbols, trie: newTrie()}
	m, err := a.read()
	if err == nil {
		return m, nil
	}
	if e := (*ParseError)(nil); !errors.As(err, &e) {
		err = &ParseError{File: name, Line: max(a.line, 1), Err: err}
	}
	return nil, err
}

type arpaReader struct {
	lines   *text.LineReader
	line    int
	symbols *fst.Symbols
	trie    trie
	// entries are the lines of n-grams; the tally of a node is its index here.
	entries []arpaEntry
	// The context of the last line.
	words   []string
	context int32
	// The ignored parts: useless n-grams, and back-off weights of the longest ones.
	unused, backoffs int
}

type arpaEntry struct{ logp, backoff float64 }

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, text.Tokens(args...)...))
}

// next returns the next line that is not blank; errEnded at the end of the text.
func (a *arpaReader) next() (string, error) {
	for {
		line, err := a.lines.Next()
		if err == io.EOF {
			return "", errEnded
		}
		if err = cmp.Or(err, line.Err); err != nil {
			return "", err
		}
		a.line = line.Number
		if content := strings.Trim(line.Text, arpaBlanks); content != "" {
			return content, nil
		}
	}
}

func (a *arpaReader) read() (*Model, error) {
	for line := ""; line != `\data\`; {
		var err error
		if line, err = a.next(); err != nil {
			return nil, ended(err, `\data\`)
		}
	}
	sizes, line, err := a.sizes()
	if err != nil {
		return nil, err
	}
	for i, size := range sizes {
		want := fmt.Sprintf(`\%d-grams:`, i+1)
		if line != want && size == 0 {
			continue
		}
		if line != want {
			return nil, invalid("%q, want %s", line, want)
		}
		if line, err = a.section(i+1, len(sizes), size); err != nil {
			return nil, err
		}
	}
	if line != `\end\` {
		return nil, invalid(`%q, want \end\`, line)
	}
	return a.model(len(sizes))
}

// errEnded reports the end of the text.
var errEnded = errors.New("the text ends")

// ended replaces errEnded by an error with the expected text.
func ended(err error, want string) error {
	if err == errEnded {
		return invalid("the text ends, want %s", want)
	}
	return err
}

// sizes reads the header. It also returns the line after it.
func (a *arpaReader) sizes() (sizes []int64, line string, err error) {
	for {
		if line, err = a.next(); err != nil {
			return nil, "", ended(err, `ngram 1=…`)
		}
		rest, ok := strings.CutPrefix(line, "ngram")
		if !ok {
			break
		}
		length, size, _ := strings.Cut(rest, "=")
		n, err := strconv.ParseInt(strings.Trim(size, arpaBlanks), 10, 64)
		if strings.Trim(length, arpaBlanks) != strconv.Itoa(len(sizes)+1) || err != nil || n < 0 {
			return nil, "", invalid("%q, want ngram %d= and a number", line, len(sizes)+1)
		}
		sizes = append(sizes, n)
	}
	if len(sizes) == 0 {
		return nil, "", invalid("%q, want ngram 1= and a number", line)
	}
	return sizes, line, nil
}

// section reads the n-grams of a length and returns the line after them.
func (a *arpaReader) section(length, order int, size int64) (string, error) {
	var words []string
	for n := int64(0); ; n++ {
		line, err := a.next()
		if err != nil {
			return "", ended(err, fmt.Sprintf(`%d-grams or \end\`, length))
		}
		if line[0] == '\\' {
			if n != size {
				return "", invalid("%d %d-grams before %q, and %d in the head", n, length, line, size)
			}
			return line, nil
		}
		if words = split(words[:0], line); len(words) != length+1 && len(words) != length+2 {
			return "", invalid("%d columns, want log10 of a probability and %d words, and log10 of a back-off weight or not", len(words), length)
		}
		if err := a.gram(words, length, length == order); err != nil {
			return "", err
		}
	}
}

func split(dst []string, text string) []string {
	for {
		text = strings.TrimLeft(text, arpaBlanks)
		if text == "" {
			return dst
		}
		end := strings.IndexAny(text, arpaBlanks)
		if end < 0 {
			end = len(text)
		}
		dst, text = append(dst, text[:end]), text[end:]
	}
}

// gram enters the n-gram of one line, unless it is useless. longest reports whether it has the
// greatest length.
func (a *arpaReader) gram(columns []string, length int, longest bool) error {
	words := columns[1 : length+1]
	e, err := arpaNumbers(columns, length)
	if err != nil {
		return err
	}
	if slices.Contains(words[:length-1], endName) || slices.Contains(words[1:], beginName) {
		a.unused++
		return nil
	}
	if longest && len(columns) > length+1 {
		e.backoff = 0
		a.backoffs++
	}
	if err := a.enter(words[:length-1]); err != nil {
		return err
	}
	last, err := a.label(words[length-1])
	if err != nil {
		return err
	}
	if last == begin {
		e.logp = math.Inf(-1)
	}
	if len(a.trie.nodes) > math.MaxInt32-length {
		return invalid("more than %d n-grams", len(a.entries))
	}
	k := a.trie.child(a.context, last)
	if a.trie.nodes[k].tally > 0 {
		return invalid("%q is there twice", strings.Join(words, " "))
	}
	a.entries = append(a.entries, e)
	a.trie.nodes[k].tally = int32(len(a.entries))
	return nil
}

// enter looks up a context, which in most files is the context of the line before.
func (a *arpaReader) enter(words []string) error {
	if slices.Equal(words, a.words) {
		return nil
	}
	context := int32(0)
	for i, w := range words {
		s, err := a.label(w)
		if err != nil {
			return err
		}
		if context = a.trie.find(context, s); context == 0 || a.trie.nodes[context].tally == 0 {
			return invalid("%q is no %d-gram of the file, want every context among the shorter n-grams", strings.Join(words[:i+1], " "), i+1)
		}
	}
	a.words, a.context = append(a.words[:0], words...), context
	return nil
}

// label returns the label of a word and adds it to the symbols if it is new.
func (a *arpaReader) label(word string) (int32, error) {
	switch word {
	case beginName:
		return begin, nil
	case endName:
		return End, nil
	}
	s, ok := a.symbols.Find(word)
	if !ok {
		s = a.symbols.Add(strings.Clone(word)) // without the rest of the line
	}
	if s == fst.Epsilon {
		return 0, invalid("the word %q, which is reserved for ε", word)
	}
	return s, nil
}

// arpaNumbers returns the numbers of the line of an n-gram. The probability of the
// beginning, which is never a next word, may be any number.
func arpaNumbers(columns []string, length int) (e arpaEntry, err error) {
	if e.logp, err = arpaNumber(columns[0]); err == nil && e.logp > 0 && columns[length] != beginName {
		err = invalid("%q is log10 of more than 1", columns[0])
	}
	if err == nil && len(columns) > length+1 {
		e.backoff, err = arpaNumber(columns[length+1])
	}
	return e, err
}

// arpaNumber returns the natural logarithm of a number, given its logarithm to base 10.
func arpaNumber(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 1) {
		return 0, invalid("%q is not a logarithm, want a finite number or -inf", text)
	}
	if x == arpaZero {
		return math.Inf(-1), nil
	}
	if x *= math.Ln10; math.IsInf(x, 1) {
		return 0, invalid("%q is not a logarithm of a number that can be held", text)
	}
	return x, nil
}

func (a *arpaReader) model(order int) (*Model, error) {
	vocabulary := int32(0)
	for s := range a.symbols.All() {
		vocabulary = max(vocabulary, s)
	}
	if vocabulary < 1 || vocabulary == math.MaxInt32 {
		return nil, invalid("a vocabulary of %d words, want 1 to %d", vocabulary, math.MaxInt32-1)
	}
	l := a.trie.layout()
	m := l.model(order, vocabulary)
	m.unseen = math.Inf(-1)
	listed := make([]bool, len(m.symbol))
	for i, k := range l.tally {
		if k > 0 {
			e := a.entries[k-1]
			m.logp[i], listed[i] = e.logp, true
			if i < len(m.backoff) {
				m.backoff[i] = e.backoff
			}
		}
	}
	m.retain(listed)
	if a.unused > 0 {
		m.remarks = append(m.remarks, fmt.Sprintf("n-grams with %s before the last place or %s after the first one, which no string has: %d were left out", endName, beginName, a.unused))
	}
	if a.backoffs > 0 {
		m.remarks = append(m.remarks, fmt.Sprintf("back-off weights of %d-grams, which are not contexts: %d were left out", order, a.backoffs))
	}
	return m, nil
}

// ParseError is the position of an error in a text and the error. It wraps ErrFormat, unless
// reading failed.
type ParseError = text.Error
