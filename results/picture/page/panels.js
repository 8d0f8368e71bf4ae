"use strict";
// What stands beside the diagram: the step, the state after it with what the step
// changed, the messages in flight and the properties; below it why nothing helps.

const roleTag = { Primary: "primary", Stopped: "bad", ViewChange: "view", Recovering: "warn" };
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function stepPanel(data, i) {
  const m = data.moments[i];
  const badNote = (text) => /refused|missing|without the body|stays at|still missing|applies .* where/.test(text);
  return el("section", { class: "card", id: "step", "aria-live": "polite" },
    el("div", { class: "row" }, el("h2", {}, i ? `Step ${i}` : "The initial state"),
      i > 0 && el("span", { class: "tag" }, data.lanes[m.lane])),
    i > 0 && el("p", { class: "action", style: "margin-top:4px" }, m.action),
    el("ul", { class: "notes" }, (m.notes || []).map((n) => el("li", { class: badNote(n) ? "bad" : "" }, n.replaceAll(" -> ", " → ")))),
    el("ul", { class: "changes" }, (m.changes || []).map((c) => el("li", { class: c.startsWith("assertion failed") ? "bad" : "" }, c.replaceAll(" -> ", " → ")))));
}

function statePanel(data, i) {
  const now = data.moments[i].replicas, before = i > 0 ? data.moments[i - 1].replicas : now;
  return el("section", { class: "card", id: "state", "aria-label": "state of every replica" },
    el("h2", { class: "visually-hidden" }, "State after the step"),
    now.map((r, lane) => replica(data.lanes[lane], lane, r, before[lane], data.lanes.length)));
}

function replica(name, lane, r, was, lanes) {
  const head = el("div", { class: "head" }, el("strong", {}, name[0].toUpperCase() + name.slice(1)),
    el("span", { class: `tag ${roleTag[r.role] || ""}` + (r.role !== was.role ? " changed" : "") }, r.role === "ViewChange" ? "View change" : r.role));
  const box = el("div", { class: "replica", "data-replica": lane }, head);
  if (r.role === "Stopped") return box;
  const numbers = [["view", r.view, was.view], ["log view", r.log_view, was.log_view], ["head", r.head, was.head],
    ["commit_max", r.commit_max, was.commit_max], ["commit_min", r.commit_min, was.commit_min]];
  box.append(el("div", { class: "numbers" }, numbers.map(([label, value, old]) =>
    el("span", { class: value !== old ? "changed" : "" }, label + " ", value !== old && el("span", { class: "was" }, old + " → "), el("b", {}, value)))));
  box.append(el("div", { class: "cells", style: `grid-template-columns: repeat(${(r.log || []).length}, minmax(0, 82px))`, role: "list", "aria-label": `journal of ${name}` }, (r.log || []).map((c, k) => cell(c, (was.log || [])[k], k + 1, r))));
  const facts = el("div", { class: "facts" },
    (r.session || was.session) && fact("repair session", r.session || "none", r.session !== was.session),
    (r.acks || []).map((a) => acks(a, (was.acks || []).find((o) => o.op === a.op), lanes)),
    (r.details || []).map((d) => fact("", d, !(was.details || []).includes(d))));
  if (facts.childNodes.length) box.append(facts);
  return box;
}

function fact(key, value, changed) {
  return el("div", { class: changed ? "changed" : "" }, key && el("span", { class: "k" }, key), el("span", {}, value));
}

function cell(c, was, op, r) {
  const kind = c.hole ? "hole" : c.applied ? "applied" : c.committed ? "committed" : c.body ? "held" : "none";
  const words = c.hole ? "HOLE" : c.above ? `(${c.body})` : c.body || "–";
  const meaning = c.hole ? "claimed, not held: a hole" : !c.body ? "nothing" : c.body + (c.applied ? ", applied" : c.committed ? ", known committed" : ", held") + (c.above ? ", above the head" : "");
  const foot = [op === r.commit_min && "min", op === r.commit_max && "max", op === r.head && "head"].filter(Boolean).join(" · ");
  return el("div", { class: `cell ${kind}` + (!same(c, was) ? " changed" : ""), role: "listitem", "aria-label": `op ${op}: ${meaning}`, title: `op ${op}: ${meaning}` },
    el("div", { class: "op" }, "op " + op), el("div", { class: "box" }, words), el("div", { class: "foot" }, foot));
}

function acks(a, was, lanes) {
  const dots = Array.from({ length: lanes }, (_, i) => el("i", { class: a.by.includes(i) ? "on" : "" }, i));
  const verdict = a.blocker ? tag(`quorum, waits for op ${a.blocker}`, "bad") : a.quorum ? tag("quorum", "good") : tag("no quorum");
  return el("div", { class: !same(a, was) ? "changed" : "" }, el("span", { class: "k" }, `acks of op ${a.op}`),
    el("span", { class: "dots", role: "img", "aria-label": "from replicas " + a.by.join(", ") }, dots),
    el("span", {}, `${a.by.length} of ${a.needed}`), verdict);
}

function flightPanel(data, i) {
  const all = (data.moments[i].in_flight || []).map((f) => ({ ...f, m: data.messages[f.message] }));
  const words = { taken: ["can be taken", ""], partly: ["in part", "warn"], refused: ["refused", "bad"], nothing: ["nothing new", ""] };
  const item = (f) => el("li", { class: f.would || "" },
    el("span", {}, f.would ? tag(words[f.would][0], words[f.would][1]) : ""),
    el("span", {}, f.m.text, el("span", { class: "k", style: "color:var(--soft)" }, ` to ${data.lanes[f.m.to]}`)),
    f.reason && el("span", { class: "why" }, f.reason));
  const order = { refused: 0, partly: 1, taken: 2, nothing: 3 };
  const sorted = (list) => list.sort((a, b) => (order[a.would] ?? 4) - (order[b.would] ?? 4) || a.m.to - b.m.to);
  const loud = sorted(all.filter((f) => !f.m.background)), quiet = sorted(all.filter((f) => f.m.background));
  return el("section", { class: "card", id: "flight" },
    el("h2", {}, "In flight, and what would become of it"),
    loud.length ? el("ul", { class: "flight" }, loud.map(item)) : el("p", { class: "facts", style: "color:var(--soft)" }, "nothing"),
    quiet.length > 0 && el("details", { class: "quiet" }, el("summary", {}, `${plural(quiet.length, "message")} that only say${quiet.length === 1 ? "s" : ""} how the sender stands`), el("ul", { class: "flight" }, quiet.map(item))));
}

function propertyPanel(data, i) {
  const m = data.moments[i], list = m.properties || [];
  if (!list.length) return null;
  const words = { holds: ["holds", "good"], waits: ["waits", "warn"], violated: ["violated", "bad"] };
  return el("section", { class: "card", id: "properties" },
    el("div", { class: "row" }, el("h2", {}, "Properties"), m.quiescent && el("span", { class: "push" }, tag("quiescent: nothing has to happen any more", "warn"))),
    el("ul", { class: "props" }, list.map((p) => el("li", { "data-property": p.name, "data-status": p.status }, tag(...words[p.status]), el("span", {}, p.name),
      p.detail && el("span", { style: "color:var(--soft)" }, (p.status === "violated" ? "never settled: " : "outstanding: ") + p.detail)))));
}

// explanationPanel sets the explanation, which comes as indented plain text: headings,
// below them paragraphs and lists, some of whose items have points.
function explanationPanel(data) {
  const sections = el("div", { class: "sections" });
  let box = sections, at = null, list = null, kind = "";
  const start = (node, parent, now) => { parent.append(node); at = node; kind = now; };
  for (const raw of data.explanation.split("\n")) {
    const line = raw.trim(), indent = raw.length - raw.trimStart().length;
    if (!line) { at = list = null; kind = ""; continue; }
    if (line.startsWith("- ")) {
      if (!list) { list = el("ul", {}); box.append(list); }
      start(el("li", {}, line.slice(2)), list, "item");
    } else if (indent >= 6 && list) {
      if (kind === "point" && indent >= 8) at.append(" " + line);
      else start(el("span", { class: "point" }, line), list.lastChild, "point");
    } else if (kind === "head" && indent === 0 || kind === "item" && indent === 4 || kind === "text" && indent >= 2) {
      at.append(" " + line);
    } else if (indent === 0) {
      list = null;
      box = el("div", {});
      sections.append(box);
      start(el("h3", {}, line), box, "head");
    } else { list = null; start(el("p", {}, line), box, "text"); }
  }
  return el("section", { class: "card why below", id: "why" },
    el("h2", {}, data.kind === "liveness" ? "Why nothing helps any more" : "What is wrong"), sections);
}

// constraintsPanel says within which constraints a behaviour was found, if there are any.
function constraintsPanel(data) {
  if (!data.constraints) return "";
  return el("p", { class: "constraints" }, `Found within CONSTRAINT ${data.constraints.join(" and ")}: from a state outside a search does not go on.`);
}

function settingsPanel(title, settings) {
  return el("details", { class: "card below" }, el("summary", {}, title),
    el("dl", { class: "settings" }, settings.map((s) => el("div", {}, el("dt", {}, s.name),
      el("dd", {}, s.value, s.instead_of && el("small", {}, "the spec says " + s.instead_of))))));
}
