package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// firstBuild names the programs of test/binaries and how long each takes to build with nothing
// cached, on two cores.
var firstBuild = map[string]string{
	"etcd":           "20 seconds",
	"kube-apiserver": "3 minutes",
	"kubectl":        "1 minute",
}

// buildArgs are part of the key: a change of them makes new binaries.
var buildArgs = []string{"build", "-mod=readonly", "-buildvcs=false"}

// linkFlags are too. They make the programs smaller and tell them their version, without which
// kubectl warns that it cannot compare itself with the server.
const linkFlags = "-s -w -X k8s.io/component-base/version.gitVersion="

// Binary returns the path of the program "etcd", "kube-apiserver" or "kubectl".
//
//  1. The program is built with the go command when it is not in <repository>/.cache/bin yet, and
//     a line on standard error announces it.
//  2. The folder in there depends on the sources, the module versions, the Go version and the
//     platform, so that a change of one makes a new program and never mixes two.
//  3. Any number of goroutines and processes may ask at once: one builds, the others wait for it. A
//     program is complete as soon as it has its name.
//
// Old folders are not deleted; remove .cache/bin to free the space. The error of a failed build
// contains the output of the go command.
func Binary(ctx context.Context, name string) (string, error) {
	module, err := moduleDir()
	if err != nil {
		return "", err
	}
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	b := builder{source: filepath.Join(module, "binaries"), cache: filepath.Join(cache, "bin"), log: os.Stderr}
	return b.binary(ctx, name)
}

// Build builds all programs that are not in the cache yet. A test that limits its time calls it
// before, since the first build takes minutes.
func Build(ctx context.Context) error {
	for _, name := range slices.Sorted(maps.Keys(firstBuild)) {
		if _, err := Binary(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// builder builds the programs of one module into a folder.
type builder struct {
	source string
	cache  string
	log    io.Writer
}

func (b builder) binary(ctx context.Context, name string) (string, error) {
	duration, known := firstBuild[name]
	if !known {
		return "", fmt.Errorf("no program %q: it is one of etcd, kube-apiserver, kubectl", name)
	}
	key, err := b.key(ctx)
	if err != nil {
		return "", fmt.Errorf("cannot tell which %s is needed: %w", name, err)
	}
	path := filepath.Join(b.cache, key, name)
	if isFile(path) {
		return path, nil
	}
	unlock, err := lockFile(ctx, path+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if isFile(path) { // built while this waited
		return path, nil
	}
	fmt.Fprintf(b.log, "building %s, about %s the first time\n", name, duration)
	if err := b.build(ctx, name, path); err != nil {
		return "", fmt.Errorf("cannot build %s from %s: %w", name, b.source, err)
	}
	return path, nil
}

// build builds the program and renames it when it is complete.
func (b builder) build(ctx context.Context, name, path string) error {
	version, err := goCommand(ctx, b.source, "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes")
	if err != nil {
		return err
	}
	unfinished := path + ".unfinished"
	args := slices.Concat(buildArgs, []string{"-ldflags=" + linkFlags + version, "-o", unfinished, "./" + name})
	if _, err := goCommand(ctx, b.source, args...); err != nil {
		return err
	}
	return os.Rename(unfinished, path)
}

// key changes with everything that decides what the programs are.
func (b builder) key(ctx context.Context) (string, error) {
	platform, err := goCommand(ctx, b.source, "env", "GOVERSION", "GOOS", "GOARCH")
	if err != nil {
		return "", err
	}
	files, err := filepath.Glob(filepath.Join(b.source, "*", "*.go"))
	if err != nil {
		return "", err
	}
	files = append(files, filepath.Join(b.source, "go.mod"), filepath.Join(b.source, "go.sum"))
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00%q\x00%s\x00", platform, buildArgs, linkFlags)
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return "", err
		}
		relative, err := filepath.Rel(b.source, file)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(sum, "%s\x00%d\x00%s", filepath.ToSlash(relative), len(content), content)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
