// Package kedascale tells KEDA, the autoscaler of Kubernetes for queues, how many workers
// a JetStream consumer should have. It implements KEDA's protocol for external scalers
// (gRPC, externalscaler.proto of KEDA 2). The program sweetspot-keda serves it.
//
// A threshold, such as ten messages per worker, is found by trial and error. Here each
// worker's Limiter finds how many messages it handles at a time, and Scale of
// contrib/nats finds the number of workers from that, from what arrives, and from
// what waits.
//
// # What a ScaledObject says
//
//	triggers:
//	  - type: external
//	    metadata:
//	      scalerAddress: sweetspot-keda:9090
//	      queue: pages          # of sweetspot queue, or of any other consumer:
//	      # stream: orders
//	      # consumer: billing
//	      maxReplicaCount: "40" # as of the ScaledObject; 100, as there, if not set
//	      minReplicaCount: "1"  # 0, as there, if not set
//
// The trigger external-push is served, too: a consumer without workers then gets its
// first one within two seconds instead of KEDA's polling interval.
//
// # What it answers
//
// The metric is the number of workers wanted, and its target is 1, so the Horizontal Pod
// Autoscaler sets that number. A target in messages per worker would move as the
// Limiters learn, and KEDA reads a target only when the ScaledObject changes. The object
// is active while a message waits or is not acknowledged.
//
// The law releases workers by itself, without flapping. So let the autoscaler follow
// down at once:
//
//	advanced:
//	  horizontalPodAutoscalerConfig:
//	    behavior:
//	      scaleDown:
//	        stabilizationWindowSeconds: 0
//
// # Workers
//
// They must announce themselves: sweetspot queue work does; a program of your own sets
// the option Announce of contrib/nats. The scaler needs the right to read the consumer's
// state and to publish to "sweetspot.workers.>". It keeps what it measures in memory.
// After a restart it begins with the workers that there are. Run one replica of it.
package kedascale
