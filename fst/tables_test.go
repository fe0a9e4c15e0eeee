package fst

import (
	"hash/maphash"
	"testing"
)

// Strings of the same hash have numbers of their own.
func TestByteTableClash(t *testing.T) {
	x := newByteTable()
	a, _ := x.number([]byte("a"))
	x.hashes.Number(maphash.Bytes(x.seed, []byte("b")))
	x.first = append(x.first, a) // as if a had b's hash
	for want := int32(1); want < 3; want++ {
		for _, isNew := range []bool{true, false} {
			key := []byte{'a' + byte(want)}
			if n, fresh := x.number(key); n != want || fresh != isNew {
				t.Errorf("%s has number %d, %v, want %d, %v", key, n, fresh, want, isNew)
			}
		}
	}
	if n, fresh := x.number([]byte("a")); n != a || fresh {
		t.Errorf("a has number %d, %v", n, fresh)
	}
}
