package job

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"

	"vsrcheck/results"
	"vsrcheck/specs"
)

// Identity is what a checkpoint says of its check: enough to set it up again, and to
// notice that it would not be the same.
type Identity struct {
	Version string   // of the program
	Commit  string   // it was built from
	Program string   // SHA-256 of the program itself, when the commit does not say all that it was built from
	Layout  string   // of a state
	Spec    string   // the specification with what the command line changed, as a .cfg file
	Name    string   // of the specification
	Path    string   // where it was read from
	Base    string   // the specification without changes
	Args    []string // of the command line
}

// Identity describes a job.
func (j *Job) Identity(args []string, base specs.Spec) *Identity {
	build := results.ReadBuild()
	return &Identity{
		Version: build.Version, Commit: build.Revision, Program: ProgramSum(build), Layout: j.Model.Layout(), Spec: specs.Write(j.Spec),
		Name: j.Name, Path: j.Path, Base: specs.Write(base), Args: args,
	}
}

// ProgramSum is the SHA-256 of the program if it was built from a changed work tree, or
// without a stamp: such builds look alike, and their models may differ.
func ProgramSum(build results.Build) string {
	if build.Revision != "" && !build.Modified {
		return ""
	}
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Text is the identity as a checkpoint keeps it, in JSON.
func (id *Identity) Text() (string, error) {
	data, err := json.Marshal(id)
	return string(data), err
}
