package treebank

import (
	"bufio"
	"io"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// Bounds of a tree.
const (
	maxDepth  = 1000
	maxNodes  = 1 << 20
	maxSymbol = 1 << 12 // bytes
)

// Trees returns the trees of r, which are written with labels and brackets:
//
//	(S (NP (DT the) (NN tree)) (VP (VBZ stands)))
//
// They may go over several lines or share one; the label may be missing. A symbol before a
// tree is its ID. A node is a leaf, of a tag and a word, or has nodes below it. file is the
// name for errors. The first error ends the sequence; it is an *Error that says line and
// column, and wraps ErrFormat, semiring.ErrLimit or r's error.
func Trees(r io.Reader, file string) iter.Seq2[*Tree, error] {
	return func(yield func(*Tree, error) bool) {
		b := &bracketReader{r: bufio.NewReader(text.NewReader(r)), file: file, line: 1}
		for {
			t, err := b.tree()
			if err == io.EOF {
				return
			}
			if !yield(t, err) || err != nil {
				return
			}
		}
	}
}

// TreesOf is Trees of the named file, decompressed if the name ends in .gz.
func TreesOf(file string) iter.Seq2[*Tree, error] {
	return func(yield func(*Tree, error) bool) {
		r, err := text.Open(file)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		Trees(r, file)(yield)
	}
}

// bracketReader reads trees.
type bracketReader struct {
	r            *bufio.Reader
	file         string
	line, column int // of the last character
	symbol       []byte
}

// fail returns an error at a place.
func (b *bracketReader) fail(line, column int, kind error, format string, args ...any) error {
	return &Error{File: b.file, Line: line, Column: column, Err: nested.Errorf("%w: %w", kind, nested.Errorf(format, text.Tokens(args...)...))}
}

// next returns the next character.
func (b *bracketReader) next() (rune, error) {
	c, size, err := b.r.ReadRune()
	switch {
	case err == io.EOF:
		return 0, err
	case err != nil:
		return 0, &Error{File: b.file, Line: b.line, Column: b.column + 1, Err: err}
	case c == '\n':
		b.line++
		b.column = 0
	default:
		b.column++
	}
	if c == utf8.RuneError && size == 1 {
		return 0, &Error{File: b.file, Line: b.line, Column: b.column, Err: text.ErrUTF8}
	}
	return c, nil
}

// token returns the next bracket or symbol, and where it begins.
func (b *bracketReader) token() (text string, line, column int, err error) {
	c := ' '
	for unicode.IsSpace(c) {
		if c, err = b.next(); err != nil {
			return "", b.line, b.column, err
		}
	}
	line, column = b.line, b.column
	b.symbol = b.symbol[:0]
	for {
		b.symbol = utf8.AppendRune(b.symbol, c)
		if c == '(' || c == ')' {
			break
		}
		if len(b.symbol) > maxSymbol {
			return "", line, column, b.fail(line, column, semiring.ErrLimit, "a symbol of more than %d bytes", maxSymbol)
		}
		peeked, err := b.r.Peek(1)
		if err != nil || peeked[0] == '(' || peeked[0] == ')' {
			break // an error comes again
		}
		before, at := b.line, b.column
		if c, err = b.next(); err != nil {
			return "", line, column, err
		}
		if unicode.IsSpace(c) {
			if err := b.r.UnreadRune(); err != nil {
				return "", line, column, err
			}
			b.line, b.column = before, at
			break
		}
	}
	return string(b.symbol), line, column, nil
}

// node is one whose bracket is open.
type node struct {
	*Tree
	line, column int
	symbols      int // that have come
}

// tree returns the next tree, io.EOF if there is none.
func (b *bracketReader) tree() (*Tree, error) {
	var stack []node
	id, nodes := "", 0
	for {
		text, line, column, err := b.token()
		switch {
		case err == io.EOF && len(stack) > 0:
			first := stack[0]
			return nil, b.fail(first.line, first.column, ErrFormat, "%d of the brackets that open here are not closed", len(stack))
		case err == io.EOF && id != "":
			return nil, b.fail(line, column, ErrFormat, "no tree after %q", id)
		case err != nil:
			return nil, err
		}
		switch text {
		case "(":
			if nodes++; nodes > maxNodes || len(stack) == maxDepth {
				return nil, b.fail(line, column, semiring.ErrLimit, "more than %d nodes or %d open brackets", maxNodes, maxDepth)
			}
			if n := len(stack); n > 0 && stack[n-1].symbols == 2 {
				return nil, b.fail(line, column, ErrFormat, "a node below the word %q", stack[n-1].Word)
			}
			stack = append(stack, node{new(Tree), line, column, 0})
		case ")":
			n := len(stack)
			if n == 0 {
				return nil, b.fail(line, column, ErrFormat, "nothing is open")
			}
			done := stack[n-1]
			if done.symbols < 2 && done.Children == nil {
				return nil, b.fail(done.line, done.column, ErrFormat, "a node with nothing below it")
			}
			stack = stack[:n-1]
			if n == 1 {
				done.ID = id
				return done.Tree, nil
			}
			above := stack[n-2]
			above.Children = append(above.Children, done.Tree)
		default:
			n := len(stack)
			if n == 0 && id == "" {
				id = text
				continue
			}
			if n == 0 || stack[n-1].symbols == 2 || stack[n-1].Children != nil {
				return nil, b.fail(line, column, ErrFormat, "%q is in no place for a label or a word", text)
			}
			top := &stack[n-1]
			if top.symbols == 0 {
				top.Label = text
			} else {
				top.Word = text
			}
			top.symbols++
		}
	}
}

// Tree is a node of a tree, with what is below it.
type Tree struct {
	// ID is the name of the whole tree, if the file gives it one.
	ID    string
	Label string
	// Word is the word of a leaf, whose tag is Label; other nodes have Children.
	Word     string
	Children []*Tree
}

// String returns the tree as Trees reads it, without the ID, if its labels and words have
// no space and no bracket, and words are not empty, as in trees that Trees returned.
func (t *Tree) String() string {
	var b strings.Builder
	t.write(&b)
	return b.String()
}

func (t *Tree) write(b *strings.Builder) {
	b.WriteByte('(')
	b.WriteString(t.Label)
	if t.Children == nil {
		b.WriteByte(' ')
		b.WriteString(t.Word)
	}
	for _, c := range t.Children {
		b.WriteByte(' ')
		c.write(b)
	}
	b.WriteByte(')')
}

// Sentence returns the words of the tree with their tags, and its spans without their
// labels; heads are not known.
func (t *Tree) Sentence() Sentence {
	s := Sentence{ID: t.ID, Spans: []Span{}}
	s.add(t)
	s.Spans = unique(s.Spans)
	return s
}

// add adds the words and spans of t.
func (s *Sentence) add(t *Tree) {
	i := len(s.Words)
	if t.Children == nil {
		s.Words, s.Tags = append(s.Words, t.Word), append(s.Tags, t.Label)
	}
	for _, c := range t.Children {
		s.add(c)
	}
	s.Spans = append(s.Spans, Span{i, len(s.Words)})
}
