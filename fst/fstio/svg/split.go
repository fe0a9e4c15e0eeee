package svg

import (
	"fmt"
	"strings"
)

// graph is the text of a graph: head up to and including its first brace, and body, the rest.
type graph struct{ head, body string }

// split separates the graphs of a source. It examines only braces outside quotes, HTML texts and
// comments; Graphviz parses the rest.
func split(source []byte) ([]graph, error) {
	var graphs []graph
	text := string(source)
	depth, begin, head := 0, 0, 0
	for i := 0; i < len(text); {
		switch rest := text[i:]; {
		case rest[0] == '{':
			if depth++; depth == 1 {
				head = i + 1
			}
		case rest[0] == '}':
			if depth--; depth < 0 {
				return nil, fmt.Errorf("%w: line %d closes a brace that is not open", ErrFormat, line(text, i))
			}
			if depth == 0 {
				graphs = append(graphs, graph{text[begin:head], text[head : i+1]})
				begin = i + 1
			}
		default:
			n := skip(rest)
			if n < 0 {
				return nil, fmt.Errorf("%w: the block that begins in line %d has no end", ErrFormat, line(text, i))
			}
			i += n
			continue
		}
		i++
	}
	switch {
	case depth > 0:
		return nil, fmt.Errorf("%w: %d braces are open at the end", ErrFormat, depth)
	case strings.TrimSpace(text[begin:]) != "" && len(graphs) > 0 && !comment(text[begin:]):
		return nil, fmt.Errorf("%w: line %d is outside of all blocks", ErrFormat, line(text, begin+1))
	case len(graphs) == 0:
		return nil, fmt.Errorf("%w: an opening brace is missing", ErrFormat)
	}
	return graphs, nil
}

// skip returns the length of the first element of a text: a quoted text, a text in HTML, a comment,
// or else a byte. It returns −1 if the element does not end.
func skip(text string) int {
	after := func(end string, from int) int {
		if n := strings.Index(text[from:], end); n >= 0 {
			return from + n + len(end)
		}
		return -1
	}
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, "\n#"):
		if n := after("\n", 1); n >= 0 {
			return n - 1
		}
		return len(text)
	case strings.HasPrefix(text, "/*"):
		return after("*/", 2)
	case text[0] == '"':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return -1
	case text[0] == '<':
		depth := 0
		for i := range len(text) {
			switch text[i] {
			case '<':
				depth++
			case '>':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
		return -1
	}
	return 1
}

// comment reports whether a text contains only comments and blanks.
func comment(text string) bool {
	for text != "" {
		n := skip(text)
		if n < 0 || n == 1 && strings.TrimSpace(text[:1]) != "" {
			return false
		}
		text = text[n:]
	}
	return true
}

// line returns the number of the line at an offset.
func line(text string, offset int) int {
	return 1 + strings.Count(text[:min(offset, len(text))], "\n")
}
