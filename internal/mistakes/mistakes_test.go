package mistakes

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"example.org/pathsum/internal/nested"
)

var errCoin = errors.New("a fault")

// TestMessagesAreRead: mistakes that are accepted, or return another error, are found.
func TestMessagesAreRead(t *testing.T) {
	text, err := messages(List{
		{"taken", errCoin, func() error { return nil }},
		{"another error", nested.ErrInvalid, func() error { return errCoin }},
		{"a panic", errCoin, func() error { panic(errCoin) }},
		{"no panic", nil, func() error { return errCoin }},
		{"a panic that names nothing", nil, func() error { panic("nil pointer") }},
		{"no name", errCoin, func() error { return fmt.Errorf("row 1: %w", errCoin) }},
		{"a path", errCoin, func() error { return fmt.Errorf("coins: example.org/coins: %w", errCoin) }},
		{"twice", errCoin, func() error { return fmt.Errorf("coins: row 1: row 1: %w", errCoin) }},
		{"refused in a line", errCoin, func() error { return fmt.Errorf("line 7: %w", errCoin) }},
		{"refused", errCoin, func() error { return fmt.Errorf("coins: %w", errCoin) }},
		{"nil", nil, func() error { panic("coins: Fit: nil context") }},
		{"nil", nil, func() error { panic("coins: Fit: nil data") }},
	})
	if n := len(strings.Split(err.Error(), "\n")); n != 9 || strings.Contains(err.Error(), "refused") {
		t.Errorf("%d errors: %v", n, err)
	}
	if !strings.Contains(text, "\n### refused → error\n\n> coins: a fault\n") || !strings.Contains(text, "\n### nil → panic\n\n> coins: Fit: nil context\n") {
		t.Error(text)
	}
}
