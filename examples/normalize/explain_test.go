package main

import (
	"strings"
	"testing"
)

// An explanation names the alternatives of the best reading, each before what it writes, and its
// text is the reading.
func TestExplain(t *testing.T) {
	g := contextual(t, spokenWritten, "at")
	x, err := newExplainer(g)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []struct{ input, text, want string }{
		{"at two thirty", "at 02:30", "kind[word] word[long] at kind[time] time[minutes] 02:30"},
		{"at two thirty", "at two 30", "kind[word] word[long] at kind[word] word[long] two kind[cardinal] cardinal[large] 30"},
		{"the twenty first", "the 21st", "kind[word] word[long] the kind[ordinal] 21st"},
	} {
		got, err := x.explain(line.input, line.text)
		if err != nil {
			t.Fatal(err)
		}
		if got != line.want {
			t.Errorf("%s is read as %s by\n%s, want\n%s", line.input, line.text, got, line.want)
		}
	}
	if _, err := x.explain("two", "3"); err == nil || !strings.Contains(err.Error(), `"two" is not read as "3"`) {
		t.Errorf("an explanation of no reading: %v", err)
	}
	for i, e := range lines(t) {
		if i%8 != 0 || e.direction != spokenWritten || len(e.input) > 60 {
			continue
		}
		readings, err := g.Apply(e.input, 1)
		if err != nil {
			t.Fatal(err)
		}
		why, err := x.explain(e.input, readings[0].text)
		if err != nil || !strings.HasPrefix(why, kindGroup+"[") && readings[0].text != "" {
			t.Errorf("%s: %q: %v", e.where, why, err)
		}
	}
}
