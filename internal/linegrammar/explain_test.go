package linegrammar_test

import (
	"strings"
	"testing"

	"example.org/pathsum/internal/grammars"
	"example.org/pathsum/internal/linegrammar"
)

// An explanation names the alternatives of the best reading, each before its output, and its
// text is the reading.
func TestExplain(t *testing.T) {
	g := contextual(t, grammars.SpokenWritten, "at")
	x, err := linegrammar.NewExplainer(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []struct{ input, text, want string }{
		{"at two thirty", "at 02:30", "kind[word] word[long] at kind[time] time[minutes] 02:30"},
		{"at two thirty", "at two 30", "kind[word] word[long] at kind[word] word[long] two kind[cardinal] cardinal[large] 30"},
		{"the twenty first", "the 21st", "kind[word] word[long] the kind[ordinal] 21st"},
	} {
		got, err := x.Explain(line.input, line.text)
		if err != nil {
			t.Fatal(err)
		}
		if got != line.want {
			t.Errorf("%s is read as %s by\n%s, want\n%s", line.input, line.text, got, line.want)
		}
	}
	if _, err := x.Explain("two", "3"); err == nil || !strings.Contains(err.Error(), `"two" is not read as "3"`) {
		t.Errorf("an explanation of no reading: %v", err)
	}
	lines, err := grammars.Tests()
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range lines {
		if i%8 != 0 || e.Direction != grammars.SpokenWritten || len(e.Input) > 60 {
			continue
		}
		readings, err := g.Apply(e.Input, 1)
		if err != nil {
			t.Fatal(err)
		}
		why, err := x.Explain(e.Input, readings[0].Text)
		if err != nil || !strings.HasPrefix(why, linegrammar.Kind+"[") && readings[0].Text != "" {
			t.Errorf("%s: %q: %v", e.Where, why, err)
		}
	}
}
