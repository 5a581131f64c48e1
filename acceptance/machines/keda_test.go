package machines_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/santhosh-tekuri/jsonschema/v6"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"sigs.k8s.io/yaml"

	kedascale "github.com/sweetspot-go/sweetspot/contrib/keda"
)

// A scaled is what the tests look at of a ScaledObject.
type scaled struct {
	Metadata struct{ Name string }
	Spec     struct {
		ScaleTargetRef                   struct{ Name string }
		MinReplicaCount, MaxReplicaCount int
		Triggers                         []struct {
			Type     string
			Metadata map[string]string
		}
	}
}

// scaledObject reads an object by the schema of KEDA's custom resource definition, strictly:
// an API server drops a field that the schema does not have.
func scaledObject(t *testing.T, file []byte) *scaled {
	t.Helper()
	if err := scaledSchema(t).Validate(decoded(t, file)); err != nil {
		t.Errorf("a ScaledObject: %v", err)
	}
	o := new(scaled)
	if err := yaml.Unmarshal(file, o); err != nil {
		t.Fatal(err)
	}
	return o
}

func decoded(t *testing.T, file []byte) any {
	t.Helper()
	data, err := yaml.YAMLToJSONStrict(file)
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// scaledSchema returns the schema that KEDA's module has of its objects.
func scaledSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/kedacore/keda/v2")
	list.Dir = "../../acceptance"
	dir, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "config", "crd", "bases", "keda.sh_scaledobjects.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	definition := decoded(t, file).(map[string]any)
	version := definition["spec"].(map[string]any)["versions"].([]any)[0].(map[string]any)
	schema := version["schema"].(map[string]any)["openAPIV3Schema"]
	strict(schema)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("scaledobject.json", schema); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("scaledobject.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// strict forbids fields that a schema does not name, where it names any.
func strict(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, v := range s {
			strict(v)
		}
	case map[string]any:
		for _, v := range s {
			strict(v)
		}
		if _, ok := s["properties"].(map[string]any); ok && s["x-kubernetes-preserve-unknown-fields"] != true {
			s["additionalProperties"] = false
		}
	}
}

func TestKEDA(t *testing.T) {
	file := read(t, "keda.yaml")
	all := objects(t, file)
	object, scaler := all["ScaledObject"].(*scaled), all["Deployment"].(*appsv1.Deployment)
	service, policy := all["Service"].(*corev1.Service), all["NetworkPolicy"].(*networkingv1.NetworkPolicy)
	queue := objects(t, read(t, "kubernetes.yaml"))
	workers := queue["Deployment"].(*appsv1.Deployment)
	if object.Spec.ScaleTargetRef.Name != workers.Name {
		t.Errorf("it scales %q, the workers are %q", object.Spec.ScaleTargetRef.Name, workers.Name)
	}
	if *scaler.Spec.Replicas != 1 {
		t.Errorf("%d scalers", *scaler.Spec.Replicas)
	}
	labels := scaler.Spec.Template.Labels
	for k, v := range service.Spec.Selector {
		if labels[k] != v || scaler.Spec.Selector.MatchLabels[k] != v || policy.Spec.PodSelector.MatchLabels[k] != v {
			t.Errorf("label %s: %s does not meet", k, v)
		}
	}
	admitted := false
	for _, from := range queue["NetworkPolicy"].(*networkingv1.NetworkPolicy).Spec.Ingress[0].From {
		admitted = admitted || from.PodSelector.MatchLabels["app"] == labels["app"]
	}
	if !admitted {
		t.Error("the policy of the queue keeps the scaler out")
	}
	trigger := object.Spec.Triggers[0]
	if want := service.Name + ".default:9090"; trigger.Metadata["scalerAddress"] != want || service.Spec.Ports[0].Port != 9090 {
		t.Errorf("KEDA asks %q, want %q", trigger.Metadata["scalerAddress"], want)
	}
	if name := workers.Spec.Template.Spec.Containers[0].Args[2]; trigger.Metadata["queue"] != name {
		t.Errorf("it looks at the queue %q, the workers work on %q", trigger.Metadata["queue"], name)
	}

	// The scaler must take the metadata, with the bounds of the object.
	s, err := server.NewServer(&server.Options{DontListen: true, NoLog: true, NoSigs: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	nc, err := nats.Connect("", nats.InProcessServer(s), nats.Timeout(time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := kedascale.New(nc).GetMetricSpec(t.Context(), &pb.ScaledObjectRef{Name: object.Metadata.Name, ScalerMetadata: trigger.Metadata}); err != nil {
		t.Error(err)
	}
	var bounds struct{ MinReplicaCount, MaxReplicaCount int }
	if err := yaml.Unmarshal([]byte("minReplicaCount: "+trigger.Metadata["minReplicaCount"]+"\nmaxReplicaCount: "+trigger.Metadata["maxReplicaCount"]), &bounds); err != nil {
		t.Fatal(err)
	}
	if bounds.MinReplicaCount != object.Spec.MinReplicaCount || bounds.MaxReplicaCount != object.Spec.MaxReplicaCount {
		t.Errorf("the trigger has the bounds %+v, the object %d and %d", bounds, object.Spec.MinReplicaCount, object.Spec.MaxReplicaCount)
	}

	// The check sees a slip.
	part := file[bytes.Index(file, []byte("kind: ScaledObject")):]
	part = append([]byte("apiVersion: keda.sh/v1alpha1\n"), part...)
	for _, slip := range [][2]string{{"minReplicaCount: 0", "minReplicas: 0"}, {"stabilizationWindowSeconds: 0", "stabilizationWindow: 0"}, {"maxReplicaCount: 40", "maxReplicaCount: many"}} {
		wrong := bytes.Replace(part, []byte(slip[0]), []byte(slip[1]), 1)
		if err := scaledSchema(t).Validate(decoded(t, wrong)); err == nil {
			t.Errorf("%s passes for %s", slip[1], slip[0])
		}
	}
}
