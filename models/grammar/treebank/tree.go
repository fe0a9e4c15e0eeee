package treebank

import "strings"

// Tree is a node of a tree, with what is below it.
type Tree struct {
	// ID is the name of the whole tree, if the file gives it one.
	ID    string
	Label string
	// Word is that of a leaf, of which Label is the tag; other nodes have Children.
	Word     string
	Children []*Tree
}

// String returns the tree as Trees reads it, without the ID.
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
