package programtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kubeconfig writes a kubeconfig for the API server at an address, and returns its path.
func Kubeconfig(t testing.TB, server string) string {
	t.Helper()
	return WriteFile(t, fmt.Sprintf(`
apiVersion: v1
kind: Config
clusters: [{name: test, cluster: {server: %q}}]
contexts: [{name: test, context: {cluster: test}}]
current-context: test
`, server))
}

// WriteFile writes a file, and returns its path.
func WriteFile(t testing.TB, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}
