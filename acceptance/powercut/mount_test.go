//go:build linux

package powercut_test

import (
	"os"
	"testing"

	"github.com/sweetspot-go/sweetspot/acceptance/powercut"
)

// mount shows a new disk at a new directory. Where that cannot be, the test is skipped,
// also in CI: nothing that make deps installs gives a container /dev/fuse.
func mount(t *testing.T, o powercut.Options) (*powercut.Disk, string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("power cuts need root, to mount a file system: run the test as root")
	}
	if f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); err != nil {
		t.Skipf("power cuts need FUSE: %v (a container gets it by --device /dev/fuse --cap-add SYS_ADMIN)", err)
	} else {
		f.Close()
	}
	disk, dir := powercut.NewDisk(o), t.TempDir()
	if err := disk.Mount(dir); err != nil {
		t.Skipf("power cuts need to mount a file system: %v", err)
	}
	t.Cleanup(func() {
		if err := disk.Close(); err != nil {
			t.Error(err)
		}
	})
	return disk, dir
}
