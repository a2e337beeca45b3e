package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// limit bounds one run of a test: an edit may make it hang, which is red too.
const limit = 3 * time.Minute

// outcome is the result of one run of a test.
type outcome string

const (
	green    outcome = "green"
	red      outcome = "red"
	noTest   outcome = "no test"
	unusable outcome = "does not compile"
)

// runner runs tests of a repository.
type runner struct {
	root string
	base map[string]outcome // of tests without any edit
}

// errSurvived is the error of an edit that no test noticed.
var errSurvived = errors.New("SURVIVED: the test stays green")

// check returns nil if the test of a mutation fails because of it.
func (r *runner) check(ctx context.Context, m mutation) error {
	edited, err := m.edit(r.root)
	if err != nil {
		return err
	}
	if before := r.unedited(ctx, m); before != green {
		return fmt.Errorf("without the edit, %s in %s is %q", m.Test, m.In, before)
	}
	dir, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, err := writeOverlay(dir, filepath.Join(r.root, m.File), edited)
	if err != nil {
		return err
	}
	switch got := r.test(ctx, m, "-overlay="+overlay); {
	case ctx.Err() != nil:
		return ctx.Err()
	case got == green:
		return errSurvived
	case got != red:
		return fmt.Errorf("with the edit, it is %q", got)
	}
	return nil
}

// unedited is the outcome of the test of a mutation without it.
func (r *runner) unedited(ctx context.Context, m mutation) outcome {
	key := m.In + " " + m.Test
	if _, ok := r.base[key]; !ok {
		r.base[key] = r.test(ctx, m)
	}
	return r.base[key]
}

func (r *runner) test(ctx context.Context, m mutation, flags ...string) outcome {
	args := append([]string{"test", "-vet=off", "-failfast", "-timeout", limit.String(), "-run", "^(" + m.Test + ")$"}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, "./"+m.In)...)
	cmd.Dir = r.root
	output, err := cmd.CombinedOutput()
	text := string(output)
	switch {
	case strings.Contains(text, "[no tests to run]"), strings.Contains(text, "[no test files]"):
		return noTest
	case err == nil:
		return green
	case strings.Contains(text, "--- FAIL"), strings.Contains(text, "panic: "):
		return red
	default:
		return unusable
	}
}

// writeOverlay writes what the go command is to read in place of a file.
func writeOverlay(dir, file string, content []byte) (string, error) {
	edited, overlay := filepath.Join(dir, "edited.go"), filepath.Join(dir, "overlay.json")
	data, err := json.Marshal(map[string]any{"Replace": map[string]string{file: edited}})
	if err != nil {
		return "", err
	}
	return overlay, errors.Join(os.WriteFile(edited, content, 0o600), os.WriteFile(overlay, data, 0o600))
}
