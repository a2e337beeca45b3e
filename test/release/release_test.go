// Package release tests "make release" on a copy of the repository.
package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "github.com/openshift/upgrademonitor"

// repository is a git repository with the files of this repository.
type repository struct {
	*testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	r := repository{t, filepath.Join(t.TempDir(), "upgrademonitor")}
	files := strings.Split(strings.TrimSpace(r.output("../..", nil, "git", "ls-files", "-co", "--exclude-standard")), "\n")
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join("../..", name))
		if os.IsNotExist(err) { // a deletion that is not committed
			continue
		}
		require.NoError(t, err)
		info, err := os.Stat(filepath.Join("../..", name))
		require.NoError(t, err)
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(r.dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(r.dir, name), data, info.Mode().Perm()))
	}
	r.git("init", "-q", "-b", "main")
	r.git("config", "user.name", "Test")
	r.git("config", "user.email", "test@example.com")
	r.commit()
	return r
}

func (r repository) output(dir string, env []string, name string, args ...string) string {
	r.Helper()
	cmd := exec.CommandContext(r.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(r, err, "%s %s: %s", name, args, out)
	return string(out)
}

func (r repository) git(args ...string) string {
	r.Helper()
	return r.output(r.dir, nil, "git", args...)
}

func (r repository) commit() {
	r.Helper()
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "a change")
}

// edit replaces a text in a file.
func (r repository) edit(name, old, text string) {
	r.Helper()
	name = filepath.Join(r.dir, name)
	data, err := os.ReadFile(name)
	require.NoError(r, err)
	require.Contains(r, string(data), old)
	require.NoError(r, os.WriteFile(name, []byte(strings.Replace(string(data), old, text, 1)), 0o600))
}

// refuses asserts that make release fails with the message, and creates no tag.
func (r repository) refuses(version, message string) {
	r.Helper()
	tags := r.git("tag")
	cmd := exec.CommandContext(r.Context(), "make", "release", "VERSION="+version)
	cmd.Dir = r.dir
	out, err := cmd.CombinedOutput()
	assert.Error(r, err)
	assert.Contains(r, string(out), "no release: "+message)
	assert.Equal(r, tags, r.git("tag"))
}

func TestMakeReleaseTagsBothModulesAndRefusesWhatIsNotReady(t *testing.T) {
	r := newRepository(t)
	r.refuses("0.1.0", "VERSION is not like v0.1.0")
	r.refuses("v0.1.0", "CHANGELOG.md has no heading: ## v0.1.0 - ")
	r.edit("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n## v0.1.0 - 2026-12-01\n")
	r.refuses("v0.1.0", "the working tree has changes")
	r.commit()
	out := r.output(r.dir, nil, "make", "release", "VERSION=v0.1.0")
	assert.Contains(t, out, "git push origin v0.1.0 cmd/kubectl-mcn/v0.1.0")
	assert.Equal(t, "cmd/kubectl-mcn/v0.1.0\nv0.1.0\n", r.git("tag"))
	assert.Empty(t, r.git("status", "--porcelain"))
	assert.Equal(t, "cmd/kubectl-mcn/go.mod\ncmd/kubectl-mcn/go.sum\n", r.git("diff", "--name-only", "v0.1.0", "cmd/kubectl-mcn/v0.1.0"))
	r.refuses("v0.1.0", "the tag v0.1.0 exists")

	// A user can install the command from the tag with go install. Its dependencies come from the module cache.
	cache := strings.TrimSpace(r.output(".", nil, "go", "env", "GOMODCACHE"))
	bin, config := t.TempDir(), filepath.Join(t.TempDir(), "gitconfig")
	require.NoError(t, os.WriteFile(config, []byte("[url \"file://"+r.dir+"\"]\n\tinsteadOf = https://"+module+"\n"), 0o600))
	env := []string{
		"GOWORK=off", "GOFLAGS=-modcacherw -trimpath", "GOBIN=" + bin, "GOMODCACHE=" + t.TempDir(), "GOPRIVATE=" + module,
		"GOPROXY=file://" + cache + "/cache/download", "GOSUMDB=off", "GIT_CONFIG_GLOBAL=" + config,
	}
	r.output(bin, env, "go", "install", module+"/cmd/kubectl-mcn@v0.1.0")
	program := filepath.Join(bin, "kubectl-mcn")
	versions := r.output(".", nil, "go", "version", "-m", program)
	assert.Contains(t, versions, "\tmod\t"+module+"/cmd/kubectl-mcn\tv0.1.0\t")
	assert.Contains(t, versions, "\tdep\t"+module+"\tv0.1.0\t")
	rollout := filepath.Join(r.dir, "cmd/kubectl-mcn/testdata/rollout.json")
	assert.Contains(t, r.output(".", nil, program, "-f", rollout, "--at", "2026-03-04T14:16:05Z"), "11 nodes: 8 done")

	// The tagged go.sum is complete, so the command also builds in a checkout of its tag.
	r.git("checkout", "-q", "cmd/kubectl-mcn/v0.1.0")
	r.output(filepath.Join(r.dir, "cmd/kubectl-mcn"), append(env, "GOFLAGS=-modcacherw -trimpath -mod=readonly"), "go", "build", "-o", bin, ".")
	r.git("checkout", "-q", "main")

	// A patch release must not change docs/api.
	r.edit("docs/api/phases.txt", "\n", "\n// changed\n")
	r.edit("CHANGELOG.md", "## v0.1.0", "## v0.1.1 - 2026-12-02\n\n## v0.2.0 - 2026-12-02\n\n## v0.1.0")
	r.commit()
	r.refuses("v0.1.1", "docs/api has changed since v0.1.0")
	r.output(r.dir, nil, "make", "release", "VERSION=v0.2.0")
	assert.Contains(t, r.git("show", "cmd/kubectl-mcn/v0.2.0:cmd/kubectl-mcn/go.mod"), "\t"+module+" v0.2.0\n")
	assert.NotContains(t, r.git("show", "cmd/kubectl-mcn/v0.2.0:cmd/kubectl-mcn/go.mod"), "replace")
}
