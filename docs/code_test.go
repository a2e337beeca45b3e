package docs_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// preamble declares what the blocks of the pages use and do not declare.
const preamble = `package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	mcfgv1 "github.com/openshift/api/machineconfiguration/v1"
	operatorv1 "github.com/openshift/api/operator/v1"
	mcfgclientset "github.com/openshift/client-go/machineconfiguration/clientset/versioned"
	mcfginformers "github.com/openshift/client-go/machineconfiguration/informers/externalversions"
	mcfglisters "github.com/openshift/client-go/machineconfiguration/listers/machineconfiguration/v1"
	operatorclientset "github.com/openshift/client-go/operator/clientset/versioned"
	operatorinformers "github.com/openshift/client-go/operator/informers/externalversions"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/openshift/upgrademonitor/conditions"
	"github.com/openshift/upgrademonitor/phases"
	"github.com/openshift/upgrademonitor/scope"
	"github.com/openshift/upgrademonitor/upgrademonitor"
	"github.com/openshift/upgrademonitor/upgrademonitor/components"
	"github.com/openshift/upgrademonitor/upgrademonitor/pool"
	"github.com/openshift/upgrademonitor/upgrademonitor/rollout"
)

var (
	ctx        context.Context
	err        error
	clientset  mcfgclientset.Interface
	client     mcfgclientset.Interface
	kube       kubernetes.Interface
	core       informers.SharedInformerFactory
	mcfg       mcfginformers.SharedInformerFactory
	node       *corev1.Node
	nodeName   string
	nodeLister corelisters.NodeLister
	poolLister mcfglisters.MachineConfigPoolLister
	monitor    *upgrademonitor.Monitor
	monitors   *upgrademonitor.Monitors
	objects    mcfglisters.MachineConfigNodeLister
	cause      error
	pullImage  func(context.Context) error

	operatorClientset  operatorclientset.Interface
	kubeClient         kubernetes.Interface
	reporter           *components.Reporter
	daemonSet          *appsv1.DaemonSet
	machineConfigNodes []*mcfgv1.MachineConfigNode
)

// The names of machine-config-operator.
var (
	helpers struct {
		GetPrimaryPoolNameForMCN func(mcfglisters.MachineConfigPoolLister, *corev1.Node) (string, error)
	}
	features     struct{ FeatureGateImageModeStatusReporting string }
	featureGates interface{ Enabled(string) bool }
)
`

// TestGoBlocksCompile type-checks each block of Go of the pages: declarations as they are,
// statements in a function. Unused variables and imports are not errors.
func TestGoBlocksCompile(t *testing.T) {
	fset := token.NewFileSet()
	packages := importer.ForCompiler(fset, "gc", exportData(t, fset))
	for _, b := range blocks(t, "go") {
		at := fmt.Sprintf("\n//line %s:%d\n", b.page, b.line)
		source := preamble + at + b.text
		file, err := parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
		if err != nil {
			source = preamble + "\nfunc _() (_ error) {{" + at + b.text + "\n}; return }\n"
			file, err = parser.ParseFile(fset, "", source, parser.SkipObjectResolution)
		}
		if err != nil {
			t.Error(err)
			continue
		}
		config := types.Config{Importer: packages, Error: func(err error) {
			var typeError types.Error
			if !errors.As(err, &typeError) || !typeError.Soft {
				t.Error(err)
			}
		}}
		_, _ = config.Check("page", fset, []*ast.File{file}, nil)
	}
}

// exportData finds the compiled packages that the preamble imports in the build cache.
func exportData(t *testing.T, fset *token.FileSet) importer.Lookup {
	t.Helper()
	file, err := parser.ParseFile(fset, "", preamble, parser.ImportsOnly)
	require.NoError(t, err)
	args := []string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		args = append(args, imported)
	}
	var stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), "go", args...)
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(t, err, stderr.String())

	files := map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		imported, export, _ := strings.Cut(lines.Text(), " ")
		files[imported] = export
	}
	return func(imported string) (io.ReadCloser, error) { return os.Open(files[imported]) }
}
