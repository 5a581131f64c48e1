package machines_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"github.com/nats-io/nats-server/v2/server"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../../docs/machines"); err != nil {
		panic(err)
	}
	m.Run()
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// compose loads the file as docker compose does: against the schema, with all that
// it refers to.
func compose(t *testing.T, env types.Mapping) (*types.Project, error) {
	t.Helper()
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: ".", Environment: env,
		ConfigFiles: []types.ConfigFile{{Filename: "compose.yaml", Content: read(t, "compose.yaml")}},
	}, func(o *loader.Options) { o.SetProjectName("sweetspot", true) })
}

func TestCompose(t *testing.T) {
	if _, err := compose(t, nil); err == nil || !strings.Contains(err.Error(), "QUEUE_PASSWORD") {
		t.Errorf("without a password: %v", err)
	}
	p, err := compose(t, types.Mapping{"QUEUE_PASSWORD": "secret"})
	if err != nil {
		t.Fatal(err)
	}
	queue, worker := p.Services["queue"], p.Services["worker"]
	if _, ok := worker.DependsOn["queue"]; !ok || len(p.Services) != 2 {
		t.Fatalf("services %v", p.ServiceNames())
	}
	for _, port := range queue.Ports {
		if port.HostIP != "127.0.0.1" {
			t.Errorf("port %+v is open to others", port)
		}
	}
	if url := worker.Environment["NATS_URL"]; url == nil || *url != "nats://sweetspot:secret@queue:4222" {
		t.Errorf("worker's environment %v", worker.Environment)
	}
	if worker.StopSignal != "SIGHUP" || time.Duration(*worker.StopGracePeriod) < time.Minute || worker.Init == nil || !*worker.Init {
		t.Errorf("worker ends by %q within %v, init %v", worker.StopSignal, worker.StopGracePeriod, worker.Init)
	}
	if _, err := os.Stat(filepath.Join(worker.Build.Context, worker.Build.Dockerfile)); err != nil {
		t.Error(err)
	}
	wantWork(t, worker.Command)
}

// wantWork checks that a worker's command is one of sweetspot.
func wantWork(t *testing.T, command []string) {
	t.Helper()
	if len(command) < 4 || !slices.Equal(command[:2], []string{"queue", "work"}) || !slices.Contains(command, "--") {
		t.Errorf("a worker's command is %q", command)
	}
}

// objects decodes all of a file, strictly: a field that the API does not have, or one
// that is there twice, is an error.
func objects(t *testing.T, file []byte) map[string]any {
	t.Helper()
	all := map[string]any{}
	for _, part := range bytes.Split(file, []byte("\n---\n")) {
		var head struct {
			APIVersion, Kind string
			Metadata         struct{ Name string }
		}
		if err := yaml.Unmarshal(part, &head); err != nil {
			t.Fatal(err)
		}
		var o any
		switch kind := head.APIVersion + " " + head.Kind; kind {
		case "v1 ConfigMap":
			o = new(corev1.ConfigMap)
		case "v1 Service":
			o = new(corev1.Service)
		case "apps/v1 StatefulSet":
			o = new(appsv1.StatefulSet)
		case "apps/v1 Deployment":
			o = new(appsv1.Deployment)
		case "networking.k8s.io/v1 NetworkPolicy":
			o = new(networkingv1.NetworkPolicy)
		case "keda.sh/v1alpha1 ScaledObject":
			all[head.Kind] = scaledObject(t, part)
			continue
		default:
			t.Fatalf("an object of kind %q", kind)
		}
		if err := yaml.UnmarshalStrict(part, o); err != nil {
			t.Errorf("%s %s: %v", head.Kind, head.Metadata.Name, err)
		}
		all[head.Kind] = o
	}
	return all
}

func TestKubernetes(t *testing.T) {
	all := objects(t, read(t, "kubernetes.yaml"))
	config, service := all["ConfigMap"].(*corev1.ConfigMap), all["Service"].(*corev1.Service)
	set, workers := all["StatefulSet"].(*appsv1.StatefulSet), all["Deployment"].(*appsv1.Deployment)
	policy := all["NetworkPolicy"].(*networkingv1.NetworkPolicy)

	// What refers to each other by name or label must meet.
	labels := set.Spec.Template.Labels
	for k, v := range service.Spec.Selector {
		if labels[k] != v || set.Spec.Selector.MatchLabels[k] != v || policy.Spec.PodSelector.MatchLabels[k] != v {
			t.Errorf("label %s: %s does not meet", k, v)
		}
	}
	for k, v := range policy.Spec.Ingress[0].From[0].PodSelector.MatchLabels {
		if workers.Spec.Template.Labels[k] != v || workers.Spec.Selector.MatchLabels[k] != v {
			t.Errorf("the policy lets %s: %s in", k, v)
		}
	}
	if set.Spec.ServiceName != service.Name {
		t.Errorf("the set is served by %s, there is %s", set.Spec.ServiceName, service.Name)
	}
	pod := set.Spec.Template.Spec
	claimed := set.Spec.VolumeClaimTemplates[0].Name
	var mounts []string
	for _, m := range pod.Containers[0].VolumeMounts {
		mounts = append(mounts, m.Name)
	}
	if !slices.Contains(mounts, claimed) || pod.Volumes[0].ConfigMap.Name != config.Name || !slices.Contains(mounts, pod.Volumes[0].Name) {
		t.Errorf("mounts %v, volumes %+v", mounts, pod.Volumes)
	}
	if strings.TrimSpace(config.Data["nats.conf"]) != strings.TrimSpace(string(read(t, "nats.conf"))) {
		t.Error("the configuration in kubernetes.yaml is not that of nats.conf")
	}

	spec := workers.Spec.Template.Spec
	worker := spec.Containers[0]
	wantWork(t, worker.Args)
	if *spec.TerminationGracePeriodSeconds < 60 {
		t.Errorf("a worker has %d s to end", *spec.TerminationGracePeriodSeconds)
	}
	for _, r := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		if q := worker.Resources.Limits[r]; q.IsZero() {
			t.Errorf("a worker has no limit of %s", r)
		}
	}
	password, url := pod.Containers[0].Env[0], worker.Env[0]
	if password.Name != "QUEUE_PASSWORD" || url.Name != "NATS_URL" || password.ValueFrom.SecretKeyRef.Name != url.ValueFrom.SecretKeyRef.Name {
		t.Errorf("environment %+v and %+v", password, url)
	}
}

// TestStrict shows that the check sees a slip.
func TestStrict(t *testing.T) {
	var d appsv1.Deployment
	file := read(t, "kubernetes.yaml")
	part := file[bytes.Index(file, []byte("kind: Deployment")):]
	part = append([]byte("apiVersion: apps/v1\n"), part...)
	if err := yaml.UnmarshalStrict(part, &d); err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalStrict(bytes.Replace(part, []byte("replicas:"), []byte("replica:"), 1), &d); err == nil {
		t.Error("replica passes for replicas")
	}
}

// TestServer reads the configuration as the server does.
func TestServer(t *testing.T) {
	t.Setenv("QUEUE_PASSWORD", "secret")
	o, err := server.ProcessConfigFile("nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !o.JetStream || o.StoreDir != "/data" || !o.SyncAlways || o.Username != "sweetspot" || o.Password != "secret" || o.Port != 4222 {
		t.Errorf("JetStream %v in %q, sync %v, user %q, port %d", o.JetStream, o.StoreDir, o.SyncAlways, o.Username, o.Port)
	}
}
