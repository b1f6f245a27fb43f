package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// manifest decodes a manifest of examples/agent; a field that there is not is an error.
func manifest(t *testing.T, name string, object any) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "agent", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(data, object); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// TestSidecar has a pod whose agent begins before the program and ends after it, reads only, and sees the same folder.
func TestSidecar(t *testing.T) {
	var pod core.Pod
	manifest(t, "sidecar.yaml", &pod)
	agent, program := pod.Spec.InitContainers[0], pod.Spec.Containers[0]
	if agent.RestartPolicy == nil || *agent.RestartPolicy != core.ContainerRestartPolicyAlways {
		t.Error("the agent is no native sidecar")
	}
	checkAgent(t, &agent, &pod.Spec)
	if agent.VolumeMounts[0].MountPath != valueOf(&program, "GOPROFINSTR_DIR") || agent.VolumeMounts[0].Name != program.VolumeMounts[0].Name {
		t.Error("the agent does not see what the program writes")
	}
}

// TestDaemonSet has an agent without privileges on each node, and the snippet for pods in its comment is right, too.
func TestDaemonSet(t *testing.T) {
	var set apps.DaemonSet
	manifest(t, "daemonset.yaml", &set)
	spec := set.Spec.Template.Spec
	if spec.HostPID || spec.HostNetwork {
		t.Error("the agent sees the node's processes or network")
	}
	checkAgent(t, &spec.Containers[0], &spec)
	var snippet strings.Builder
	data, err := os.ReadFile(filepath.Join("..", "..", "examples", "agent", "daemonset.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if text, ok := strings.CutPrefix(line, "#   "); ok {
			snippet.WriteString(text)
		}
	}
	var pod core.PodSpec
	if err := yaml.UnmarshalStrict([]byte(snippet.String()), &pod); err != nil {
		t.Fatalf("the snippet for pods: %v\n%s", err, snippet.String())
	}
	program, at := pod.Containers[0], pod.Containers[0].VolumeMounts[0]
	dir := valueOf(&program, "GOPROFINSTR_DIR")
	if pod.Volumes[0].HostPath.Path != spec.Volumes[0].HostPath.Path || dir != at.MountPath+"/$(POD_UID)" {
		t.Errorf("pods write elsewhere: %+v", pod)
	}
	// A directory that the kubelet makes is root's, in which others cannot write.
	if at.SubPathExpr != "" || *pod.SecurityContext.RunAsGroup != *spec.SecurityContext.RunAsGroup {
		t.Errorf("the agent cannot read what pods write: %+v", pod)
	}
}

// checkAgent checks that a container has no privileges and writes nothing.
func checkAgent(t *testing.T, c *core.Container, spec *core.PodSpec) {
	t.Helper()
	s := c.SecurityContext
	if s.Privileged != nil || s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation || !*s.ReadOnlyRootFilesystem || len(s.Capabilities.Add) > 0 {
		t.Errorf("the agent has privileges: %+v", s)
	}
	if !*spec.SecurityContext.RunAsNonRoot || !c.VolumeMounts[0].ReadOnly || c.Args[0] != "agent" {
		t.Errorf("the agent is not what it is to be: %+v", c)
	}
}

func valueOf(c *core.Container, name string) string {
	for _, e := range c.Env {
		if e.Name == name {
			return e.Value
		}
	}
	return ""
}
