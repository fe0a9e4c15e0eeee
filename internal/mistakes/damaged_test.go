package mistakes

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"example.org/pathsum/em"
	"example.org/pathsum/fst"
	"example.org/pathsum/models/channel"
	"example.org/pathsum/models/ngram"
	"example.org/pathsum/models/pairgram"
)

// A damaged file of a model is called so once, however many packages read parts of it.
func TestDamagedModels(t *testing.T) {
	const arpa = "\\data\\\nngram 1=3\n\n\\1-grams:\n-1\ta}x\n-99\t<s>\n-1\t</s>\n\\end\\\n"
	words := fst.NewSymbols()
	grams, err := ngram.ReadARPA(strings.NewReader(arpa), "x", words)
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := pairgram.ReadARPA(strings.NewReader(arpa), "x", fst.NewSymbols(), fst.NewSymbols())
	if err != nil {
		t.Fatal(err)
	}
	params := em.NewParams()
	noisy := channel.New(params, constant(params, .5))
	read := func(load func(io.Reader) error) func([]byte) error {
		return func(b []byte) error { return load(bytes.NewReader(b)) }
	}
	for name, model := range map[string]struct {
		save func(io.Writer) error
		load func([]byte) error
	}{
		"ngram":    {grams.Save, read(func(r io.Reader) error { _, err := ngram.Load(r); return err })},
		"pairgram": {pairs.Save, read(func(r io.Reader) error { _, err := pairgram.Load(r); return err })},
		"channel":  {noisy.Save, read(func(r io.Reader) error { _, err := channel.Load(r); return err })},
	} {
		var b bytes.Buffer
		if err := model.save(&b); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		whole := b.Bytes()
		for i := range whole {
			flipped := bytes.Clone(whole)
			flipped[i] ^= 0x55
			for _, damaged := range [][]byte{whole[:i], flipped} {
				if err := model.load(damaged); err != nil && strings.Count(err.Error(), "bad format") > 1 {
					t.Fatalf("%s, byte %d: %v", name, i, err)
				}
			}
		}
	}
}
