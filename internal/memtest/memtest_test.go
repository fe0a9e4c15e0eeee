package memtest_test

import (
	"fmt"
	"testing"

	"example.org/pathsum/internal/memtest"
)

var kept []byte

// recorder records the reported errors.
type recorder struct {
	testing.TB
	errors []string
}

func (r *recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func TestBound(t *testing.T) {
	var r recorder
	memtest.Bound(&r, 1000, 10, func() { kept = make([]byte, 9000) })
	if len(r.errors) > 0 {
		t.Error(r.errors)
	}
	memtest.Bound(&r, 1000, 10, func() {
		for range 100 {
			kept = make([]byte, 9000)
		}
	})
	if len(r.errors) != 1 {
		t.Error(r.errors)
	}
}
