// Command mutate shows that the tests notice a bug: it makes the edits in test/mutations, each
// alone, and fails where the test that is named for one stays green.
//
//	go run ./cmd/mutate                 # all of them
//	go run ./cmd/mutate --run 'plan/'   # those whose name matches
//
// Run it in the folder test of the repository. No file of the repository is changed: the go
// command gets the edited file as an overlay. An edit that no longer matches, or does not compile,
// and a test that is red without any edit, are errors too.
package main
