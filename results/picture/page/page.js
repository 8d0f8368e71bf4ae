"use strict";
// The page: the head, the step control and the parts beside each other.

function themeButton() {
  const root = document.documentElement;
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = el("button", { type: "button", id: "theme" });
  const show = () => { button.textContent = dark() ? "☀ Light" : "☾ Dark"; };
  button.addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; show(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  show();
  return button;
}

// Stepper is the bar that moves through a behaviour; onStep is called with each move.
class Stepper {
  constructor(onStep) {
    this.onStep = onStep;
    const button = (id, text, label, move, wide) => el("button", { type: "button", id, class: wide ? "wide" : "", "aria-label": label, title: label, onclick: () => this.go(move()) }, text);
    this.slider = el("input", { type: "range", id: "slider", min: 0, max: 0, value: 0, "aria-label": "step", oninput: () => this.go(Number(this.slider.value)) });
    this.output = el("output", { for: "slider" });
    this.first = button("first", "⇤", "first (Home)", () => 0, true);
    this.back = button("back", "←", "back (left arrow)", () => this.at - 1);
    this.next = button("next", "→", "forward (right arrow)", () => this.at + 1);
    this.last = button("last", "⇥", "last (End)", () => this.max, true);
    this.node = el("nav", { class: "bar", "aria-label": "steps" }, this.first, this.back, this.slider, this.next, this.last, this.output);
    document.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || /^(SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    if (event.target.tagName === "INPUT" && event.target !== this.slider) return;
    const moves = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
    if (!(event.key in moves)) return;
    event.preventDefault();
    this.go(this.at + moves[event.key]);
  }

  // set gives the bar a behaviour's length without telling anybody.
  set(data, at) {
    this.data = data;
    this.max = data.moments.length - 1;
    this.slider.max = this.max;
    this.show(at);
  }

  show(at) {
    this.at = at;
    this.slider.value = at;
    this.slider.setAttribute("aria-valuetext", at ? `step ${at} of ${this.max}: ${this.data.moments[at].action}` : "the initial state");
    this.output.replaceChildren("step ", el("b", {}, at), el("span", { class: "of" }, ` of ${this.max}`));
    this.first.disabled = this.back.disabled = at === 0;
    this.last.disabled = this.next.disabled = at === this.max;
  }

  go(at) {
    at = Math.max(0, Math.min(this.max, at));
    if (at === this.at) return;
    this.show(at);
    this.onStep(at);
  }
}

function pageHead(data, ...extra) {
  const steps = plural(data.moments.length - 1, "step");
  return el("header", { class: "top" }, el("div", {}, el("h1", {}, data.spec), el("p", {}, data.summary),
    data.property && el("div", { class: "verdict" }, tag("Violated", "bad"), el("strong", {}, data.property),
      el("span", { style: "color:var(--soft)" }, `${data.kind}, ${steps}: ${data.property_summary}`)),
    data.property && data.conclusion && el("p", { class: "conclusion" }, data.conclusion)), ...extra, themeButton());
}

// behaviourParts are the diagram and the panels, with the bar that moves them.
class Behaviour {
  constructor(data, onStep) {
    this.data = data;
    this.onStep = onStep;
    this.diagram = new Diagram(data, (i) => this.stepper.go(i));
    this.stepper = new Stepper((i) => this.show(i));
    this.side = el("div", { class: "stack", id: "side" });
    this.stepper.set(data, data.moments.length - 1);
  }

  // columns gives many lanes more room.
  columns() {
    return el("div", { class: "columns", style: `--share: ${{ 4: "1.4fr", 5: "1.75fr" }[this.data.lanes.length] || "1.12fr"}` }, this.diagram.node, this.side);
  }

  // replace shows another behaviour at a moment.
  replace(data, at) {
    this.data = data;
    this.stepper.set(data, at);
    this.diagram.replace(data, at);
    this.show(at);
  }

  show(i) {
    this.at = i;
    this.diagram.select(i);
    this.side.replaceChildren(...[stepPanel, statePanel, flightPanel, propertyPanel].map((panel) => panel(this.data, i)).filter(Boolean));
    if (this.onStep) this.onStep(i);
  }
}

function startPage() {
  const data = JSON.parse(document.getElementById("diagram").textContent);
  const parts = new Behaviour(data, (i) => {
    try { history.replaceState(null, "", "#step=" + i); } catch { /* a page without a history is no worse */ }
  });
  document.getElementById("page").replaceChildren(pageHead(data), parts.stepper.node,
    parts.columns(),
    ...[data.explanation && explanationPanel(data),
      constraintsPanel(data), settingsPanel("Configuration", data.config), settingsPanel("Rules", data.rules),
      el("footer", {}, `Drawn by ${data.program}. Keys: ← → step, Home and End, Page Up and Page Down.`)].filter(Boolean));
  const wanted = /^#step=(\d+)$/.exec(location.hash);
  const last = data.moments.length - 1;
  parts.stepper.set(data, wanted ? Math.min(Number(wanted[1]), last) : last);
  parts.show(parts.stepper.at);
}

// The page of explore has more to it, and starts itself.
addEventListener("DOMContentLoaded", () => (globalThis.startExplore || startPage)());
