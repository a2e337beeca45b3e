//go:build race

package upgrademonitor_test

func init() { raceAllocations = 25 }
