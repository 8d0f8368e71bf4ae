"use strict";
// The space-time diagram: a column for each lane, a row for each moment. A step is one
// event, so a row has one pill, and messages run from pill to pill.

const TOP = 30, RIGHT = 14, LINE = 12.5;
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", sans-serif';
const laneClass = { Primary: "primary", Backup: "backup", ViewChange: "viewchange", Recovering: "recovering" };
// badgeText is what a mark's badge says; numbers are those of the ops.
const badgeText = {
  hole: (ops) => "HOLE " + ops, healed: (ops) => "+" + ops, blocked: () => "!", commit: (ops) => "✓" + ops, apply: (ops) => "✓" + ops,
  "new-view": (ops, text) => "v" + /view (\d+)/.exec(text)[1], "view-change": (ops, text) => "→ v" + /view (\d+)$/.exec(text)[1],
};

// Diagram draws into a figure and follows the current moment. onPick is called with the
// number of a row that was clicked.
class Diagram {
  constructor(data, onPick) {
    this.data = data;
    this.onPick = onPick;
    this.heads = el("div", { class: "heads", "aria-hidden": "true" });
    this.canvas = el("div", {});
    this.scroll = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "space-time diagram" }, this.heads, this.canvas);
    this.node = el("figure", { class: "card diagram", style: "margin:0" }, this.scroll, this.legend = legend(data));
    this.width = 0;
    this.step = data.moments.length - 1;
    new ResizeObserver(() => {
      const width = this.scroll.clientWidth;
      if (!width || width === this.width) return;
      const first = !this.width;
      this.width = width;
      this.draw();
      if (first) this.reveal();
    }).observe(this.scroll);
  }

  // replace shows another behaviour.
  replace(data, step) {
    this.data = data;
    this.step = step;
    const fresh = legend(data);
    this.legend.replaceWith(fresh);
    this.legend = fresh;
    if (this.width) this.draw();
  }

  y(i) { return TOP + i * this.row; }

  // layout decides the columns. When labels are wider than a column they get smaller and
  // go over two lines; when even that does not fit, the diagram scrolls sideways.
  layout() {
    const { data } = this, lanes = data.lanes.length, labels = data.moments.map((m) => (m.lost ? "✕ " : m.refused ? "⊘ " : "") + m.label);
    const looped = data.loop_start < 0 ? 0 : 14; // room for the line back
    const fit = (size, padding, margin) => {
      const gutter = margin + looped;
      Object.assign(this, { size, padding, gutter, font: `550 ${size}px ${FONT}` });
      return (this.width - gutter - RIGHT) / lanes;
    };
    let room = fit(11.5, 20, 42);
    this.narrow = Math.max(...labels.slice(1).map((text) => textWidth(text, this.font) + 40), 0) > room;
    if (this.narrow) room = fit(10.5, 12, 32);
    this.row = this.narrow ? 46 : 40;
    this.labels = labels.map((text) => this.lines(text, room));
    this.pillWidth = this.labels.map((lines) => this.pillFor(lines));
    const widest = Math.max(60, ...this.pillWidth.slice(1));
    this.lane = Math.min(230, Math.max(room, widest + 8));
    this.total = Math.max(this.width, this.gutter + RIGHT + this.lane * lanes);
    const slack = Math.max(0, this.total - this.gutter - RIGHT - this.lane * lanes) / 2;
    this.x = data.lanes.map((_, i) => this.gutter + slack + this.lane * (i + 0.5));
    this.waiting = data.lanes.map(() => 0);
  }

  // lines breaks a label for a narrow column: between words, also those in a name.
  lines(text, room) {
    if (!this.narrow) return [text];
    const out = [];
    for (const word of text.split(/(?= )|(?<=[a-z])(?=[A-Z])/)) {
      const longer = (out.at(-1) ?? "") + word;
      if (out.length && (textWidth(longer, this.font) + this.padding + 8 <= room || out.length === 2)) out[out.length - 1] = longer;
      else out.push(word.trimStart());
    }
    return out;
  }

  pillFor(lines) { return Math.max(...lines.map((line) => textWidth(line, this.font))) + this.padding; }
  pillHeight(lines) { return lines.length > 1 ? 31 : 22; }

  // pill is a label in a frame around a point.
  pill(kind, lines, x, y) {
    const w = this.pillFor(lines), h = this.pillHeight(lines);
    return svg("g", { class: "pill " + kind }, svg("rect", { class: "body", x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 11 }),
      lines.map((line, k) => svg("text", { x, y: y + 4 + (k - (lines.length - 1) / 2) * LINE }, line)));
  }

  draw() {
    this.layout();
    const { data } = this, n = data.moments.length;
    this.pills = [];
    this.arrivals = data.moments.map(() => []);
    const below = svg("g", {}), lanes = svg("g", {}), arrows = svg("g", {}), pills = svg("g", {});
    this.here = svg("rect", { class: "here", x: 4, width: this.total - 8, height: this.row - 4, rx: 8 });
    below.append(this.here);
    data.moments.forEach((m, i) => {
      below.append(svg("rect", { class: "rowhit", x: 4, y: this.y(i) - this.row / 2 + 2, width: this.total - 8, height: this.row - 4, rx: 8, onclick: () => this.onPick(i) },
        svg("title", {}, i ? `step ${i}: ${m.action}` : "the initial state")));
      below.append(svg("text", { class: "number", x: this.gutter - 10, y: this.y(i) + 4 }, i));
    });
    data.lanes.forEach((_, lane) => this.drawLane(lanes, lane));
    data.messages.forEach((message, i) => this.drawMessage(arrows, message, i));
    data.moments.forEach((m, i) => this.drawPill(pills, m, i));
    const bottom = this.drawEnd(arrows, pills, n);
    this.loop(arrows, n);
    // What comes after the current moment lies under a veil.
    const veil = svg("g", {}, this.veil = svg("rect", { class: "veil", x: 0, width: this.total }));
    this.bottom = bottom;
    const root = svg("svg", {
      class: "space", width: this.total, height: bottom, viewBox: `0 0 ${this.total} ${bottom}`, role: "img",
      "aria-label": `space-time diagram of ${plural(n - 1, "step")} on ${plural(data.lanes.length, "lane")}; the panel beside it says each step in words`,
    }, below, lanes, arrows, pills, veil);
    root.style.setProperty("--size", this.size + "px");
    for (const layer of [lanes, arrows, pills, veil]) layer.style.pointerEvents = "none";
    this.canvas.replaceChildren(root);
    this.heads.style.width = this.total + "px";
    this.shown = -1;
    this.select(this.step, true);
  }

  drawLane(parent, lane) {
    const { moments } = this.data, x = this.x[lane];
    for (let i = 0; i < moments.length; i++) {
      const state = moments[i].replicas[lane];
      const from = this.y(i) - (i === 0 ? 14 : 0), to = i + 1 < moments.length ? this.y(i + 1) : this.y(i) + this.row / 2;
      if (state.role === "Stopped") continue;
      if ((state.log || []).some((c) => c.hole)) {
        parent.append(svg("rect", { class: "holeband", x: x - 9, y: from, width: 18, height: to - from }));
      }
      parent.append(svg("line", { class: "lane " + (laneClass[state.role] || ""), x1: x, y1: from, x2: x, y2: to }));
    }
  }

  side(i, lane, towards) {
    const m = this.data.moments[i];
    const half = m.lane === lane ? this.pillWidth[i] / 2 : 0;
    return this.x[lane] + Math.sign(this.x[towards] - this.x[lane]) * half;
  }

  drawMessage(parent, message) {
    const kind = familyOf(message);
    const from = (to) => ({ x: this.side(message.sent, message.from, to), y: this.y(message.sent) });
    let first = true;
    for (const d of message.deliveries || []) {
      const a = from(message.to), b = { x: this.side(d.moment, message.to, message.from), y: this.y(d.moment) };
      // A message that arrives again was there all the time.
      const again = { x: b.x + Math.sign(this.x[message.from] - this.x[message.to]) * 26, y: b.y };
      const g = svg("g", { class: `m ${kind}` }, this.arrow(first ? a : again, b, message.to, first ? "" : "again"));
      parent.append(g);
      this.arrivals[d.moment].push(g);
      first = false;
    }
    if (!first) return;
    const dir = Math.sign(this.x[message.to] - this.x[message.from]);
    if (message.fate === "lost") {
      const a = from(message.to), b = { x: this.side(message.gone, message.to, message.from), y: this.y(message.gone) };
      const c = { x: a.x + (b.x - a.x) * 0.62, y: a.y + (b.y - a.y) * 0.62 };
      parent.append(svg("g", { class: "m lost" }, svg("path", { class: "msg", d: `M${a.x},${a.y}L${c.x},${c.y}` }),
        svg("path", { class: "cross", d: `M${c.x - 6},${c.y - 6}l12,12m0,-12l-12,12` })));
    } else if (message.fate === "obsolete" && !message.background) {
      const a = from(message.to);
      parent.append(svg("g", { class: `m ${kind} obsolete` },
        svg("path", { class: "msg", d: `M${a.x},${a.y}l${dir * 20},11` }), svg("circle", { cx: a.x + dir * 23, cy: a.y + 13, r: 3 })));
    }
  }

  // arrow is a path that leaves sideways and, when the message waits long, runs down
  // beside its receiver: it is there and not taken.
  arrow(a, b, lane, extra) {
    const dx = b.x - a.x, dy = b.y - a.y, dir = Math.sign(dx), rows = dy / this.row;
    const tip = { x: b.x - dir * 2, y: b.y };
    let path, angle;
    if (rows <= 3.1) {
      path = `M${a.x},${a.y}L${tip.x},${tip.y}`;
      angle = Math.atan2(tip.y - a.y, tip.x - a.x);
    } else {
      const w = Math.min(Math.abs(dx) * 0.85, 150) * dir, track = b.x - dir * (12 + 6 * (this.waiting[lane]++ % 3));
      path = `M${a.x},${a.y}C${a.x + w * 0.9},${a.y + this.row * 0.9} ${track},${a.y + this.row} ${track},${a.y + this.row * 2.2}` +
        `L${track},${b.y - 12}Q${track},${b.y} ${tip.x},${tip.y}`;
      angle = dir > 0 ? 0 : Math.PI;
    }
    const deg = angle * 180 / Math.PI;
    return [svg("path", { class: "msg " + extra, d: path }),
      svg("path", { class: "tip", d: "M0,0L-9,-4.2L-7,0L-9,4.2Z", transform: `translate(${tip.x} ${tip.y}) rotate(${deg})` })];
  }

  drawPill(parent, m, i) {
    if (i === 0) return;
    const x = this.x[m.lane], y = this.y(i), w = this.pillWidth[i];
    const kind = this.pillClass(m);
    const g = this.pill(kind, this.labels[i], x, y);
    let right = x + w / 2 + 3;
    for (const mark of m.marks || []) {
      if (!badgeText[mark.kind]) continue; // a crash, a stop: the pill says it
      if (mark.lane !== m.lane) this.badge(g, mark, this.x[mark.lane] + 34, y);
      else right -= this.badge(g, mark, right, y - this.pillHeight(this.labels[i]) / 2 - 3);
    }
    if (m.refused && !m.lost) this.aside(g, m, x, y, w);
    parent.append(g);
    this.pills[i] = g;
  }

  // aside sets the words of a guard that refused a message in part, on the side that the
  // message does not come from. Without room the step's notes have to do.
  aside(parent, m, x, y, w) {
    const dir = Math.sign(x - this.x[this.data.messages[m.message].from]) || 1;
    const room = dir > 0 ? this.total - (x + w / 2) - 18 : x - w / 2 - this.gutter - 12;
    const words = room < 130 ? [] : wrapWords(m.refused, room, this.font);
    if (words.length > 2) return;
    words.forEach((line, k) => parent.append(svg("text", { class: "note part", x: x + dir * (w / 2 + 8), y: y + 4 + (k - (words.length - 1) / 2) * 14, style: `text-anchor: ${dir > 0 ? "start" : "end"}` }, line)));
  }

  pillClass(m) {
    if (m.kind === "CrashRestart" || m.kind === "Stop") return "fault";
    if (m.lost) return "refused";
    if (m.refused) return "part";
    if (m.message >= 0) return familyOf(this.data.messages[m.message]);
    return "local";
  }

  // badge puts a mark on the upper right corner of a pill and returns its width.
  badge(parent, mark, right, y) {
    const text = badgeText[mark.kind]((mark.text.match(/\d+/g) || []).join(","), mark.text);
    const w = Math.max(15, textWidth(text, "700 10px " + FONT) + 9);
    parent.append(svg("g", { class: "badge " + mark.kind },
      svg("rect", { x: right - w, y: y - 8, width: w, height: 14, rx: 7 }), svg("text", { x: right - w / 2, y: y + 2.5 }, text)));
    return w + 2;
  }

  // drawEnd shows, below the last moment, what is still in flight and what would become
  // of it, and how the behaviour goes on. It returns the height of the drawing.
  drawEnd(arrows, pills, n) {
    const { data } = this, last = data.moments[n - 1];
    const left = (last.in_flight || []).filter((f) => {
      const message = data.messages[f.message];
      return !message.background && (f.would === "refused" || f.would === "taken" && !message.deliveries);
    });
    left.sort((a, b) => (a.would === "refused") - (b.would === "refused"));
    let y = this.y(n - 1) + this.row / 2;
    const say = (text) => {
      arrows.append(svg("line", { class: "endrule", x1: 12, x2: this.total - 12, y1: y + 6, y2: y + 6 }));
      pills.append(svg("text", { class: "endline", x: this.total / 2, y: y + 24 }, text));
      y += 30;
    };
    if (data.forever) say("and so it stays for ever" + (this.narrow ? "" : ": no step that has to happen changes anything"));
    else if (data.loop_start >= 0) say(`and so back to the state after step ${data.loop_start}, for ever`);
    else if (left.length) say("still in flight");
    for (const f of left) y = this.drawLeft(arrows, pills, f, y);
    return y + 14;
  }

  // drawLeft shows one message that is still in flight. The guard's words stand on the
  // side that its arrow does not come from, or else below.
  drawLeft(arrows, pills, f, top) {
    const message = this.data.messages[f.message], refused = f.would === "refused";
    const lines = this.lines((refused ? "⊘ " : "") + message.label, this.lane);
    const w = this.pillFor(lines), h = this.pillHeight(lines), x = this.x[message.to], y = top + 7 + h / 2;
    const dir = Math.sign(x - this.x[message.from]) || 1;
    const a = { x: this.side(message.sent, message.from, message.to), y: this.y(message.sent) };
    const b = { x: x - dir * (w / 2 + 5), y };
    const kind = refused ? "refused" : familyOf(message);
    const g = svg("g", { class: "m " + kind }, this.arrow(a, b, message.to, "").slice(0, refused ? 1 : 2));
    if (refused) g.append(svg("path", { class: "stop", d: `M${b.x},${y - 8}v16` }));
    arrows.append(g);
    pills.append(this.pill(kind, lines, x, y));
    if (!f.reason) return y + h / 2 + 5;
    const room = dir > 0 ? this.total - (x + w / 2) - 18 : x - w / 2 - 18;
    const beside = room >= 150;
    const words = wrapWords(f.reason, beside ? room : this.total - 24, this.font);
    const at = beside ? { x: x + dir * (w / 2 + 9), y: y + 4 - (words.length - 1) * 7.5, side: dir > 0 ? "start" : "end" }
      : { x: dir > 0 ? this.total - 10 : 12, y: y + h / 2 + 15, side: dir > 0 ? "end" : "start" };
    words.forEach((line, k) => pills.append(svg("text", { class: "note", x: at.x, y: at.y + k * 15, "text-anchor": at.side }, line)));
    return y + h / 2 + (beside ? Math.max(5, words.length * 7.5 - h / 2 + 6) : 6 + words.length * 15);
  }

  loop(parent, n) {
    const { loop_start: start } = this.data;
    if (start < 0) return;
    const a = this.y(n - 1), b = this.y(start);
    parent.append(svg("path", { class: "loop", d: `M16,${a}H7V${b}H16m-6,-5l6,5l-6,5` }));
  }

  // select makes a moment the current one.
  select(step, jump) {
    this.step = step;
    if (!this.width) return;
    const old = this.shown, now = (i, on) => {
      for (const node of [this.pills[i], ...(this.arrivals[i] || [])]) if (node) node.classList.toggle("now", on);
    };
    now(old, false);
    now(step, true);
    this.shown = step;
    const last = step === this.data.moments.length - 1, edge = this.y(step) + this.row / 2 - 1;
    this.veil.setAttribute("y", edge);
    this.veil.setAttribute("height", last ? 0 : Math.max(0, this.bottom - edge));
    this.here.setAttribute("y", this.y(step) - this.row / 2 + 2);
    this.drawHeads(step);
    const box = this.scroll, y = this.y(step) + 46, behavior = jump ? "instant" : "auto", to = {};
    if (y < box.scrollTop + 110 || y > box.scrollTop + box.clientHeight - 90) to.top = last ? box.scrollHeight : y - box.clientHeight / 2;
    const x = this.x[this.data.moments[step].lane], half = this.pillWidth[step] / 2 + 8;
    if (x - half < box.scrollLeft || x + half > box.scrollLeft + box.clientWidth) to.left = x - box.clientWidth / 2;
    if ("top" in to || "left" in to) box.scrollTo({ ...to, behavior });
  }

  // reveal brings the current moment onto the screen, where the page is longer than that.
  reveal() {
    if (matchMedia("(max-width: 900px)").matches) this.here.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
  }

  drawHeads(step) {
    const kinds = { Primary: "primary", Stopped: "bad", ViewChange: "view", Recovering: "warn" };
    this.heads.replaceChildren(...this.data.lanes.map((name, i) => {
      const s = this.data.moments[step].replicas[i];
      const role = s.role === "ViewChange" ? "view change" : s.role.toLowerCase();
      const text = s.role === "Stopped" ? "stopped" : `${role} · ${this.narrow ? "v" : "view "}${s.view}`;
      return el("div", { class: kinds[s.role] || "", style: `left:${this.x[i]}px` }, name, el("small", {}, text));
    }));
  }
}

// legend explains the signs that a diagram has.
function legend(data) {
  const has = (test) => data.messages.some(test);
  const marks = new Set(data.moments.flatMap((m) => (m.marks || []).map((k) => k.kind)));
  const line = (kind, extra) => svg("svg", { width: 26, height: 12, "aria-hidden": "true" }, svg("g", { class: "m " + kind },
    svg("path", { class: "msg", d: "M0,6H18" }), extra || svg("path", { class: "tip", d: "M25,6L16,2L18,6L16,10Z" })));
  const badge = (kind, text, w) => svg("svg", { width: w, height: 14, "aria-hidden": "true" },
    svg("g", { class: "badge " + kind }, svg("rect", { width: w, height: 14, rx: 7 }), svg("text", { x: w / 2, y: 10.5 }, text)));
  const lane = (kind) => svg("svg", { width: 22, height: 12, "aria-hidden": "true" }, svg("line", { class: "lane " + kind, x1: 2, x2: 20, y1: 6, y2: 6 }));
  const item = (sign, text) => el("span", {}, sign, text);
  const roles = new Set(data.moments.flatMap((m) => m.replicas.map((r) => r.role)));
  const families = new Set(data.messages.filter((m) => m.deliveries || m.fate === "refused").map(familyOf));
  return el("figcaption", { class: "legend" },
    roles.has("Primary") && item(lane("primary"), "primary"),
    roles.has("Recovering") && item(lane("recovering"), "recovering"),
    roles.has("ViewChange") && item(lane("viewchange"), "in a view change"),
    marks.has("hole") && item(svg("svg", { width: 22, height: 12, "aria-hidden": "true" }, svg("rect", { class: "holeband", width: 22, height: 12 }), svg("line", { class: "lane", x1: 0, x2: 22, y1: 6, y2: 6 })), "has a hole"),
    families.has("replicate") && item(line("replicate"), "prepare, ack"),
    families.has("repair") && item(line("repair"), "repair"),
    families.has("view") && item(line("view"), "view change, probe"),
    families.has("beat") && item(line("beat"), "heartbeat"),
    has((m) => (m.deliveries || []).length > 1) && item(line("replicate again"), "arrives again"),
    has((m) => m.fate === "refused") && item(line("refused", svg("path", { class: "stop", d: "M20,1v10" })), "refused"),
    data.moments.some((m) => m.refused && !m.lost) && item(svg("svg", { width: 22, height: 14, "aria-hidden": "true" }, svg("g", { class: "pill part" }, svg("rect", { class: "body", x: 1, y: 1, width: 20, height: 12, rx: 6 }))), "⊘ refused in part"),
    has((m) => m.fate === "lost") && item(line("lost", svg("path", { class: "cross", d: "M16,2l8,8m0,-8l-8,8" })), "lost"),
    has((m) => m.fate === "obsolete" && !m.background) && item(line("replicate obsolete", svg("circle", { cx: 21, cy: 6, r: 3 })), "never delivered"),
    (marks.has("commit") || marks.has("apply")) && item(badge("commit", "✓1", 22), "commits or applies op 1"),
    marks.has("hole") && item(badge("hole", "HOLE 2", 44), "claims op 2 without its body"),
    marks.has("blocked") && item(badge("blocked", "!", 15), "a quorum that cannot commit"),
    marks.has("new-view") && item(badge("new-view", "v1", 20), "is in view 1"));
}
