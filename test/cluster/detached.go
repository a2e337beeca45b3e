package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// stateFile exists while a cluster runs that does not end with the process that started it.
const stateFile = "state.json"

// answerTimeout is how long a cluster that was left running may take to answer.
const answerTimeout = 15 * time.Second

// state is the content of the state file.
type state struct {
	settings
	EtcdPID      int
	APIServerPID int
	Complete     bool // false when the process that started it was killed meanwhile
}

// Up returns the cluster that runs in opts.Dir, or starts one there that stays when this process
// ends. An empty opts.Dir is <repository>/.cache/cluster. All callers of Up share it: end it with
// Down.
//
//  1. A cluster that is found keeps its CRD and its flags. One with image mode also serves a
//     caller that did not ask for it; the other way round is an error.
//  2. One of which a server has died, or that did not come up fully, is replaced by a new and
//     empty one.
//  3. One that does not answer is an error.
//
// Calls at the same time, from any process, wait for each other and return the same cluster.
func Up(ctx context.Context, opts Options) (*Cluster, error) {
	dir, unlock, err := lockDir(ctx, opts.Dir)
	if err != nil {
		return nil, err
	}
	defer unlock()
	opts.Dir = dir
	c, err := attach(dir)
	if err != nil {
		return nil, err
	}
	if c == nil {
		return startCluster(ctx, opts, true)
	}
	if !c.complete || !c.etcd.alive() || !c.api.alive() {
		// The error of the old cluster does not matter: it is replaced.
		if err := c.end(); err != nil {
			return nil, err
		}
		return startCluster(ctx, opts, true)
	}
	if opts.ImageMode && !c.settings.ImageMode {
		return nil, fmt.Errorf("the cluster in %s runs without image mode: stop it first", dir)
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if err := c.WaitReady(ctx); err != nil {
		return nil, fmt.Errorf("a cluster runs but does not answer, stop it first: %w", err)
	}
	c.config, err = loadConfig(dir, c.settings.APIServerPort)
	return c, err
}

// Down stops the cluster that Up left running in dir and removes its files, logs included. An
// empty dir is <repository>/.cache/cluster. It returns false when nothing ran there.
func Down(ctx context.Context, dir string) (bool, error) {
	dir, unlock, err := lockDir(ctx, dir)
	if err != nil {
		return false, err
	}
	defer unlock()
	c, err := attach(dir)
	if c == nil || err != nil {
		return false, err
	}
	ran := c.etcd.alive() || c.api.alive()
	return ran, c.end()
}

// end kills what is left of a detached cluster and removes its files.
func (c *Cluster) end() error {
	if err := c.Stop(); err != nil {
		return err
	}
	return removeFiles(c.dir)
}

// attach returns the detached cluster of the folder, nil when there is none. Servers that have
// died since are nil in it.
func attach(dir string) (*Cluster, error) {
	content, err := os.ReadFile(filepath.Join(dir, stateFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read what runs in %s: %w", dir, err)
	}
	var s state
	if err := json.Unmarshal(content, &s); err != nil {
		return nil, fmt.Errorf("%s is damaged, end its servers by hand and remove it: %w", filepath.Join(dir, stateFile), err)
	}
	c := &Cluster{dir: dir, detached: true, complete: s.Complete, settings: s.settings}
	// Both servers have the path of the folder on their command lines.
	c.etcd = adopt("etcd", s.EtcdPID, filepath.Join(dir, etcdLog), dir)
	c.api = adopt("kube-apiserver", s.APIServerPID, filepath.Join(dir, apiServerLog), dir)
	return c, nil
}

// record writes down which servers run, when they are to be found by another process.
func (c *Cluster) record() error {
	if !c.detached {
		return nil
	}
	s := state{settings: c.settings, Complete: c.complete}
	if c.etcd != nil {
		s.EtcdPID = c.etcd.handle.Pid
	}
	if c.api != nil {
		s.APIServerPID = c.api.handle.Pid
	}
	content, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(c.dir, stateFile)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return fmt.Errorf("cannot write down which servers run: %w", err)
	}
	return os.Rename(path+".new", path)
}

// lockDir resolves the folder of a detached cluster and makes other processes wait until unlock.
func lockDir(ctx context.Context, dir string) (_ string, unlock func(), err error) {
	if dir == "" {
		cache, err := cacheDir()
		if err != nil {
			return "", nil, err
		}
		dir = filepath.Join(cache, "cluster")
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", nil, err
	}
	unlock, err = lockFile(ctx, dir+".lock")
	return dir, unlock, err
}
