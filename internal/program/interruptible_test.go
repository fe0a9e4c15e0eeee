package program

import (
	"context"
	"errors"
	"testing"
	"time"
)

// An interrupt is answered at once while something takes long.
func TestInterruptible(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	release := make(chan struct{})
	defer close(release)
	time.AfterFunc(10*time.Millisecond, cancel)
	_, err := Interruptible(ctx, func() (int, error) {
		<-release
		return 1, nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if n, err := Interruptible(t.Context(), func() (int, error) { return 1, nil }); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
