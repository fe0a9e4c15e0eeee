package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"example.org/pathsum/internal/program"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/models/grammar"
	"example.org/pathsum/models/grammar/treebank"
)

// apply parses the sentences of -apply.
func (e *experiment) apply(ctx context.Context, r *program.Run, m *grammar.Model) error {
	o, err := newOpen(m)
	if err != nil {
		return err
	}
	return r.Stream(ctx, program.Stream{
		Bare: true,
		Answer: func(_ context.Context, line string) ([]string, error) {
			words, tags, err := tokens(line)
			if err != nil || len(words) == 0 {
				return nil, err
			}
			found, total, err := o.best(tags, *e.best)
			if err != nil {
				return nil, err
			}
			var answers []string
			for _, x := range found {
				answers = append(answers, bracketed(words, tags, x.Spans).String())
				if x.Heads != nil {
					answers = append(answers, numbers(x.Heads))
				}
				if *e.best > 1 {
					given := 0.0 // not above, and of the only tree exactly
					if x.LogProb < total {
						given = x.LogProb - total
					}
					answers = append(answers, fmt.Sprintf("%.4g", given))
				}
			}
			return answers, errors.Join(o.check(tags)...)
		},
	})
}

// tokens returns the words and tags of a line: of word_TAG what is before the last _ and
// behind it, of anything else the whole as both.
func tokens(line string) (words, tags []string, err error) {
	for i, token := range strings.Fields(line) {
		word, tag := token, token
		if k := strings.LastIndexByte(token, '_'); k > 0 {
			word, tag = token[:k], token[k+1:]
		}
		if tag == "" {
			return nil, nil, fmt.Errorf("token %d is %s, want a tag behind _", i+1, text.Quote(token))
		}
		words, tags = append(words, word), append(tags, tag)
	}
	return words, tags, nil
}

// escaped writes brackets as the Penn treebank does.
var escaped = strings.NewReplacer("(", "-LRB-", ")", "-RRB-")

// bracketed returns the tree of spans, sorted, over words with their tags. A word alone
// has a tree, too.
func bracketed(words, tags []string, spans []treebank.Span) *treebank.Tree {
	top := &treebank.Tree{Label: phrase}
	type span struct {
		*treebank.Tree
		end int
	}
	stack := []span{{top, len(words)}} // of spans that have not ended
	if len(spans) > 0 && spans[0] == (treebank.Span{I: 0, J: len(words)}) {
		spans = spans[1:] // top
	}
	add := func(t *treebank.Tree) {
		in := stack[len(stack)-1]
		in.Children = append(in.Children, t)
	}
	for i, w := range words {
		for stack[len(stack)-1].end <= i {
			stack = stack[:len(stack)-1]
		}
		for ; len(spans) > 0 && spans[0].I == i; spans = spans[1:] {
			t := &treebank.Tree{Label: phrase}
			add(t)
			stack = append(stack, span{t, spans[0].J})
		}
		add(&treebank.Tree{Label: escaped.Replace(tags[i]), Word: escaped.Replace(w)})
	}
	return top
}

// phrase is the label of all constituents: what they are is not known.
const phrase = "X"

// numbers returns the numbers of heads, from 1, and 0 for the root.
func numbers(heads []int) string {
	list := make([]string, len(heads))
	for i, h := range heads {
		list[i] = strconv.Itoa(h + 1)
	}
	return strings.Join(list, " ")
}
