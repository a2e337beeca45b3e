package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

// mutation is one edit, and the test that has to notice it.
type mutation struct {
	Name string `json:"name"` // what the bug is
	File string `json:"file"` // from the root of the repository
	Old  string `json:"old"`  // found in the file once
	New  string `json:"new"`
	Test string `json:"test"` // its name, or a regular expression of several
	In   string `json:"in"`   // the package of the test; that of the file if empty
}

// load reads all lists of a folder, in the order of their names.
func load(dir string) ([]mutation, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	var all []mutation
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var list []mutation
		if err := yaml.UnmarshalStrict(data, &list); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		topic := strings.TrimSuffix(filepath.Base(file), ".yaml")
		for _, m := range list {
			m.Name = topic + "/" + m.Name
			if m.In == "" {
				m.In = filepath.Dir(m.File)
			}
			all = append(all, m)
		}
	}
	return all, nil
}

// edit returns the content of the file with the edit made.
func (m mutation) edit(root string) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(root, m.File))
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(data), m.Old); n != 1 || m.Old == "" || m.Old == m.New {
		return nil, fmt.Errorf("old text found %d times in %s, want once: bring the mutation up to date", n, m.File)
	}
	return []byte(strings.Replace(string(data), m.Old, m.New, 1)), nil
}
