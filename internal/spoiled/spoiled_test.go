package spoiled_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"example.org/pathsum/internal/spoiled"
)

// TestJSON: each text has one change, with a description, and the next starts from the
// original.
func TestJSON(t *testing.T) {
	seen := map[string]string{}
	for what, text := range spoiled.JSON([]byte(`{"a":[1,"x"],"b":true}`)) {
		if !json.Valid(text) {
			t.Errorf("%s: %s", what, text)
		}
		seen[what] = string(text)
	}
	for what, want := range map[string]string{
		".a[0] = -1":                       `{"a":[-1,"x"],"b":true}`,
		".a = []":                          `{"a":[],"b":true}`,
		".b = false":                       `{"a":[1,"x"],"b":false}`,
		" without b":                       `{"a":[1,"x"]}`,
		".a twice .a[1] = [1,\"x\",\"x\"]": `{"a":[1,"x","x"],"b":true}`,
		".a[1] = \"\"":                     `{"a":[1,""],"b":true}`,
		" = null":                          `null`,
	} {
		if seen[what] != want {
			t.Errorf("%s: %s, want %s", what, seen[what], want)
		}
	}
	for range spoiled.JSON([]byte(`[1,2]`)) {
		break
	}
}

// TestFields: every field changes, and the value is restored at the end.
func TestFields(t *testing.T) {
	type value struct {
		N    []int32
		Pair [2]struct{ X float64 }
		S    string
		B    bool
		U    uint8
	}
	v := value{N: []int32{3, 4}, S: "s", U: 7}
	v.Pair[1].X = 2
	want := v
	want.N = append([]int32(nil), v.N...)
	var all []string
	for what := range spoiled.Fields(&v) {
		if !strings.Contains(what, "NaN") && reflect.DeepEqual(v, want) && !strings.HasSuffix(what, "= 0") && !strings.HasSuffix(what, "= -0") &&
			!strings.HasSuffix(what, "= 2") && !strings.HasSuffix(what, "= 4") {
			t.Errorf("%s: nothing has changed", what)
		}
		all = append(all, what)
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("left as %v, was %v", v, want)
	}
	for _, what := range []string{".N[1] = -1", ".Pair[1].X = NaN", ".S = \"\"", ".B = true", ".U = 255", ".N = without .N[0]"} {
		found := false
		for _, w := range all {
			found = found || w == what
		}
		if !found {
			t.Errorf("no %s among %d changes", what, len(all))
		}
	}
	for range spoiled.Fields(&v) {
		break
	}
	if !reflect.DeepEqual(v, want) {
		t.Errorf("left as %v after a break, was %v", v, want)
	}
}

// TestBytes: each copy differs from the data, which are unchanged.
func TestBytes(t *testing.T) {
	data := []byte("a line of text")
	n := 0
	for what, changed := range spoiled.Bytes(data, 100, rand.New(rand.NewPCG(1, 1))) {
		if n++; string(changed) == string(data) {
			t.Errorf("%s: nothing has changed", what)
		}
	}
	if n != 100 || string(data) != "a line of text" {
		t.Errorf("%d copies, %q", n, data)
	}
}
