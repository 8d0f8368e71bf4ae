package results

import (
	"runtime"
	"runtime/debug"
)

// Build says which program made a record.
type Build struct {
	Version  string `json:"version"`            // of the module; "(devel)" for a build from a work tree
	Revision string `json:"revision,omitempty"` // commit; "" when the build was not stamped
	Modified bool   `json:"modified,omitempty"` // the work tree had changes beyond the commit
	Go       string `json:"go"`
	OS       string `json:"os"`
	Arch     string `json:"arch"`
}

// ReadBuild is the build of the running program.
func ReadBuild() Build {
	b := Build{Version: "(unknown)", Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	if info.Main.Version != "" {
		b.Version = info.Main.Version
	} else {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// String is the build on one line.
func (b Build) String() string {
	out := b.Version
	if b.Revision != "" {
		out += " (" + b.Revision[:min(12, len(b.Revision))]
		if b.Modified {
			out += ", with changes"
		}
		out += ")"
	}
	return out + ", " + b.Go + ", " + b.OS + "/" + b.Arch
}
