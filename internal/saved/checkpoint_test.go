package saved_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/pathsum/internal/wholefile"
)

func TestLoad(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	var got []float64
	if found, err := format.Load(name, "me", &got); found || err != nil {
		t.Errorf("%v, %v without a file", found, err)
	}
	want := []float64{1, 2.5}
	if err := format.Save(name, "me", []float64{9}); err != nil {
		t.Fatal(err)
	}
	if err := format.Save(name, "me", want); err != nil { // replaces it
		t.Fatal(err)
	}
	if found, err := format.Load(name, "me", &got); !found || err != nil || len(got) != 2 || got[1] != 2.5 {
		t.Errorf("%v, %v, %v", found, err, got)
	}
	if left, _ := filepath.Glob(name + "?*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for says, content := range map[string]string{
		"does not begin": "other" + string(text),
		"damaged":        string(text) + "x",
		"belongs to":     strings.Replace(string(text), "me", "you", 1),
	} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if found, err := format.Load(name, "me", &got); found || err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, %v, want an error that says %q", found, err, says)
		}
	}
	if _, err := format.Load(t.TempDir(), "me", &got); err == nil {
		t.Error("no error for a directory")
	}
}

func TestSaveFails(t *testing.T) {
	if err := format.Save(filepath.Join(t.TempDir(), "no", "state"), "me", 1); err == nil {
		t.Error("no error for a missing directory")
	}
	if err := format.Save(filepath.Join(t.TempDir(), "state"), "me", func() {}); err == nil {
		t.Error("no error for what cannot be encoded")
	}
}

// A process that is killed while it writes leaves a partial file: the next one removes it, when
// it saves or, without further work, when it loads.
func TestKilledWhileSaving(t *testing.T) {
	name := filepath.Join(t.TempDir(), "state")
	leave := func() {
		if err := os.WriteFile(name+wholefile.Suffix, []byte("a part"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var got int
	for _, then := range []func() error{
		func() error { _, err := format.Load(name, "me", &got); return err },
		func() error { return format.Save(name, "me", 7) },
		func() error { _, err := format.Load(name, "me", &got); return err },
	} {
		leave()
		if err := then(); err != nil {
			t.Fatal(err)
		}
		if left, _ := filepath.Glob(name + "?*"); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
	if got != 7 {
		t.Errorf("the state is %d, want 7", got)
	}
}

// For a symbolic link, its target holds the state.
func TestLink(t *testing.T) {
	dir := t.TempDir()
	name, behind := filepath.Join(dir, "link"), filepath.Join(dir, "state")
	if err := os.Symlink("state", name); err != nil {
		t.Skip("no symbolic links:", err)
	}
	for want := range 2 {
		if err := format.Save(name, "me", want+1); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{name, behind} {
			var got int
			if found, err := format.Load(name, "me", &got); !found || err != nil || got != want+1 {
				t.Errorf("%s: %v, %v, %d, want %d", name, found, err, got, want+1)
			}
		}
	}
	if link, err := os.Readlink(name); link != "state" || err != nil {
		t.Errorf("the link is %q, %v", link, err)
	}
}
