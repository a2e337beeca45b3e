package main

import (
	"bytes"
	"testing"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestViewStops(t *testing.T) {
	object := func(version string) *mcfgv1.MachineConfigNode {
		return &mcfgv1.MachineConfigNode{ObjectMeta: metav1.ObjectMeta{Name: "worker-0", ResourceVersion: version}}
	}
	expired := &metav1.Status{Status: metav1.StatusFailure, Reason: metav1.StatusReasonExpired, Message: "too old resource version"}
	for name, tc := range map[string]struct {
		events []watch.Event
		err    string // of a watch that has ended, or has failed
	}{
		"at the last version":  {[]watch.Event{{Type: watch.Modified, Object: object("9")}, {Type: watch.Modified, Object: object("10")}}, ""},
		"after it":             {[]watch.Event{{Type: watch.Modified, Object: object("11")}}, ""},
		"over a deletion":      {[]watch.Event{{Type: watch.Deleted, Object: object("9")}, {Type: watch.Added, Object: object("10")}}, ""},
		"when the watch ends":  {[]watch.Event{{Type: watch.Modified, Object: object("9")}}, "the last changes are missing: the watch has ended"},
		"when the watch fails": {[]watch.Event{{Type: watch.Error, Object: expired}}, "the last changes are missing: the watch has failed: too old resource version"},
	} {
		t.Run(name, func(t *testing.T) {
			events := make(chan watch.Event, len(tc.events))
			for _, e := range tc.events {
				events <- e
			}
			if tc.err != "" {
				close(events)
			}
			v := &view{printer: &lines{out: &bytes.Buffer{}, location: time.UTC}, last: make(chan string, 1), done: make(chan error, 1)}
			go func() { v.done <- v.follow(events, "8") }()
			err := v.until(t.Context(), "10")
			if tc.err == "" {
				assert.NoError(t, err)
			} else {
				assert.EqualError(t, err, tc.err)
			}
		})
	}
}
