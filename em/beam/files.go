package beam

import (
	"bytes"
	"context"
	"encoding/gob"
	"fmt"
	"math/rand/v2"
	"path"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	// Paths without a scheme are local files.
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"

	"example.org/pathsum/internal/nested"
)

// join returns the name of a file in a folder. The folder may have a scheme.
func join(dir string, names ...string) string {
	return strings.TrimRight(dir, "/") + "/" + path.Join(names...)
}

// unique returns a unique part of a file name.
func unique() string { return fmt.Sprintf("%016x", rand.Uint64()) }

// readFile returns the content of a file.
func readFile(ctx context.Context, name string) ([]byte, error) {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nil, nested.Errorf("beam: %w", err)
	}
	defer fs.Close()
	content, err := filesystem.Read(ctx, fs, name)
	if err != nil {
		return nil, nested.Errorf("beam: read %s: %w", name, err)
	}
	return content, nil
}

// writeFile writes a file atomically if the filesystem can rename: under another name first.
// The same content may be written twice at the same time.
func writeFile(ctx context.Context, name string, content []byte) error {
	fs, err := filesystem.New(ctx, name)
	if err != nil {
		return nested.Errorf("beam: %w", err)
	}
	defer fs.Close()
	at := name
	renamer, ok := fs.(filesystem.Renamer)
	if ok {
		at = name + "." + unique()
	}
	if err := filesystem.Write(ctx, fs, at, content); err != nil {
		return nested.Errorf("beam: write %s: %w", name, err)
	}
	if ok {
		if err := renamer.Rename(ctx, at, name); err != nil {
			return nested.Errorf("beam: write %s: %w", name, err)
		}
	}
	return nil
}

// removeFiles removes the files that match a pattern, as far as possible. It ignores errors.
func removeFiles(ctx context.Context, pattern string) {
	fs, err := filesystem.New(ctx, pattern)
	if err != nil {
		return
	}
	defer fs.Close()
	remover, ok := fs.(filesystem.Remover)
	if !ok {
		return
	}
	names, _ := fs.List(ctx, pattern)
	for _, name := range names {
		_ = remover.Remove(ctx, name)
	}
}

// readGob fills v from a file that writeGob wrote.
func readGob(ctx context.Context, file string, v any) error {
	b, err := readFile(ctx, file)
	if err != nil {
		return err
	}
	if err := fromGob(b, v); err != nil {
		return fmt.Errorf("%w in %s", err, file)
	}
	return nil
}

func writeGob(ctx context.Context, file string, v any) error {
	b, err := toGob(v)
	if err != nil {
		return err
	}
	return writeFile(ctx, file, b)
}

func toGob(v any) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, nested.Errorf("beam: %w", err)
	}
	return b.Bytes(), nil
}

func fromGob(b []byte, v any) error {
	if err := gob.NewDecoder(bytes.NewReader(b)).Decode(v); err != nil {
		return nested.Errorf("beam: %w", err)
	}
	return nil
}
