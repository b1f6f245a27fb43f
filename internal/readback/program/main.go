// Program reads a Parquet file from standard input and writes what is in it to standard output, as package readback reads
// it. It is a module of its own so that who requires goprofinstr does not require what it imports.
package main

import (
	"bytes"
	"encoding/gob"
	"flag"
	"io"
	"log"
	"os"

	"github.com/parquet-go/parquet-go"
)

// file, column and row are as in package readback.
type file struct {
	RowGroups int
	NumRows   int64
	Columns   []column
	Rows      []row
}

type column struct {
	Name        string
	Least, Most []byte
}

type row struct {
	Values map[string]any
	Null   []string
}

func main() {
	log.SetFlags(0)
	rows := flag.Bool("rows", true, "read the rows, too")
	flag.Parse()
	data, err := io.ReadAll(os.Stdin)
	if err != nil {
		log.Fatal(err)
	}
	f, err := read(data, *rows)
	if err != nil {
		log.Fatal(err)
	}
	gob.Register(map[string]any{})
	gob.Register([]any{})
	if err := gob.NewEncoder(os.Stdout).Encode(f); err != nil {
		log.Fatal(err)
	}
}

func read(data []byte, rows bool) (*file, error) {
	opened, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	f := &file{RowGroups: len(opened.RowGroups()), NumRows: opened.NumRows()}
	if groups := opened.Metadata().RowGroups; len(groups) > 0 {
		for _, c := range groups[0].Columns {
			s := c.MetaData.Statistics
			f.Columns = append(f.Columns, column{c.MetaData.PathInSchema[0], s.MinValue, s.MaxValue})
		}
	}
	if !rows {
		return f, nil
	}
	all, err := parquet.Read[any](bytes.NewReader(data), int64(len(data)))
	for _, values := range all {
		r := row{Values: values.(map[string]any)}
		for name, value := range r.Values {
			if value == nil { // which gob does not take
				delete(r.Values, name)
				r.Null = append(r.Null, name)
			}
		}
		f.Rows = append(f.Rows, r)
	}
	return f, err
}
