package saved_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/pathsum/internal/memtest"
)

// everything has a field of each kind that can be stored.
type everything struct {
	Bool     bool
	Int      int
	Small    int8
	Unsigned uint32
	Float    float64
	Single   float32
	Text     string
	Floats   named
	Numbers  []number
	Bytes    []byte
	Texts    []string
	Matrix   [][]float64
	Pair     [2]int32
	Pointer  *inner
	Nothing  *inner
	Inner    []inner
	Map      map[name]inner
	NoMap    map[string]int
	Empty    map[string]int
	hidden   int
}

type (
	named  []float64
	number float64
	name   string
	inner  struct {
		A int
		B []int
	}
)

func whole() everything {
	long := make([]float64, 2000)
	for i := range long {
		long[i] = math.Sqrt(float64(i))
	}
	return everything{
		Bool: true, Int: math.MinInt, Small: -3, Unsigned: math.MaxUint32,
		Float: math.Copysign(0, -1), Single: math.SmallestNonzeroFloat32, Text: "θ\n",
		Floats: long, Numbers: []number{1, number(math.Inf(-1))}, Bytes: []byte{0, 255}, Texts: []string{"", "a"},
		Matrix: [][]float64{nil, {}, long[:1024]}, Pair: [2]int32{-1, 1},
		Pointer: &inner{7, []int{}}, Inner: []inner{{}, {1, []int{2}}},
		Map: map[name]inner{"b": {1, []int{3}}, "": {2, nil}, "a": {}}, Empty: map[string]int{},
	}
}

func sequence(of ...any) iter.Seq[any] { return slices.Values(of) }

// TestAll: several values of all kinds are restored to the last bit, and replace the previous
// contents.
func TestAll(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	a, b, c := whole(), 5, []string{"x"}
	a.hidden = 1
	if err := format.SaveAll(name, "me", sequence(&a, b, c)); err != nil {
		t.Fatal(err)
	}
	want := whole()
	want.hidden = 9
	got := everything{Nothing: new(inner), Inner: []inner{{B: []int{1}}}, hidden: 9}
	var n int
	var texts []string
	if found, err := format.LoadAll(name, "me", sequence(&got, &n, &texts)); !found || err != nil {
		t.Fatal(found, err)
	}
	if !reflect.DeepEqual(got, want) || math.Signbit(got.Float) != true || n != b || !slices.Equal(texts, c) {
		t.Errorf("%+v, %d, %q, want %+v, %d, %q", got, n, texts, want, b, c)
	}
	for says, into := range map[string][]any{
		"more than is wanted":       {&got, &n},
		"ends too soon":             {&got, &n, &texts, &n},
		"it holds int, want string": {&got, new(string)},
		"want {A int":               {new(inner)},
		"a pointer":                 {got},
		"cannot be stored":          {new(map[int]int)},
	} {
		if found, err := format.LoadAll(name, "me", sequence(into...)); err == nil || !found || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an error that says %q", found, err, says)
		}
	}
}

// endless contains itself.
type endless struct {
	Next *endless
}

func TestRefused(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	for says, v := range map[string]any{
		"contains itself":             endless{},
		"map[int]int cannot":          map[int]int{},
		"interface {} cannot":         []any{1},
		"struct {} cannot":            []struct{}{{}},
		"struct { a int } cannot":     struct{ a int }{},
		"[0]int cannot":               [0]int{},
		"there are no values":         nil,
		"func() cannot":               []func(){},
		"complex128 cannot be stored": struct{ X complex128 }{},
	} {
		if err := format.Save(name, "me", v); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%T: error %v, want one that says %q", v, err, says)
		}
		if left, _ := filepath.Glob(name + "*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	other := strings.TrimRight(string(format), "2") + "22: me\n"
	if err := os.WriteFile(name, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := format.Load(name, "me", new(int)); err == nil || !strings.Contains(err.Error(), `"pathsum test 22", of another version`) {
		t.Errorf("another version: error %v", err)
	}
}

// TestMemory: only the state itself allocates memory of its size. A claimed length allocates no
// memory before the data are read, even if the hash is right.
func TestMemory(t *testing.T) {
	const n = 1 << 20
	name := filepath.Join(t.TempDir(), "state")
	type state struct{ Theta []float64 }
	s := state{make([]float64, n)}
	memtest.Bound(t, 0, 0, func() {
		if err := format.Save(name, "me", &s); err != nil {
			t.Fatal(err)
		}
	})
	memtest.Bound(t, 8*n, 1, func() {
		if found, err := format.Load(name, "me", new(state)); !found || err != nil {
			t.Fatal(found, err)
		}
	})
	for description, into := range map[string]any{"[]float64": new([]float64), "[]string": new([]string), "[]uint8": new([]byte), "string": new(string)} {
		b := binary.LittleEndian.AppendUint64(nil, uint64(len(description)))
		b = append(b, description...)
		b = binary.LittleEndian.AppendUint64(b, 1<<40)
		sum := sha256.Sum256(b)
		text := slices.Concat([]byte(fmt.Sprintf("%s: me\n", format)), b, sum[:])
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
		memtest.Bound(t, len(text), 1, func() {
			if _, err := format.Load(name, "me", into); err == nil || !strings.Contains(err.Error(), "ends too soon") {
				t.Errorf("%s: error %v", description, err)
			}
		})
	}
}

// TestDamage: any changed bit, and any missing or additional byte, is detected.
func TestDamage(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	want := inner{1, []int{2, 3}}
	if err := format.Save(name, "me", want); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	bad := [][]byte{nil, append(slices.Clone(text), 0)}
	for i := range text {
		b := slices.Clone(text)
		b[i] ^= 4
		bad = append(bad, b, text[:i])
	}
	for _, b := range bad {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		got := inner{A: 9}
		if found, err := format.Load(name, "me", &got); found || err == nil || got.A != 9 {
			t.Fatalf("%q: %v, %v, %+v, want an error", bytes.TrimSpace(b), found, err, got)
		}
	}
}

// TestKeys: keys that are not in increasing order are an error, because one of two equal keys
// would be lost.
func TestKeys(t *testing.T) {
	file := string(write(t, map[string]int{"a": 1, "b": 2}))
	at := strings.LastIndex(file, "b")
	payload := file[len(format)+1+8:at] + "a" + file[at+1:len(file)-sha256.Size]
	hash := sha256.Sum256([]byte(payload))
	bad := file[:len(format)+1+8] + payload + string(hash[:])
	if err := format.Read(strings.NewReader(bad), new(map[string]int)); err == nil || !strings.Contains(err.Error(), "keys are not in order") {
		t.Errorf("error %v", err)
	}
}
