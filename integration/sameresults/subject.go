package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/goprofinstr/goprofinstr/integration/internal/fetch"
)

// A subject is a module, or a package of the standard library, whose tests are run.
type subject struct {
	Module    string   // or "" for the standard library
	Version   string   // or "" for a module in Dir
	Dir       string   // of a module that is not downloaded
	Patterns  []string // of the packages whose tests are run
	TestFlags []string // under which they pass

	Kind string // in lists: "std" if Module says nothing
}

// name is the subject's name in rows. It is a file name, too.
func (s *subject) name() string {
	name := s.Module
	switch {
	case s.Dir != "":
		name = filepath.Base(s.Dir)
	case name == "":
		name = "std " + strings.Join(s.Patterns, " ")
	}
	return strings.ReplaceAll(name, "/", "_")
}

// readSubjects returns what some lists, separated by commas, and arguments name.
func readSubjects(lists string, args []string) ([]*subject, error) {
	var subjects []*subject
	if lists != "" {
		for file := range strings.SplitSeq(lists, ",") {
			listed, err := readList(file)
			if err != nil {
				return nil, err
			}
			subjects = append(subjects, listed...)
		}
	}
	for _, arg := range args {
		s, err := parseSubject(arg)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, s)
	}
	return subjects, nil
}

func readList(file string) ([]*subject, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	if err := json.Unmarshal(data, &subjects); err != nil {
		return nil, fmt.Errorf("%s: %v", file, err)
	}
	for _, s := range subjects {
		s.Dir = "" // in the public corpus, where somebody else has put the module
		if s.Kind == "std" {
			s.Module, s.Version = "", ""
		}
	}
	return subjects, nil
}

// parseSubject returns the subject that an argument names, with all of its tests.
func parseSubject(arg string) (*subject, error) {
	if pkg, ok := strings.CutPrefix(arg, "std:"); ok {
		return &subject{Patterns: []string{pkg}}, nil
	}
	s := &subject{Patterns: []string{"./..."}}
	var ok bool
	if s.Module, s.Version, ok = strings.Cut(arg, "@"); ok {
		return s, nil
	}
	dir, err := filepath.Abs(arg)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		return nil, fmt.Errorf("%s is neither a module's folder nor MODULE@VERSION: %v", arg, err)
	}
	return &subject{Dir: dir, Patterns: s.Patterns}, nil
}

// place returns the folder where the subject's tests are run, below dir. It downloads the module if it is not there.
func (s *subject) place(dir string) (string, error) {
	if s.Dir != "" {
		return s.Dir, nil
	}
	if s.Module == "" {
		return dir, nil
	}
	copied := filepath.Join(dir, "modules", s.name()+"@"+s.Version)
	if _, err := os.Stat(copied); !errors.Is(err, fs.ErrNotExist) {
		return copied, err
	}
	return copied, fetch.Module(copied, s.Module, s.Version)
}
