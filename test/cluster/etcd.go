package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
)

// StartEtcd starts etcd on the data and the port that it had, and returns when it serves. It does
// nothing when etcd runs. The API server needs a moment to find it again: see
// [Cluster.WaitReady]. Fails with ErrStopped after Stop and with a *StartError when etcd does not
// come up.
func (c *Cluster) StartEtcd(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.startEtcd(ctx)
}

// StopEtcd kills etcd, like a crash: requests to the API server fail or time out until
// [Cluster.StartEtcd]. What was written stays. It does nothing when etcd does not run.
func (c *Cluster) StopEtcd() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.etcd == nil {
		return nil
	}
	err := c.etcd.kill()
	c.etcd = nil
	return err
}

// EtcdPID is the process number of etcd, 0 when it does not run.
func (c *Cluster) EtcdPID() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.etcd.alive() {
		return 0
	}
	return c.etcd.handle.Pid
}

func (c *Cluster) startEtcd(ctx context.Context) error {
	if c.stopped {
		return ErrStopped
	}
	if c.etcd.alive() {
		return nil
	}
	path, err := Binary(ctx, "etcd")
	if err != nil {
		return err
	}
	cmd := command{name: "etcd", path: path, args: c.etcdArgs(), log: filepath.Join(c.dir, etcdLog)}
	return c.launch(ctx, &c.etcd, cmd, c.etcdReady)
}

func (c *Cluster) etcdArgs() []string {
	// No other member ever connects: any port does, and it need not be known.
	const peer = "http://127.0.0.1:0"
	return []string{
		"--name=" + c.settings.EtcdName,
		"--data-dir=" + filepath.Join(c.dir, etcdData),
		"--listen-client-urls=" + c.etcdURL(),
		"--advertise-client-urls=" + c.etcdURL(),
		"--listen-peer-urls=" + peer,
		"--initial-advertise-peer-urls=" + peer,
		"--initial-cluster=" + c.settings.EtcdName + "=" + peer,
		// The data must survive a killed process, not a power failure.
		"--unsafe-no-fsync",
	}
}

func (c *Cluster) etcdURL() string {
	return "http://" + loopback(c.settings.EtcdPort)
}

// etcdReady asks for the list of members, which takes a working quorum, and looks for its own
// name: the answer may come from the etcd of another cluster that was faster to take the port.
func (c *Cluster) etcdReady(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.etcdURL()+"/v3/cluster/member/list", strings.NewReader("{}"))
	if err != nil {
		return err
	}
	client := http.Client{Timeout: requestTimeout, Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	var list struct {
		Members []struct{ Name string }
	}
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil {
		return fmt.Errorf("etcd answered %s: %w", response.Status, err)
	}
	if len(list.Members) != 1 || list.Members[0].Name != c.settings.EtcdName {
		return fmt.Errorf("the members of etcd are %v, not %s", list.Members, c.settings.EtcdName)
	}
	return nil
}
