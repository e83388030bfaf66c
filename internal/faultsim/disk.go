package faultsim

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// disk is a directory with a cache in front: what was not synced may be torn or
// missing after a power failure.
type disk struct {
	files    map[string][]byte // as the process sees them
	unsynced map[string]bool   // whose content is only in the cache
	names    map[string][]byte // the directory as it is on the disk
}

func (d *disk) write(name string, b []byte) {
	if d.files == nil {
		d.files, d.unsynced = make(map[string][]byte), make(map[string]bool)
	}
	d.files[name], d.unsynced[name] = b, true
}

func (d *disk) sync(name string) { delete(d.unsynced, name) }

func (d *disk) rename(from, to string) {
	d.files[to] = d.files[from]
	if d.unsynced[from] {
		d.unsynced[to] = true
	}
	d.remove(from)
}

func (d *disk) remove(name string) {
	delete(d.files, name)
	delete(d.unsynced, name)
}

func (d *disk) syncDir() { d.names = maps.Clone(d.files) }

// powerFailure leaves the old or the new directory, and of unsynced files a part.
func (d *disk) powerFailure(rng *rand.Rand) {
	if rng.IntN(2) == 0 {
		d.files = maps.Clone(d.names)
	}
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if d.unsynced[name] {
			d.files[name] = d.files[name][:rng.IntN(len(d.files[name])+1)]
		}
	}
	clear(d.unsynced)
	d.syncDir()
}

// list returns the names with a prefix, the last first.
func (d *disk) list(match func(string) bool) []string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(d.files)), func(s string) bool { return !match(s) })
	slices.Reverse(names)
	return names
}
