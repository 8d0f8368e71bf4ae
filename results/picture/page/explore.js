"use strict";
// The page of explore: the same parts, and what can be done next. The walk is a list of
// the names of actions; the server says what it leads to.

// Refusal is what the server said instead of an answer, or that it said nothing.
class Refusal extends Error {}

class Explore {
  constructor(formats) {
    this.walk = [];
    this.formats = formats;
    this.message = el("p", { class: "message", role: "alert", hidden: true });
    this.status = el("div", { class: "row status", "aria-live": "polite", id: "status" });
    this.choices = el("section", { class: "card", id: "choices", "aria-label": "possible steps" });
    this.why = el("div", {});
    this.busy = false;
    this.tools = this.toolbar();
  }

  toolbar() {
    const button = (id, text, title, act) => el("button", { type: "button", id, title, onclick: act }, text);
    this.undo = button("undo", "Undo", "take the last step back (Backspace)", () => this.go(this.walk.slice(0, -1)));
    this.search = button("check", "Find a counterexample", "check the specification and walk what it finds", () => this.find());
    this.found = el("select", { id: "found", hidden: true, "aria-label": "counterexample", onchange: () => this.go(this.violations[this.found.value].actions) });
    const file = el("input", { type: "file", id: "file", class: "visually-hidden", tabindex: "-1", "aria-label": "trace in the format json or itf", onchange: () => this.load(file) });
    const open = button("open", "Open a trace…", "walk a trace in the format json or itf", () => file.click());
    this.format = el("select", { id: "format", "aria-label": "format of the export" }, this.formats.map((f) => el("option", { value: f, selected: f === "json" }, f)));
    const save = button("export", "Export", "save the walk", () => this.save());
    document.addEventListener("keydown", (event) => {
      if (event.key === "Backspace" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && this.walk.length) this.undo.click();
    });
    return el("div", { class: "row tools" }, this.undo, button("restart", "Start again", "back to the initial state", () => this.go([])),
      this.search, this.found, open, file, el("span", { class: "push" }), this.format, save);
  }

  // ask sends a request; what the server refuses is shown and ends what asked.
  async ask(path, body) {
    const gone = () => { throw new Refusal("the server does not answer: has it been ended?"); };
    const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: typeof body === "string" ? body : JSON.stringify(body) }).catch(gone);
    if (!answer.ok) throw new Refusal((await answer.json()).error);
    return answer;
  }

  // during does one thing at a time and shows what went wrong.
  async during(what, act) {
    if (this.busy) return;
    this.busy = true;
    document.body.setAttribute("aria-busy", "true");
    this.say(what);
    try {
      await act();
      if (this.message.textContent === what) this.say("");
    } catch (error) {
      this.say(error.message, "bad");
      if (!(error instanceof Refusal)) throw error;
    } finally {
      this.busy = false;
      document.body.removeAttribute("aria-busy");
    }
  }

  say(text, kind) {
    this.message.textContent = text;
    this.message.className = "message " + (kind || "");
    this.message.hidden = !text;
  }

  // go walks a list of actions and shows where it leads.
  go(walk) { return this.during("", () => this.arrive(walk)); }

  async arrive(walk) {
    const { diagram, choices } = await (await this.ask("walk", { actions: walk })).json();
    this.walk = walk;
    this.ready = { at: walk.length, choices };
    if (!this.parts) this.start(diagram);
    else this.parts.replace(diagram, walk.length);
    this.undo.disabled = walk.length === 0;
    this.why.replaceChildren(...(diagram.explanation ? [explanationPanel(diagram)] : []));
  }

  start(diagram) {
    this.parts = new Behaviour(diagram, (i) => this.onStep(i));
    const columns = this.parts.columns();
    columns.append(el("div", { class: "stack" }, this.choices, columns.lastChild));
    document.getElementById("page").replaceChildren(pageHead({ ...diagram, property: "" }), this.tools, this.parts.stepper.node, this.status, this.message, columns, this.why,
      constraintsPanel(diagram), settingsPanel("Configuration", diagram.config), settingsPanel("Rules", diagram.rules),
      el("footer", {}, `Served by ${diagram.program} on this machine. Keys: ← → step, Backspace undoes. A step from an earlier moment replaces what came after it.`));
    this.parts.show(this.parts.stepper.at);
  }

  // onStep shows what can be done at moment i.
  async onStep(i) {
    this.showStatus(i);
    if (this.ready && this.ready.at === i) { this.showChoices(i, this.ready.choices); return; }
    const walk = this.walk.slice(0, i);
    this.choices.replaceChildren(); // those of another moment must not be taken here
    try {
      const { choices } = await (await this.ask("choices", { actions: walk })).json();
      if (this.parts.at === i) this.showChoices(i, choices);
    } catch (error) { this.say(error.message, "bad"); }
  }

  showStatus(i) {
    const m = this.parts.data.moments[i];
    const open = (m.properties || []).filter((p) => p.status !== "holds");
    const tags = open.map((p) => tag(p.status === "violated" ? `${p.name} violated` : `${p.name} waits: ${p.detail}`, p.status === "violated" ? "bad" : "warn"));
    this.status.replaceChildren(...(tags.length ? tags : [tag("all properties hold here", "good")]), m.quiescent ? tag("quiescent") : "",
      m.cut ? tag("outside the specification's constraint: check does not go on from here", "warn") : "");
  }

  showChoices(i, choices) {
    const data = this.parts.data, later = i < this.walk.length;
    const take = (c) => this.go([...this.walk.slice(0, i), c.action]);
    const button = (c) => {
      const what = (c.notes || [])[0] || (c.changes || [])[0] || c.doc;
      const kind = c.lost ? "bad" : family[c.message] || "local";
      return el("li", {}, el("button", { type: "button", class: "choice " + kind, "data-action": c.action, title: [c.action, ...(c.notes || []), ...(c.changes || [])].join("\n"), onclick: () => take(c) },
        el("span", { class: "name" }, (c.lost ? "✕ lose " : "") + c.label, !c.fair && !c.lost && el("span", { class: "may" }, "may, need not")), el("span", { class: "what" }, what.replaceAll(" -> ", " → "))));
    };
    const lanes = data.lanes.map((name, lane) => {
      const mine = choices.filter((c) => c.lane === lane && !c.lost), lose = choices.filter((c) => c.lane === lane && c.lost);
      if (!mine.length && !lose.length) return null;
      return el("div", { class: "lanechoices", "data-lane": lane }, el("h3", {}, name[0].toUpperCase() + name.slice(1)), el("ul", {}, mine.map(button)),
        lose.length > 0 && el("details", {}, el("summary", {}, `lose ${plural(lose.length, "message")}`), el("ul", {}, lose.map(button))));
    }).filter(Boolean);
    this.choices.replaceChildren(el("div", { class: "row" }, el("h2", {}, `${plural(choices.length, "step")} can be taken`),
      later && tag("replaces the steps after " + i, "warn")),
    ...(lanes.length ? lanes : [el("p", { style: "color:var(--soft)" }, "Nothing changes this state any more.")]));
  }

  find() {
    return this.during("searching…", async () => {
      const answer = await (await this.ask("check", {})).json();
      this.violations = answer.violations;
      this.found.hidden = !answer.violations.length;
      if (!answer.violations.length) {
        this.say(`${answer.verdict}${answer.within || ""}: ${answer.reason || "no counterexample"} (${answer.distinct.toLocaleString("en")} distinct states${answer.cut ? "; " + answer.cut : ""})`, answer.verdict === "holds" ? "good" : "");
        return;
      }
      this.found.replaceChildren(...answer.violations.map((v, k) => el("option", { value: k }, `${v.property}, ${plural(v.actions.length, "step")}`)));
      await this.arrive(answer.violations[0].actions);
    });
  }

  load(file) {
    return this.during("reading…", async () => {
      const [first] = file.files;
      if (!first) return;
      const text = await first.text();
      file.value = "";
      const { actions, differs } = await (await this.ask("load", text)).json();
      await this.arrive(actions);
      if (differs.length) this.say("walked under other settings than the trace's: " + differs.join("; "));
    });
  }

  save() {
    return this.during("", async () => {
      const format = this.format.value, endings = { json: "json", itf: "itf.json", tla: "tla", html: "html", mermaid: "mmd", dot: "dot", shiviz: "log", "tlc-tool": "out" };
      const answer = await this.ask("export", { actions: this.walk, format });
      const link = el("a", { href: URL.createObjectURL(await answer.blob()), download: `walk.${endings[format] || "txt"}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    });
  }
}

globalThis.startExplore = () => {
  const { formats } = JSON.parse(document.getElementById("diagram").textContent);
  const page = new Explore(formats);
  document.getElementById("page").replaceChildren(page.message);
  page.go([]);
};
