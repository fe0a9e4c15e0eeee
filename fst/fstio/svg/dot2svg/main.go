// Dot2svg draws graphs: it writes a picture FILE.svg for every argument FILE.dot, and for every
// such file below a folder argument. Without arguments it reads standard input and writes standard
// output.
//
//	go run ./dot2svg [-check] [FILE.dot or FOLDER …]
//
// With -check it only checks: it fails if a picture differs from the drawing of its source, or if
// no Markdown page in its folder, or in a folder above, shows it.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strings"

	"example.org/pathsum/fst/fstio/svg"
)

func main() {
	check := flag.Bool("check", false, "write nothing, and fail if a picture is out of date or on no page")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *check, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "dot2svg:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, check bool, paths []string) error {
	if len(paths) == 0 {
		source, err := io.ReadAll(os.Stdin)
		if err != nil {
			return err
		}
		return svg.Draw(ctx, os.Stdout, source)
	}
	files, err := sources(paths)
	if err != nil {
		return err
	}
	var faults []error
	for _, file := range files {
		picture, err := draw(ctx, file)
		switch {
		case err != nil:
			faults = append(faults, err)
		case check:
			faults = append(faults, upToDate(file, picture), shown(file))
		default:
			faults = append(faults, os.WriteFile(target(file), picture, 0o644))
		}
	}
	return errors.Join(faults...)
}

// sources returns the files among paths, and those ending in .dot in folders and below.
func sources(paths []string) ([]string, error) {
	var files []string
	for _, path := range paths {
		err := filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata"):
				return fs.SkipDir
			case !d.IsDir() && (file == path || strings.HasSuffix(file, ".dot")):
				files = append(files, file)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return files, nil
}

// target returns the name of the picture of a source.
func target(file string) string { return strings.TrimSuffix(file, ".dot") + ".svg" }

func draw(ctx context.Context, file string) ([]byte, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := svg.Draw(ctx, &b, source); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return b.Bytes(), nil
}

// upToDate returns an error if the picture of a source is out of date.
func upToDate(file string, picture []byte) error {
	got, err := os.ReadFile(target(file))
	if err == nil && !bytes.Equal(got, picture) {
		err = fmt.Errorf("%s is out of date with %s: draw it again", target(file), filepath.Base(file))
	}
	return err
}

// shown returns an error unless a page shows the picture of a source.
func shown(file string) error {
	absolute, err := filepath.Abs(target(file))
	if err != nil {
		return err
	}
	for folder := filepath.Dir(absolute); ; folder = filepath.Dir(folder) {
		pages, err := filepath.Glob(filepath.Join(folder, "*.md"))
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, absolute)
		if err != nil {
			return err
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				return err
			}
			if bytes.Contains(text, []byte("("+filepath.ToSlash(name)+")")) {
				return nil
			}
		}
		if folder == filepath.Dir(folder) {
			return fmt.Errorf("no page shows %s", target(file))
		}
	}
}
