package main

import (
	"io"
	"runtime/debug"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// billOfMaterials writes what a binary is made of, as its build recorded it.
func (r *release) billOfMaterials(b binary) error {
	bom := cyclonedx.NewBOM()
	self := component(&debug.Module{Path: b.info.Main.Path, Version: b.info.Main.Version})
	self.Type = cyclonedx.ComponentTypeApplication
	bom.Metadata = &cyclonedx.Metadata{Timestamp: r.time.Format(time.RFC3339), Component: &self}
	parts := []cyclonedx.Component{component(&debug.Module{Path: "std", Version: b.info.GoVersion})}
	for _, m := range b.info.Deps {
		if m.Version == "(devel)" { // one of ours
			m.Version = b.info.Main.Version
		}
		parts = append(parts, component(m))
	}
	bom.Components = &parts
	return r.create("sweetspot_"+r.version+"_"+b.String()+".cdx.json", func(w io.Writer) error {
		return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

// component returns a module as a part of something.
func component(m *debug.Module) cyclonedx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	return cyclonedx.Component{
		BOMRef: url, PackageURL: url, Name: m.Path, Version: m.Version, Type: cyclonedx.ComponentTypeLibrary,
	}
}
