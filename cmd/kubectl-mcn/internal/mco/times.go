package mco

import (
	"bytes"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/internal/nodemeta"
	"github.com/openshift/upgrademonitor/internal/phasetable"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/upgrademonitor/progress"
)

// find returns a condition, or the zero value.
func find(list []metav1.Condition, p phases.Phase) metav1.Condition {
	if c := conditions.Find(list, p); c != nil {
		return *c
	}
	return metav1.Condition{}
}

func messageOf(list []metav1.Condition, p phases.Phase) string { return Plain(find(list, p).Message) }

func timeOf(list []metav1.Condition, p phases.Phase) time.Time {
	return find(list, p).LastTransitionTime.UTC()
}

// sinceTrue reports whether a condition is True, and returns the time when it became True.
func sinceTrue(list []metav1.Condition, p phases.Phase) (bool, time.Time) {
	if conditions.StatusOf(list, p) != metav1.ConditionTrue {
		return false, time.Time{}
	}
	return true, timeOf(list, p)
}

// reportedSinceEnd reports whether a phase was reported since the last update ended. Its condition may be
// False: the phase was not required, or a daemon without package upgrademonitor has reported that the
// phase failed.
func reportedSinceEnd(list []metav1.Condition, p phases.Phase) bool {
	c := find(list, p)
	isReserved := c.Status == metav1.ConditionFalse && conditions.IsReservedReason(c.Reason)
	return c.Type != "" && !isReserved && !conditions.HasUpdatePrefix(c.Message)
}

// startOf returns the start of the current update: the time when Updated became False. If the
// update replaced an incomplete update, Updated was already False, and the start is the time of the
// reset.
func startOf(list []metav1.Condition) time.Time {
	if !reportedSinceEnd(list, phases.Updated) {
		return time.Time{}
	}
	return Latest(timeOf(list, phases.Updated), lastReset(list, phasetable.IsStep))
}

// completionOf returns the end of the last update: the time when the phases that run only during an
// update were reset. The lastTransitionTime of Updated may be later, because a restarted daemon may
// report Updated again. But completionOf returns the lastTransitionTime of Updated if no phase was
// reset, or if a phase was reset after that time.
func completionOf(list []metav1.Condition) time.Time {
	updated, completed := timeOf(list, phases.Updated), lastReset(list, phasetable.RunsOnlyInUpdate)
	if completed.IsZero() || completed.After(updated) {
		return updated
	}
	return completed
}

// wasTakenBack reports whether the last update ended because its request was taken back: the prefix of its steps names
// something else than the node runs.
func wasTakenBack(list []metav1.Condition, runs progress.Target) bool {
	message := messageOf(list, phases.UpdatePrepared)
	isOf := func(name string) bool { return strings.HasPrefix(message, conditions.WithUpdatePrefix("", name)) }
	return conditions.HasUpdatePrefix(message) && !isOf(runs.Config) && !isOf(runs.Image)
}

// lastReset returns the time of the last reset of a step, or zero. of selects the steps. The start and the end of
// an update reset each step that has run: its condition becomes False, and its message gets the prefix "Action
// during update to …".
func lastReset(list []metav1.Condition, of func(phases.Phase) bool) time.Time {
	var last time.Time
	for _, c := range list {
		if of(phases.Phase(c.Type)) && conditions.HasUpdatePrefix(c.Message) {
			last = Latest(last, c.LastTransitionTime.UTC())
		}
	}
	return last
}

// isNew reports whether no step of an update was ever reported: the node has joined with its config. The daemon
// of a new node reports only phases that it also reports when it restarts. In a dump, steps may be left out.
func isNew(list []metav1.Condition) bool {
	isOfUpdate := func(c metav1.Condition) bool { return phasetable.RunsOnlyInUpdate(phases.Phase(c.Type)) }
	hasOccurred := func(c metav1.Condition) bool {
		return isOfUpdate(c) && (conditions.HasUpdatePrefix(c.Message) || reportedSinceEnd(list, phases.Phase(c.Type)))
	}
	return slices.ContainsFunc(list, isOfUpdate) && !slices.ContainsFunc(list, hasOccurred)
}

// lastStep returns the time when a step changed last, or zero.
func lastStep(list []metav1.Condition) (last time.Time) {
	for _, c := range list {
		p := phases.Phase(c.Type)
		if phasetable.IsStep(p) && reportedSinceEnd(list, p) {
			last = Latest(last, c.LastTransitionTime.UTC())
		}
	}
	return last
}

// Latest returns the latest of some times.
func Latest(times ...time.Time) time.Time { return slices.MaxFunc(times, time.Time.Compare) }

// The fields whose writes the command reads, as they are in managedFields.
const (
	OfConfiguration = `"f:configuration"` // of a pool
	OfCordon        = `"f:unschedulable"`
	OfDesiredConfig = `"f:` + nodemeta.DesiredConfig + `"`
	OfPaused        = `"f:paused"`
	OfSpec          = `"f:spec"`
)

// Write is a write of a field: who wrote it, and when. It is zero if that is not known.
type Write struct {
	By string    `json:"by"`
	At time.Time `json:"at"`
}

// LastWrite returns the last write of the manager of a field, or of any field if field is "".
func LastWrite(entries []metav1.ManagedFieldsEntry, field string) (last Write) {
	for _, entry := range entries {
		isOf := entry.Subresource == "" && entry.Time != nil
		if isOf && entry.Time.After(last.At) && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(field)) {
			last = Write{entry.Manager, entry.Time.UTC()}
		}
	}
	return last
}
