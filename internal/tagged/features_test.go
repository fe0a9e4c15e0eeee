package tagged_test

import (
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/internal/tagged"
	"example.org/pathsum/models/crf"
)

func TestShape(t *testing.T) {
	for word, want := range map[string]string{
		"": "", "the": "aa", "U.S.": "A.A.", "McGraw-Hill": "AaAaa-Aaa", "1,234.56": "0,00.00",
		"...": "..", "Zoë": "Aaa", "3-year-old": "0-aa-aa",
	} {
		if got := tagged.Shape(word); got != want {
			t.Errorf("shape of %q is %q, want %q", word, got, want)
		}
	}
}

// The attributes of a sentence are exactly those of each word and its neighbours.
func TestFeatures(t *testing.T) {
	data := crf.NewData()
	if err := data.Add([]string{"T", "T"}, tagged.Features([]string{"Über", "a"})); err != nil {
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
		"bias", "word=Über", "lower=über", "shape=Aaa", "prefix=ü", "prefix=üb", "prefix=übe", "prefix=über",
		"suffix=r", "suffix=er", "suffix=ber", "suffix=über", "before=<s>", "after=a",
		"word=a", "lower=a", "shape=a", "prefix=a", "suffix=a", "before=Über", "after=</s>",
	} {
		if !got["weights["+want+" T]"] {
			t.Errorf("no %s in %v", want, got)
		}
		delete(got, "weights["+want+" T]")
	}
	if len(got) > 0 {
		t.Errorf("more: %v", got)
	}
}
