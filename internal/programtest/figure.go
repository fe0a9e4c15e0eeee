package programtest

import (
	"bytes"
	"os"
	"testing"
)

// Figure checks that a file is an SVG picture that shows the texts.
func Figure(t testing.TB, name string, texts ...string) {
	t.Helper()
	picture, err := os.ReadFile(name)
	if err != nil || !bytes.Contains(picture, []byte("<svg")) {
		t.Errorf("%s is not a figure: %v", name, err)
	}
	for _, text := range texts {
		if !bytes.Contains(picture, []byte(">"+text)) {
			t.Errorf("%s does not show %q", name, text)
		}
	}
}
