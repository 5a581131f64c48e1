package main

import (
	"crypto/sha256"
	"slices"
)

// The halves of the corpus.
const (
	tuned = "tuned"
	fresh = "fresh"
)

// These come with the installed Go: the standard library, and the commands of go.
const (
	std = "std"
	cmd = "cmd"
)

// A module is one that is looked at.
type module struct{ path, version string }

// modules are all that are looked at.
var modules = slices.Concat(first, later)

// first are the modules that there were while filters of the checks were made.
var first = []module{
	{std, ""},
	{"google.golang.org/grpc", "v1.85.0"},
	{"k8s.io/client-go", "v0.37.2"},
	{"github.com/cockroachdb/pebble/v2", "v2.1.7"},
	{"github.com/nats-io/nats-server/v2", "v2.15.2"},
	{"github.com/klauspost/compress", "v1.20.3"},
	{"github.com/apache/arrow-go/v18", "v18.8.0"},
	{"github.com/tetratelabs/wazero", "v1.12.0"},
	{"github.com/btcsuite/btcd", "v0.26.2"},
	{"github.com/libp2p/go-libp2p", "v0.51.0"},
	{"gvisor.dev/gvisor", "v0.0.0-20260905035102-160fafc42237"},
	{"github.com/minio/minio", "v0.0.0-20260212201848-7aac2a2c5b7c"},
	{"github.com/caddyserver/caddy/v2", "v2.11.9"},
	{"github.com/quic-go/quic-go", "v0.65.0"},
	{"github.com/redis/go-redis/v9", "v9.23.0"},
	{"github.com/junegunn/fzf", "v0.65.2"},
	{"golang.org/x/tools", "v0.52.0"},
	{"github.com/valyala/fasthttp", "v1.68.0"},
	{"github.com/IBM/sarama", "v1.61.1"},
	{"github.com/cometbft/cometbft", "v1.0.1"},
	{"github.com/open-policy-agent/opa", "v1.22.2"},
	{"github.com/go-git/go-git/v5", "v5.19.3"},
	{"github.com/hajimehoshi/ebiten/v2", "v2.8.8"},

	// Where many locks are, or many goroutines.
	{"github.com/coocood/freecache", "v1.2.7"},
	{"github.com/allegro/bigcache/v3", "v3.1.0"},
	{"github.com/dgraph-io/ristretto/v2", "v2.4.2"},
	{"github.com/VictoriaMetrics/fastcache", "v1.13.0"},
	{"github.com/orcaman/concurrent-map/v2", "v2.0.1"},
	{"github.com/maypok86/otter/v2", "v2.4.0"},
	{"github.com/zeromicro/go-zero", "v1.10.3"},
	{"github.com/anacrolix/torrent", "v1.62.0"},
	{"github.com/RoaringBitmap/roaring/v2", "v2.30.0"},
	{"github.com/lightningnetwork/lnd", "v0.18.3-beta.rc3"},
	{"github.com/disintegration/imaging", "v1.6.2"},
	{"github.com/hashicorp/golang-lru/v2", "v2.0.7"},
	{"github.com/puzpuzpuz/xsync/v4", "v4.5.0"},
	{"github.com/Yiling-J/theine-go", "v0.6.3"},
	{"github.com/bytedance/gopkg", "v0.1.4"},
	{"github.com/cloudwego/hertz", "v0.10.4"},
	{"github.com/golang/groupcache", "v0.0.0-20241129210726-2c02b8208cf8"},
	{"github.com/asynkron/protoactor-go", "v0.0.0-20240822202345-3c0e61ca19c9"},
	{"github.com/mochi-mqtt/server/v2", "v2.7.9"},
	{"github.com/grafana/dskit", "v0.0.0-20260703122047-de1ec7541c44"},
	{"github.com/tikv/client-go/v2", "v2.0.4"},
	{"github.com/ipfs/boxo", "v0.43.0"},
	{"github.com/hashicorp/memberlist", "v0.7.0"},
	{"github.com/xtls/xray-core", "v1.260327.0"},
	{"github.com/twmb/franz-go", "v1.22.2"},
	{"github.com/cilium/ebpf", "v0.22.0"},

	// Where the filters of the checks come from.
	{"github.com/dgraph-io/badger/v4", "v4.9.6"},
	{"gonum.org/v1/gonum", "v0.17.0"},
	{"go.etcd.io/etcd/pkg/v3", "v3.7.3"},
	{"github.com/ethereum/go-ethereum", "v1.17.10"},
	{"github.com/anthonynsimon/bild", "v0.14.0"},
}

// later are modules that came when the filters were there.
var later = []module{
	{"go.temporal.io/server", "v1.32.1"},
	{"github.com/VictoriaMetrics/VictoriaMetrics", "v1.130.0"},
	{"vitess.io/vitess", "v0.23.0"},
	{cmd, ""},
	{"github.com/gogf/gf/v2", "v2.9.5"},
	{"github.com/prometheus/prometheus", "v0.303.0"},
	{"github.com/weaviate/weaviate", "v1.34.0"},
	{"github.com/influxdata/influxdb/v2", "v2.7.12"},
	{"github.com/centrifugal/centrifuge", "v0.38.0"},
	{"github.com/cosmos/iavl", "v1.3.5"},
	{"github.com/panjf2000/gnet/v2", "v2.9.4"},
	{"github.com/ethersphere/bee/v2", "v2.6.0"},
	{"github.com/syncthing/syncthing", "v1.30.0"},
	{"github.com/hashicorp/nomad", "v1.11.0"},
	{"tailscale.com", "v1.90.6"},
	{"github.com/OffchainLabs/prysm/v6", "v6.1.4"},
	{"k8s.io/kubernetes", "v1.35.0"},
	{"github.com/ava-labs/avalanchego", "v1.14.0"},
	{"github.com/google/gopacket", "v1.1.19"},
	{"go.mongodb.org/mongo-driver/v2", "v2.8.0"},
	{"go.temporal.io/sdk", "v1.50.0"},
	{"github.com/apache/pulsar-client-go", "v0.17.0"},
	{"github.com/containerd/containerd/v2", "v2.1.5"},
	{"github.com/blevesearch/bleve/v2", "v2.5.4"},
	{"github.com/nats-io/nats.go", "v1.55.0"},
	{"github.com/slackhq/nebula", "v1.11.2"},
	{"github.com/dop251/goja", "v0.0.0-20230605162241-28ee0ee714f3"},
	{"github.com/blugelabs/bluge", "v0.2.2"},
	{"golang.org/x/net", "v0.61.0"},
	{"golang.org/x/crypto", "v0.58.0"},
	{"honnef.co/go/tools", "v0.8.2"},
	{"k8s.io/apimachinery", "v0.37.2"},
	{"github.com/pion/webrtc/v4", "v4.1.2"},
	{"github.com/minio/mc", "v0.0.0-20250313080218-cf909e1063a9"},
	{"github.com/cloudflare/circl", "v1.6.5"},
	{"github.com/jackc/pgx/v5", "v5.12.0"},
	{"github.com/golangci/golangci-lint/v2", "v2.15.0"},
	{"github.com/ipfs/kubo", "v0.38.2"},
	{"github.com/projectdiscovery/nuclei/v3", "v3.4.10"},
	{"github.com/ollama/ollama", "v0.12.10"},
}

// neighbours are the releases of the other modules of a repository, where the go.mod
// of its main module requires them without one.
var neighbours = map[string]string{
	"k8s.io/kubernetes": "v0.35.0",
}

func (m module) String() string {
	if m.version == "" {
		return m.path
	}
	return m.path + "@" + m.version
}

// studied are the modules that were read while the checks were designed, and those of
// later that a filter was made from.
var studied = map[string]bool{
	"github.com/dgraph-io/badger/v4":  true,
	"gonum.org/v1/gonum":              true,
	"go.etcd.io/etcd/pkg/v3":          true,
	"github.com/ethereum/go-ethereum": true,
	"github.com/anthonynsimon/bild":   true,
	"vitess.io/vitess":                true,
	"github.com/ethersphere/bee/v2":   true,
	"k8s.io/kubernetes":               true,
}

// half draws lots among the first by a hash of the path, so that nobody chooses in
// which half the findings of a module are. A module that was studied is of the tuned
// half, and one that came later is fresh.
func (m module) half() string {
	switch {
	case m.path == std:
		return std
	case studied[m.path]:
		return tuned
	case slices.Contains(later, m), sha256.Sum256([]byte(m.path))[0]%2 == 1:
		return fresh
	}
	return tuned
}
