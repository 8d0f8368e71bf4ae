"use strict";
// Small helpers. All text reaches the page through text nodes and attributes, never as
// markup, so that nothing in a trace can be taken for HTML.

const SVG = "http://www.w3.org/2000/svg";

// fillNode sets attributes (on* are listeners) and appends children: nodes or texts.
function fillNode(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false && child !== "") node.append(child);
  }
  return node;
}

const el = (tag, attributes, ...children) => fillNode(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) => fillNode(document.createElementNS(SVG, tag), attributes, children);
const tag = (text, kind) => el("span", { class: "tag " + (kind || "") }, text);
const plural = (n, word) => n + " " + word + (n === 1 ? "" : "s");

// textWidth measures a text as the diagram will set it.
const textWidth = (() => {
  const context = document.createElement("canvas").getContext("2d");
  return (text, font) => { context.font = font; return context.measureText(text).width; };
})();

// wrapWords breaks a text into lines that fit a width.
function wrapWords(text, width, font) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line && textWidth(line + " " + word, font) > width) { lines.push(line); line = word; }
    else line = line ? line + " " + word : word;
  }
  return lines.concat(line);
}

// family groups the kinds of messages: each has a colour.
const family = {
  Prepare: "replicate", PrepareOk: "replicate", RequestPrepares: "repair", RepairPrepare: "repair", RepairDone: "repair",
  StartViewChange: "view", DoViewChange: "view", StartView: "view", RequestStartView: "view", Commit: "beat",
};
const familyOf = (message) => family[message.kind] || "beat";
