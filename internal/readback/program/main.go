// Program reads Parquet files from standard input and writes what is in them to standard output, one after the other, as
// package readback sends and reads them. It is a module of its own so that who requires goprofinstr does not require what
// it imports.
package main

import (
	"bytes"
	"encoding/gob"
	"errors"
	"io"
	"log"
	"os"

	"github.com/parquet-go/parquet-go"
)

// request, file, column and row are as in package readback.
type request struct {
	Data []byte
	Rows bool
}

type file struct {
	RowGroups int
	NumRows   int64
	Columns   []column
	Rows      []row
	Error     string
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
	gob.Register(map[string]any{})
	gob.Register([]any{})
	from, to := gob.NewDecoder(os.Stdin), gob.NewEncoder(os.Stdout)
	for {
		var r request
		if err := from.Decode(&r); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		f, err := read(r.Data, r.Rows)
		if err != nil {
			f = &file{Error: err.Error()}
		}
		if err := to.Encode(f); err != nil {
			log.Fatal(err)
		}
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
