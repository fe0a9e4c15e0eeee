package msa

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"example.org/pathsum/internal/tsv"
)

// formats are the readers by the end of a file's name.
var formats = map[string]func(io.Reader, string) (*Alignment, error){
	".fa": ReadFASTA, ".fasta": ReadFASTA, ".fna": ReadFASTA, ".mfa": ReadFASTA,
	".maf": ReadMAF,
	".ss":  ReadSS,
}

// ReadFile reads an alignment from the named file, by ReadFASTA (.fa, .fasta, .fna,
// .mfa), ReadMAF (.maf) or ReadSS (.ss); a further .gz means that it is packed. The
// error wraps ErrFormat for another name, and is otherwise that of the reader or of the
// file system.
func ReadFile(file string) (*Alignment, error) {
	end := strings.ToLower(filepath.Ext(strings.TrimSuffix(file, ".gz")))
	read := formats[end]
	if read == nil {
		return nil, fmt.Errorf("msa: %s: %w: want a name that ends in .fa, .fasta, .fna, .mfa, .maf or .ss, perhaps with .gz", file, ErrFormat)
	}
	r, err := tsv.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return read(r, file)
}
