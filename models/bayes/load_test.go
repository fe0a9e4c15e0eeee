package bayes_test

import (
	"bytes"
	"strings"
	"testing"

	"example.org/pathsum/internal/graphtest"
	"example.org/pathsum/internal/memtest"
	"example.org/pathsum/models/bayes"
)

// loadPerByte bounds what Load allocates for a byte of text: a family of nothing but its
// brackets has six slices.
const loadPerByte = 800

func TestLoadMemory(t *testing.T) {
	for _, list := range []string{"variables", "families"} {
		for _, element := range []string{"0", "{}", "[]", "null", `{"name":""}`, `{"children":[0],"table":[1]}`, `{"normals":[{}]}`, `{"states":["a"]}`} {
			elements := strings.TrimSuffix(strings.Repeat(element+",", 1<<17/len(element)), ",")
			text := `{"format":"pathsum bayes 1","` + list + `":[` + elements + `]}`
			memtest.Bound(t, len(text), loadPerByte, func() {
				if _, err := bayes.Load(strings.NewReader(text)); err == nil {
					t.Errorf("%s of %s: no error", list, element)
				}
			})
		}
	}
}

// FuzzLoad: what is loaded can be saved and used.
func FuzzLoad(f *testing.F) {
	for seed := range uint64(6) {
		var b bytes.Buffer
		if err := random(graphtest.Rand(seed), seed%2 == 0).Save(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var n *bayes.Network
		var err error
		memtest.Bound(t, len(text), loadPerByte, func() { n, err = bayes.Load(bytes.NewReader(text)) })
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := n.Save(&b); err != nil {
			t.Fatal(err)
		}
		m, err := bayes.Load(&b)
		if err != nil {
			t.Fatal(err)
		}
		same(t, n, m)
	})
}
