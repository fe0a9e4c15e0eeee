package tagged

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/models/crf"
)

// TestDictionary: frequent words have their frequent tags, in order, and others a class by
// their spelling.
func TestDictionary(t *testing.T) {
	s := Sentence{}
	see := func(word, tag string, n int) {
		for range n {
			s.Words, s.Tags = append(s.Words, word), append(s.Tags, tag)
		}
	}
	see("set", "V", 3)
	see("set", "N", 3)
	see("set", "A", 40)
	see("set", "X", 2) // too seldom
	see("rare", "A", leastInDictionary-1)
	see("all", "D", 5)
	see("all", "E", 4)
	see("all", "F", 3)
	see("all", "G", 2) // one too many
	d := NewDictionary([]Sentence{s})
	if len(d) != 2 || d["set"] != "A|N|V" || d["all"] != "D|E|F" {
		t.Errorf("%q", d)
	}
	for word, want := range map[string]string{"set": "A|N|V", "rare": "\taa\tre", "Ö": "\tA\tö", "7-Up": "\t0-Aa\tup"} {
		if got := d.class(word); got != want {
			t.Errorf("class of %s is %q, want %q", word, got, want)
		}
	}
}

// TestDictionaryFeatures: classes of neighbours are features, and the ends of a sentence have
// their own class.
func TestDictionaryFeatures(t *testing.T) {
	d := Dictionary{"a": "D"}
	data := crf.NewData()
	if err := data.Add([]string{"T", "T"}, d.Features([]string{"a", "sparrow"})); err != nil {
		t.Fatal(err)
	}
	m, err := crf.New(crf.Node, data, em.LogLinearOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]bool{}
	for i := range m.Params.Len() {
		got[m.Params.Name(int32(i))] = true
	}
	for _, want := range []string{
		"ending=a", "ending=arrow", "classes before=<s> D", "classes after=D \taa\tow",
		"classes before=D \taa\tow", "classes after=\taa\tow </s>", "word=sparrow",
	} {
		if !got["weights["+want+" T]"] {
			t.Errorf("no %q in %v", want, got)
		}
	}
}
