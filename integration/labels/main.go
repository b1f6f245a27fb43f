// Labels builds a program whose sources have labels (package rewrite/label), and holds it against the plain one.
//
//	go run ./integration/labels [flags] -o FILE go test -c PACKAGE
//	go run ./integration/labels [flags] -o FILE go build PACKAGE
//
// Nothing is counted in the program: it has the user's code only. After linking the names of files are restored, unless -keep
// says otherwise. With -compare the plain program is built, too, as FILE.plain, and the opcodes of all functions are compared.
//
// Flags:
//
//	-C DIR          run in DIR
//	-pkg PATTERNS   packages that get labels, separated by commas (default those of the main module)
//	-o FILE         where the program goes
//	-table FILE     where the table of labels goes: what each label is, as JSON
//	-keep           leave the labels in the names of files
//	-compare        compare opcodes with those of the plain program, and list the functions that differ
//	-v              list what differs in each
package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/rewrite/patch"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "labels: %v\n", err)
		os.Exit(2)
	}
}

func run(args []string) error {
	var b build
	fs := flag.NewFlagSet("labels", flag.ContinueOnError)
	fs.StringVar(&b.dir, "C", "", "run in `DIR`")
	patterns := fs.String("pkg", "", "`PATTERNS` of packages that get labels")
	fs.StringVar(&b.out, "o", "", "where the program goes, a `FILE`")
	table := fs.String("table", "", "where the table of labels goes, a `FILE`")
	keep := fs.Bool("keep", false, "leave the labels in the names of files")
	compares := fs.Bool("compare", false, "compare opcodes with those of the plain program")
	verbose := fs.Bool("v", false, "list what differs")
	if err := fs.Parse(args); err != nil {
		return err
	}
	if b.args = fs.Args(); len(b.args) < 3 || b.args[0] != "go" || b.out == "" {
		return errors.New("want -o FILE go test -c PACKAGE, or go build PACKAGE")
	}
	if *patterns != "" {
		b.patterns = strings.Split(*patterns, ",")
	}
	var err error
	if b.out, err = filepath.Abs(b.out); err != nil {
		return err
	}
	tables, err := b.labelled()
	if err != nil {
		return err
	}
	if *table != "" {
		data, err := json.MarshalIndent(tables, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(*table, data, 0o666); err != nil {
			return err
		}
	}
	if !*keep {
		if _, err := patch.RestoreNames(b.out); err != nil {
			return err
		}
	}
	if !*compares {
		return nil
	}
	if err := b.plain(b.out + ".plain"); err != nil {
		return err
	}
	c, err := compare(b.out+".plain", b.out, b.hasLabels)
	if err != nil {
		return err
	}
	c.print(os.Stdout, *verbose)
	return nil
}
