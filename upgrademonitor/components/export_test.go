package components

// For the tests of the package's requests.
var (
	Hostile      = hostile
	LongestState = longestState
)
