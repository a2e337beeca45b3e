package mco

import (
	"bytes"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The fields whose writes the command reads, as they are in managedFields.
const (
	OfConfiguration = `"f:configuration"` // of a pool
	OfCordon        = `"f:unschedulable"`
	OfDesiredConfig = `"f:` + DesiredConfig + `"`
	OfPaused        = `"f:paused"`
	OfSpec          = `"f:spec"`
)

// Write is a write of a field: who wrote it, and when. It is zero if that is not known.
type Write struct {
	By string
	At time.Time
}

// LastWrite returns the last write of the manager of a field.
func LastWrite(entries []metav1.ManagedFieldsEntry, field string) (last Write) {
	for _, entry := range entries {
		isOf := entry.Subresource == "" && entry.Time != nil && entry.FieldsV1 != nil
		if isOf && entry.Time.After(last.At) && bytes.Contains(entry.FieldsV1.GetRawBytes(), []byte(field)) {
			last = Write{entry.Manager, entry.Time.UTC()}
		}
	}
	return last
}
