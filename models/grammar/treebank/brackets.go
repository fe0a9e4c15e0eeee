package treebank

import (
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode"

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

// Trees returns the trees of r, in bracket notation with labels:
//
//	(S (NP (DT the) (NN tree)) (VP (VBZ stands)))
//
// A tree may extend over several lines, and a line may contain several trees; labels are optional.
// A symbol before a tree is its ID. A node is a leaf with a tag and a word, or has children. file
// is the name in errors. The first error ends the sequence. It is an *Error with line and column,
// and wraps ErrFormat, semiring.ErrLimit or the error of r. Invalid UTF-8 and symbols of more than
// 4 KiB are format errors.
func Trees(r io.Reader, file string) iter.Seq2[*Tree, error] {
	return func(yield func(*Tree, error) bool) {
		b := &bracketReader{text.NewCursor(r, file)}
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
		Trees(r, text.Name(file))(yield)
	}
}

// bracketReader reads trees.
type bracketReader struct{ *text.Cursor }

// token returns the next bracket or symbol, and its position. The error is io.EOF at the end.
func (b *bracketReader) token() (token string, at text.Position, err error) {
	b.Skip(unicode.IsSpace)
	at = b.At()
	switch r := b.Peek(); r {
	case '(', ')':
		return string(b.Next()), at, nil
	case text.End:
		err = io.EOF
	default:
		token = b.Word(maxSymbol, func(r rune) bool { return r == '(' || r == ')' || unicode.IsSpace(r) })
	}
	if failed := b.Err(); failed != nil {
		err = failed
	}
	return token, at, err
}

// node is a node whose bracket is open.
type node struct {
	*Tree
	at      text.Position
	symbols int // number of symbols read
}

// tree returns the next tree, or io.EOF at the end.
func (b *bracketReader) tree() (*Tree, error) {
	var stack []node
	id, named, nodes := "", text.Position{}, 0
	for {
		token, at, err := b.token()
		switch {
		case err == io.EOF && len(stack) > 0:
			first := stack[0]
			return nil, b.Errorf(first.at, "%d of the brackets that open here are not closed", len(stack))
		case err == io.EOF && id != "":
			return nil, b.Errorf(named, "no tree after %q", id)
		case err != nil:
			return nil, err
		}
		switch token {
		case "(":
			if nodes++; nodes > maxNodes || len(stack) == maxDepth {
				return nil, b.Error(at, fmt.Errorf("%w: more than %d nodes or %d open brackets", semiring.ErrLimit, maxNodes, maxDepth))
			}
			if n := len(stack); n > 0 && stack[n-1].symbols == 2 {
				return nil, b.Errorf(at, "a node below the word %q", stack[n-1].Word)
			}
			stack = append(stack, node{new(Tree), at, 0})
		case ")":
			n := len(stack)
			if n == 0 {
				return nil, b.Errorf(at, "no bracket is open")
			}
			done := stack[n-1]
			if done.symbols < 2 && done.Children == nil {
				return nil, b.Errorf(done.at, "a node without children")
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
				id, named = token, at
				continue
			}
			if n == 0 || stack[n-1].symbols == 2 || stack[n-1].Children != nil {
				return nil, b.Errorf(at, "%q is in no place for a label or a word", token)
			}
			top := &stack[n-1]
			if top.symbols == 0 {
				top.Label = token
			} else {
				top.Word = token
			}
			top.symbols++
		}
	}
}

// Tree is a node of a tree with its descendants.
type Tree struct {
	// ID is the name of the whole tree, if the file gives it one.
	ID    string
	Label string
	// Word is the word of a leaf, whose tag is Label; other nodes have Children.
	Word     string
	Children []*Tree
}

// String returns the tree in the format of Trees, without the ID. Labels and words must not contain
// spaces or brackets, and words must not be empty; trees returned by Trees satisfy this.
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

// Sentence returns the words of the tree with their tags, and its spans without their labels; Heads
// is nil.
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

// escaped replaces brackets as in the Penn Treebank.
var escaped = strings.NewReplacer("(", "-LRB-", ")", "-RRB-")

// Tree returns the tree of the spans, whose nodes have the label, over the words with their tags.
// The whole sentence always has a node, even if it is not among the spans or is a single word.
// Brackets in words and tags become -LRB- and -RRB-. Apart from this, Tree.Sentence of the tree has
// the same words, tags and spans. The error wraps ErrInvalid for a sentence without words, with
// different numbers of words and tags, or with spans that CheckSpans rejects. O(n log n) for n
// words.
func (s *Sentence) Tree(label string) (*Tree, error) {
	n := len(s.Words)
	if n == 0 || n != len(s.Tags) {
		return nil, nested.Errorf("treebank: %w: a tree of %d words and %d tags", ErrInvalid, n, len(s.Tags))
	}
	if err := CheckSpans(n, s.Spans); err != nil {
		return nil, nested.Errorf("treebank: %w", err)
	}
	spans := unique(s.Spans)
	if len(spans) > 0 && spans[0] == (Span{0, n}) {
		spans = spans[1:]
	}
	type constituent struct {
		*Tree
		end int
	}
	top := &Tree{ID: s.ID, Label: label}
	open := []constituent{{top, n}} // open spans
	add := func(t *Tree) {
		in := open[len(open)-1]
		in.Children = append(in.Children, t)
	}
	for i, w := range s.Words {
		for open[len(open)-1].end <= i {
			open = open[:len(open)-1]
		}
		for ; len(spans) > 0 && spans[0].I == i; spans = spans[1:] {
			t := &Tree{Label: label}
			add(t)
			open = append(open, constituent{t, spans[0].J})
		}
		add(&Tree{Label: escaped.Replace(s.Tags[i]), Word: escaped.Replace(w)})
	}
	return top, nil
}
