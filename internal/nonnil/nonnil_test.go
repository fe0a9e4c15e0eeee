package nonnil_test

import (
	"context"
	"testing"

	"example.org/pathsum/internal/nonnil"
)

func TestCheck(t *testing.T) {
	var p *int
	var ctx context.Context
	for _, x := range []any{nil, p, ctx, map[int]int(nil), (func())(nil)} {
		func() {
			defer func() {
				if got := recover(); got != "pkg: F: nil law" {
					t.Errorf("%T: %v", x, got)
				}
			}()
			nonnil.Check("pkg: F", "number", 0, "law", x)
		}()
	}
	nonnil.Check("pkg: F", "number", 0, "law", new(int), "list", []int(nil), "context", context.Background())
}
