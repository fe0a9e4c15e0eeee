package msa

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"example.org/pathsum/internal/nested"
	"example.org/pathsum/internal/text"
	"example.org/pathsum/semiring"
)

// formats are the readers by file name extension.
var formats = map[string]func(Options, io.Reader, string) (*Alignment, error){
	".fa": Options.ReadFASTA, ".fasta": Options.ReadFASTA, ".fna": Options.ReadFASTA, ".mfa": Options.ReadFASTA,
	".maf": Options.ReadMAF,
	".ss":  Options.ReadSS,
}

// ReadFile reads an alignment from the named file, by ReadFASTA (.fa, .fasta, .fna, .mfa), ReadMAF
// (.maf) or ReadSS (.ss); a further .gz means that it is compressed. The error wraps ErrFormat for
// another name, and otherwise comes from the reader or the file system.
func ReadFile(file string) (*Alignment, error) { return Options{}.ReadFile(file) }

// ReadFile is ReadFile with the rules of o.
func (o Options) ReadFile(file string) (*Alignment, error) {
	end := strings.ToLower(filepath.Ext(strings.TrimSuffix(file, ".gz")))
	read := formats[end]
	if read == nil {
		return nil, nested.Errorf("msa: %s: %w: want a name that ends in .fa, .fasta, .fna, .mfa, .maf or .ss, perhaps with .gz", file, ErrFormat)
	}
	r, err := text.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return read(o, r, file)
}

// ErrFormat is wrapped by the error for text with invalid format.
var ErrFormat = nested.ErrFormat

// maxCells is the greatest number of cells of an alignment that is read, a byte each.
const maxCells = 1 << 30

// cellsPerByte bounds the memory for a short text with many cells: species with few blocks each, or
// columns that occur often. An alignment has at most 2²⁰ cells plus this number per byte of its
// text.
const cellsPerByte = 64

// checkCells returns an error for an alignment that is too large, or too large for the
// bytes of its text.
func checkCells(rows, columns, bytes int) error {
	switch cells := int64(rows) * int64(columns); {
	case cells > maxCells:
		return fmt.Errorf("%w: %d rows of %d columns, more than %d cells", semiring.ErrLimit, rows, columns, maxCells)
	case cells > 1<<20+cellsPerByte*int64(bytes):
		return fmt.Errorf("%w: %d rows of %d columns from %d bytes, more than %d cells for each", semiring.ErrLimit, rows, columns, bytes, cellsPerByte)
	}
	return nil
}

// Error is an error about a line of a file.
type Error = text.Error

// readLines passes each line of a file to line, and then calls end. The error of either is an Error
// at the line, or at the last line.
func readLines(r io.Reader, file string, line func(line string) error, end func() error) error {
	n := 1
	for l, err := range text.Lines(r, file) {
		if err == nil {
			err = l.Err
		}
		if err != nil {
			return err
		}
		n = l.Number
		if err := line(l.Text); err != nil {
			return &Error{File: file, Line: n, Err: err}
		}
	}
	if err := end(); err != nil {
		return &Error{File: file, Line: n, Err: err}
	}
	return nil
}

// beginnings are the beginnings of files of other formats.
var beginnings = []struct{ begin, name string }{
	{"#nexus", "NEXUS"}, {"##maf", "MAF"}, {"clustal", "Clustal"}, {"muscle", "Clustal"}, {"# stockholm", "Stockholm"},
	{">", "FASTA"}, {"nseqs", "sufficient statistics of PHAST"}, {"<", "XML"}, {"lav", "LAV"},
}

// formatOf returns the name of the format of a file with this first line, "" if it is unknown.
func formatOf(line string) string {
	for _, f := range beginnings {
		if len(line) >= len(f.begin) && strings.EqualFold(line[:len(f.begin)], f.begin) {
			return f.name
		}
	}
	if fields := strings.Fields(line); len(fields) == 2 && isNumber(fields[0]) && isNumber(fields[1]) {
		return "PHYLIP"
	}
	return ""
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789") == "" }
