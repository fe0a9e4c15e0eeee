package archtest

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// turns are phrases that make comments hard to read, and how many sentences in a hundred of a folder
// may have each. The Go library has 0 to 0.3 of most.
var turns = []struct {
	name    string
	phrase  *regexp.Regexp
	percent float64
}{
	{"a clause for a noun, “what … is”", regexp.MustCompile(`\b[Ww]hat (?:[a-z]+ ){0,3}(?:is|are|has|have|was|does|do|comes?|takes?|there is)\b`), 1},
	{"a pronoun for a noun, “that of”", regexp.MustCompile(`\b(?:that|those) of\b|\bthe ones? (?:that|which|of)\b`), 1},
	{"a thing that speaks, “says what”", regexp.MustCompile(`\b(?:is|are) told\b|\btells? (?:it|them|what|whether)\b|\bsays? (?:what|which|how|so|that|where|whether)\b`), 1},
	{"a negative subject, “nothing”", regexp.MustCompile(`\b(?:[Nn]obody|[Nn]othing|[Nn]one)\b`), 1.5},
	{"an inversion, “of which”", regexp.MustCompile(`\bof (?:which|what|whom|whose)\b`), 1.5},
}

// A sentence has at most so many words, and a line of a comment at most so many columns.
const mostWords, mostColumns = 35, 100

var sentenceEnd = regexp.MustCompile(`[.!?:;](\s|$)`)

// english holds the sentences of a folder: how many there are, and those with each turn.
type english struct {
	sentences int
	found     [][]string // per turn: file, and sentence
}

// TestEnglish: comments and pages are written in plain English. Sentences are short, and the turns
// of phrase above are rare in every folder. One sentence is allowed in a folder that has few.
func TestEnglish(t *testing.T) {
	folders := map[string]*english{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git"):
			return filepath.SkipDir
		case strings.HasSuffix(path, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			readEnglish(t, folders, path, outsideCode(string(text)))
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			readComments(t, folders, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	all := 0
	for folder, e := range folders {
		all += e.sentences
		for k, turn := range turns {
			if n := len(e.found[k]); n > 1 && float64(n) > turn.percent/100*float64(e.sentences) {
				t.Errorf("%s: %s in %d of %d sentences, want at most %v in 100:\n\t%s",
					folder, turn.name, n, e.sentences, turn.percent, strings.Join(e.found[k], "\n\t"))
			}
		}
	}
	if all < 10_000 {
		t.Errorf("%d sentences: the test sees little", all)
	}
}

// readComments reads the comments of a Go file.
func readComments(t *testing.T, folders map[string]*english, path string) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range f.Comments {
		for _, c := range group.List {
			code := strings.HasPrefix(c.Text, "//\t") || strings.HasPrefix(c.Text, "//go:")
			if n := utf8.RuneCountInString(c.Text) + set.Position(c.Pos()).Column - 1; n > mostColumns && !code {
				t.Errorf("%s: a comment of %d columns, want at most %d", set.Position(c.Pos()), n, mostColumns)
			}
		}
		readEnglish(t, folders, path, group.Text())
	}
}

// readEnglish reads the paragraphs of a text.
func readEnglish(t *testing.T, folders map[string]*english, path, text string) {
	e := folders[filepath.Dir(path)]
	if e == nil {
		e = &english{found: make([][]string, len(turns))}
		folders[filepath.Dir(path)] = e
	}
	for _, paragraph := range paragraphs(text) {
		for _, s := range sentenceEnd.Split(paragraph, -1) {
			words := len(strings.Fields(s))
			if words == 0 {
				continue
			}
			if words > mostWords {
				t.Errorf("%s: a sentence of %d words, want at most %d: %s", path, words, mostWords, s)
			}
			e.sentences++
			for k, turn := range turns {
				if turn.phrase.MatchString(s) {
					e.found[k] = append(e.found[k], filepath.Base(path)+": "+strings.TrimSpace(s))
				}
			}
		}
	}
}

// outsideCode returns the text of a page without code and tables, and without the marks of lists.
func outsideCode(page string) string {
	var lines []string
	code := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			line = ""
		}
		if code || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "<") {
			line = ""
		}
		lines = append(lines, strings.TrimPrefix(line, "- "))
	}
	return strings.Join(lines, "\n")
}

// paragraphs returns the running text of a comment or page, without headings, lists and code.
func paragraphs(text string) []string {
	var all []string
	open := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == "" || strings.ContainsAny(line[:1], " \t#"):
			open = false
		case open:
			all[len(all)-1] += " " + line
		default:
			all, open = append(all, line), true
		}
	}
	return all
}
