package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	require.NoError(t, run(t.Context(), &out))
	lines := regexp.MustCompile(` +\n`).ReplaceAllString(out.String(), "\n")
	assert.Equal(t, `PinnedImageSetsProgressing  True   node is prefetching images: worker-0
PinnedImageSetsDegraded     False  All is good
  release   generation 0 of 1
  workload  generation 0 of 3
PinnedImageSetsProgressing  True   node is prefetching images: worker-0
PinnedImageSetsDegraded     True   One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.
  release   generation 1 of 1
  workload  generation 0 of 3  manifest unknown
PinnedImageSetsProgressing  True   node is prefetching images: worker-0
PinnedImageSetsDegraded     True   One or more PinnedImageSet is experiencing an error. See PinnedImageSet list for more details.
  release   generation 1 of 1
  workload  generation 0 of 3  node worker-0 is reporting OutOfDisk=True
PinnedImageSetsProgressing  False  All pinned image sets complete
PinnedImageSetsDegraded     False  All is good
  release   generation 1 of 1
  workload  generation 3 of 3
`, lines)
}
