package kedascale

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	pb "github.com/kedacore/keda/v2/pkg/scalers/externalscaler"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	natslimit "github.com/sweetspot-go/sweetspot/contrib/nats"
)

// A target is what the metadata of a trigger says.
type target struct {
	stream, consumer string
	least, most      int
}

// defaultMost is the maxReplicaCount of a ScaledObject that sets none.
const defaultMost = 100

// inNoName is what no name of a stream or consumer has: its client for Go refuses these before it asks the server.
const inNoName = ">*. /\\\t\r\n"

func targetOf(ref *pb.ScaledObjectRef) (t target, err error) {
	wrong := func(format string, args ...any) (target, error) {
		args = append([]any{ref.GetNamespace(), ref.GetName()}, args...)
		return target{}, status.Errorf(codes.InvalidArgument, "sweetspot: ScaledObject %s/%s: "+format, args...)
	}
	m := ref.GetScalerMetadata()
	t.stream, t.consumer = m["stream"], m["consumer"]
	switch queue := m["queue"]; {
	case queue != "" && (t.stream != "" || t.consumer != ""):
		return wrong("queue and stream both name what to scale: want queue, or stream and consumer")
	case queue != "":
		t.stream, t.consumer = "sweetspot_"+queue, "workers"
	case t.stream == "" || t.consumer == "":
		return wrong("nothing to scale is named: want queue, or stream and consumer")
	}
	for _, key := range []string{"queue", "stream", "consumer"} {
		if i := strings.IndexAny(m[key], inNoName); i >= 0 {
			return wrong("%s %q has a %q: want a name without any of %q", key, m[key], m[key][i], inNoName)
		}
	}
	for _, n := range []struct {
		key   string
		unset int
		to    *int
	}{{"minReplicaCount", 0, &t.least}, {"maxReplicaCount", defaultMost, &t.most}} {
		*n.to = n.unset
		if text := m[n.key]; text != "" {
			if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 0 {
				return wrong("%s is %q: want a number from 0 on", n.key, text)
			}
		}
	}
	if t.most < max(t.least, 1) {
		return wrong("maxReplicaCount is %d: want at least 1, and minReplicaCount, which is %d", t.most, t.least)
	}
	return t, nil
}

// A key tells objects apart. One whose target changes begins anew.
type key struct {
	namespace, name string
	target          target
}

// An object is a ScaledObject under way.
type object struct {
	target target
	mu     sync.Mutex
	scale  natslimit.Scale
	at     time.Time // of the last measurement whose answer stands
	wanted int
	looked time.Time // when it was last measured
	heard  time.Time // when a worker last said something, none was needed, or nobody had asked for a while
	asked  time.Time // belongs to Server.mu
}

// object returns the object of a reference, and forgets those that nobody asks about.
func (s *Server) object(ref *pb.ScaledObjectRef, t target) *object {
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.objects, func(_ key, o *object) bool { return now.Sub(o.asked) > forgetAfter })
	k := key{ref.GetNamespace(), ref.GetName(), t}
	o := s.objects[k]
	if o == nil {
		o = &object{target: t, scale: natslimit.Scale{Min: t.least, Max: t.most}}
		s.objects[k] = o
	}
	o.asked = now
	return o
}

// silentMost is how long a worker may take that says something. After that the autoscaler
// gets an error to show: it would keep one worker for ever that does not announce itself.
const silentMost = 10 * time.Minute

// attentive is how often workers are asked about while some are wanted: the autoscaler asks every
// 15 s. After a longer gap, as when the object was paused, it cannot have started the first one.
const attentive = time.Minute

// workers returns how many there should be.
func (o *object) workers(ctx context.Context, s *Server) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.at.IsZero() && time.Since(o.at) < cmp.Or(max(s.Every, 0), defaultEvery) {
		return o.wanted, nil
	}
	info, workers, err := s.measure(ctx, o.target)
	if err != nil {
		return 0, err
	}
	now := time.Now()
	o.at, o.wanted = now, o.scale.Next(info, workers).Replicas
	if len(workers) > 0 || !natslimit.Active(info) || now.Sub(o.looked) > attentive {
		o.heard = now
	}
	o.looked = now
	if now.Sub(o.heard) > silentMost {
		o.at = time.Time{}
		return 0, status.Errorf(codes.FailedPrecondition,
			"sweetspot: messages wait, and no worker of consumer %s of stream %s has announced itself for %v: want sweetspot queue work, or natslimit.Announce",
			o.target.consumer, o.target.stream, silentMost)
	}
	return o.wanted, nil
}
