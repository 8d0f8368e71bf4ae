package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"vsrcheck/cmd/vsrcheck/internal/behaviour"
	"vsrcheck/cmd/vsrcheck/internal/job"
	"vsrcheck/cmd/vsrcheck/internal/tell"
	"vsrcheck/explore"
	"vsrcheck/model"
	"vsrcheck/results"
	"vsrcheck/results/picture"
	"vsrcheck/results/trace"
)

// Explorer is the server behind the page of explore. It keeps no walk: every request
// brings the names of the actions taken so far, and the answer is a function of them.
// So going back, trying another way and a second window need nothing here.
//
// It is for the person at this machine. It listens on 127.0.0.1 only, its address has a
// random token, and it refuses other hosts (a name that somebody lets point here) and
// other origins (a page from elsewhere in the same browser).
type Explorer struct {
	*job.Job
	Host      string // 127.0.0.1:PORT
	Token     string
	maxStates uint64
	searching sync.Mutex // one search for a counterexample at a time
}

// New serves a job for a host, which is 127.0.0.1:PORT. A search from the page ends beyond maxStates
// distinct states.
func New(j *job.Job, host string, maxStates uint64) *Explorer {
	return &Explorer{Job: j, Host: host, Token: strings.ToLower(rand.Text()), maxStates: maxStates}
}

// Address is the page's address.
func (e *Explorer) Address() string { return "http://" + e.Host + "/" + e.Token + "/" }

// Bounds of what is read from a request.
const (
	maxWalkBytes = 4 << 20
	MaxWalkSteps = 2000
	maxLoadBytes = 64 << 20
)

// exploreError is what is answered instead of a result.
type exploreError struct {
	status  int
	message string
}

func (e *exploreError) Error() string { return e.message }

func refuse(status int, format string, args ...any) error {
	return &exploreError{status, fmt.Sprintf(format, args...)}
}

// ServeHTTP answers one request.
func (e *Explorer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	path, err := e.admit(r)
	if err == nil {
		err = e.answer(w, r, path)
	}
	if err == nil {
		return
	}
	status := http.StatusUnprocessableEntity
	var refused *exploreError
	if errors.As(err, &refused) {
		status = refused.status
	}
	writeJSONAnswer(w, status, map[string]string{"error": strings.ReplaceAll(err.Error(), "\n", "; ")})
}

// admit refuses what does not come from the page, and says which part of it is asked for.
func (e *Explorer) admit(r *http.Request) (path string, err error) {
	if r.Host != e.Host {
		return "", refuse(http.StatusMisdirectedRequest, "got host %q, want %s", r.Host, e.Host)
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+e.Host {
		return "", refuse(http.StatusForbidden, "got origin %q, want http://%s", origin, e.Host)
	}
	if site := r.Header.Get("Sec-Fetch-Site"); site != "" && site != "same-origin" && site != "none" {
		return "", refuse(http.StatusForbidden, "got a request from another site")
	}
	token, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(e.Token)) != 1 {
		return "", refuse(http.StatusForbidden, "the token is missing or wrong, want the address as it was printed")
	}
	return path, nil
}

// answer does what is asked for.
func (e *Explorer) answer(w http.ResponseWriter, r *http.Request, path string) (err error) {
	defer func() {
		// A model that fails in a state must not take the page with it.
		if v := recover(); v != nil {
			err = refuse(http.StatusInternalServerError, "the model failed: %v", v)
		}
	}()
	if path == "" {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return refuse(http.StatusMethodNotAllowed, "got %s, want GET", r.Method)
		}
		var page bytes.Buffer
		if err := picture.WriteExplorePage(&page, "explore "+e.Name, trace.FormatNames()); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page.Bytes()) // whoever asked has gone, and takes no error either
		return nil
	}
	if r.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "got %s, want POST", r.Method)
	}
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "got the content type %q, want application/json", r.Header.Get("Content-Type"))
	}
	switch path {
	case "walk":
		return e.withWalk(w, r, e.walk)
	case "choices":
		return e.withWalk(w, r, func(_ *walkRequest, walk []explore.Step[model.State]) (any, error) {
			return map[string]any{"choices": e.choices(&walk[len(walk)-1].State)}, nil
		})
	case "check":
		return e.check(w, r)
	case "load":
		return e.load(w, r)
	case "export":
		return e.export(w, r)
	}
	return refuse(http.StatusNotFound, "got %q, want walk, choices, check, load or export", path)
}

func writeJSONAnswer(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"the answer cannot be written"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data) // whoever asked has gone
}

// walkRequest is a walk as the page sends it.
type walkRequest struct {
	Actions []string `json:"actions"`
	Format  string   `json:"format"` // of an export
}

// readWalk reads a walk and takes its steps.
func (e *Explorer) readWalk(w http.ResponseWriter, r *http.Request) (*walkRequest, []explore.Step[model.State], error) {
	var request walkRequest
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxWalkBytes))
	d.DisallowUnknownFields()
	if err := d.Decode(&request); err != nil {
		return nil, nil, refuse(http.StatusBadRequest, "got no walk: %v", err)
	}
	if n := len(request.Actions); n > MaxWalkSteps {
		return nil, nil, refuse(http.StatusBadRequest, "got a walk of %d steps, want at most %d", n, MaxWalkSteps)
	}
	walk, err := e.follow(request.Actions)
	return &request, walk, err
}

// withWalk answers with what do makes of a walk.
func (e *Explorer) withWalk(w http.ResponseWriter, r *http.Request, do func(*walkRequest, []explore.Step[model.State]) (any, error)) error {
	request, walk, err := e.readWalk(w, r)
	if err != nil {
		return err
	}
	out, err := do(request, walk)
	if err != nil {
		return err
	}
	writeJSONAnswer(w, http.StatusOK, out)
	return nil
}

// follow takes the steps of a walk from the initial state.
func (e *Explorer) follow(actions []string) ([]explore.Step[model.State], error) {
	walk := e.Start()
	for i, name := range actions {
		a, err := e.Model.ParseAction(name)
		if err != nil {
			return nil, fmt.Errorf("step %d: %w", i+1, err)
		}
		t, why := e.Model.Try(&walk[i].State, a)
		if why != "" {
			return nil, fmt.Errorf("step %d, %s, is not possible: %s", i+1, name, why)
		}
		walk = append(walk, explore.Step[model.State]{Action: a, State: e.Model.Kept(&t)})
	}
	return walk, nil
}

// walk is the diagram of a walk with what can be done at its end.
func (e *Explorer) walk(_ *walkRequest, walk []explore.Step[model.State]) (any, error) {
	trace := e.walkTrace(walk)
	d := behaviour.DiagramOf(e.Job, trace, walk)
	if trace.Property == "" {
		d.Explanation = ""
	}
	return map[string]any{"diagram": d, "choices": e.choices(&walk[len(walk)-1].State)}, nil
}

// walkTrace is a walk as a trace: of the first property that its end violates, if any.
func (e *Explorer) walkTrace(walk []explore.Step[model.State]) *trace.Trace {
	last := &walk[len(walk)-1].State
	if names := e.Bound.FalseIn(last); len(names) > 0 {
		return behaviour.Trace(e.Job, names[0], explore.KindInvariant, walk, -1)
	}
	if n := len(walk); n > 1 {
		if names := e.Bound.FalseFor(&walk[n-2].State, walk[n-1].Action, last); len(names) > 0 {
			return behaviour.Trace(e.Job, names[0], explore.KindAction, walk, -1)
		}
	}
	if names := e.Bound.OutstandingIn(last); len(names) > 0 && e.Model.Quiescent(last) {
		return behaviour.Trace(e.Job, names[0], explore.KindLiveness, walk, -1)
	}
	return behaviour.Trace(e.Job, "", "", walk, -1)
}

// ExploreChoice is a step that can be taken, with what it would do.
type ExploreChoice struct {
	Action  string   `json:"action"`
	Label   string   `json:"label"`
	Kind    string   `json:"kind"`
	Doc     string   `json:"doc"`
	Lane    int      `json:"lane"`
	Message string   `json:"message,omitempty"` // the kind of the message that it delivers or loses
	Fair    bool     `json:"fair"`
	Lost    bool     `json:"lost,omitempty"`
	Notes   []string `json:"notes,omitempty"`
	Changes []string `json:"changes,omitempty"`
}

// choices are the steps that change a state, in the model's order.
func (e *Explorer) choices(s *model.State) []ExploreChoice {
	out := []ExploreChoice{}
	m := e.Model
	var t model.State
	m.Next(s, &t, func(a uint32) {
		if t == *s {
			return
		}
		told := behaviour.Tell(m, s, a, &t)
		c := ExploreChoice{
			Action: told.Action, Label: told.Label, Kind: told.Kind, Doc: m.KindDoc(m.Kind(a)), Lane: told.Actor,
			Fair: told.Fair, Lost: told.Lost, Notes: told.Notes, Changes: told.Changes,
		}
		if told.Message != nil {
			c.Message = told.Message.Name
		}
		out = append(out, c)
	})
	return out
}

// check looks for counterexamples to the specification, as the command check does.
func (e *Explorer) check(w http.ResponseWriter, r *http.Request) error {
	if !e.searching.TryLock() {
		return refuse(http.StatusConflict, "a search is under way already")
	}
	defer e.searching.Unlock()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out, err := e.Run(ctx, explore.Options{MaxStates: e.maxStates, MemoryLimit: exploreMemory})
	if err != nil {
		return err
	}
	type found struct {
		Property string   `json:"property"`
		Kind     string   `json:"kind"`
		Actions  []string `json:"actions"`
	}
	answer := struct {
		Verdict    string  `json:"verdict"`
		Reason     string  `json:"reason,omitempty"`
		Distinct   uint64  `json:"distinct"`
		Violations []found `json:"violations"`
		Within     string  `json:"within,omitempty"` // the constraints, and what they cut off
		Cut        string  `json:"cut,omitempty"`
	}{Verdict: string(out.Verdict), Reason: out.Why, Distinct: out.Distinct, Violations: []found{}, Within: out.Within()}
	if answer.Within != "" {
		answer.Cut = results.CutOff(out.Outside)
	}
	for i := range out.Violations {
		if v := out.ViolationRecord(&out.Violations[i]); len(v.Actions) > 0 {
			answer.Violations = append(answer.Violations, found{v.Property, v.Kind, v.Actions})
		}
	}
	writeJSONAnswer(w, http.StatusOK, answer)
	return nil
}

// exploreMemory bounds a search from the page: the machine is somebody's who does other
// things, too.
const exploreMemory = 2 << 30

// load reads a trace in the format json or itf, whose steps are then walked under the
// rules of this page.
func (e *Explorer) load(w http.ResponseWriter, r *http.Request) error {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLoadBytes))
	if err != nil {
		return refuse(http.StatusBadRequest, "got no trace: %v", err)
	}
	variables, err := behaviour.Variables()
	if err != nil {
		return err
	}
	t, err := trace.Read(data, variables)
	if err != nil {
		return err
	}
	answer := struct {
		Actions []string `json:"actions"`
		Differs []string `json:"differs"` // settings that are not the trace's
	}{[]string{}, []string{}}
	for _, s := range t.Steps[1:] {
		answer.Actions = append(answer.Actions, s.Action)
	}
	here := map[string]string{}
	for _, s := range append(e.ConfigSettings(), e.RuleSettings()...) {
		here[s.Name] = s.Value
	}
	for _, s := range slices.Concat(t.Config, behaviour.Rules(t)) {
		if got, ok := here[s.Name]; ok && got != s.Value {
			answer.Differs = append(answer.Differs, fmt.Sprintf("%s = %s, the trace has %s", s.Name, got, s.Value))
		}
	}
	writeJSONAnswer(w, http.StatusOK, answer)
	return nil
}

// export writes a walk in a format of traces.
func (e *Explorer) export(w http.ResponseWriter, r *http.Request) error {
	request, walk, err := e.readWalk(w, r)
	if err != nil {
		return err
	}
	format, ok := trace.FindFormat(request.Format)
	if !ok {
		return refuse(http.StatusBadRequest, "got unknown format %q, want one of %s", request.Format, strings.Join(trace.FormatNames(), ", "))
	}
	t := e.walkTrace(walk)
	if t.Variables, err = behaviour.Variables(); err != nil {
		return err
	}
	opt := trace.WriteOptions{TextOptions: trace.TextOptions{Width: tell.DefaultWidth}, File: "walk"}
	if format.Drawn {
		opt.Diagram = behaviour.DiagramOf(e.Job, t, walk)
	}
	data, err := format.Bytes(t, opt)
	if err != nil {
		return err
	}
	// A page that came from here could act as this one; as a file it cannot.
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", "attachment")
	_, _ = w.Write(data) // as above
	return nil
}

// Serve answers until the context is cancelled.
func (e *Explorer) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: e, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve the page: %w", err)
	case <-ctx.Done():
	}
	// A search under way ends with the context; the rest is quick.
	patience, cancel := context.WithTimeout(context.WithoutCancel(ctx), 3*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("end the page: %w", err)
	}
	return server.Close()
}
