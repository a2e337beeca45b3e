package mco

// The annotations of a Node that machine-config-operator's daemons and controllers exchange.
const (
	AnnotationPrefix = "machineconfiguration.openshift.io/"

	CurrentConfig    = AnnotationPrefix + "currentConfig"
	DesiredConfig    = AnnotationPrefix + "desiredConfig"
	State            = AnnotationPrefix + "state"            // the state of the daemon, for example Done
	DesiredDrain     = AnnotationPrefix + "desiredDrain"     // the daemon's last request to the drain controller
	LastAppliedDrain = AnnotationPrefix + "lastAppliedDrain" // the last request that was carried out
)

// The pools that every cluster may have. All other pools are custom pools.
const (
	Master  = "master"
	Arbiter = "arbiter"
	Worker  = "worker"
)
