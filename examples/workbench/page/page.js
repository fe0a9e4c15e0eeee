"use strict";
const $ = id => document.getElementById(id);
const fields = ["definitions", "name", "input", "output", "best", "data", "single", "iterations", "seed"];
const start = { definitions: "", name: "", input: "", output: "", best: 5, data: "", single: "output", iterations: 30, seed: 0, probabilities: false, panel: "machine", steps: [], values: {} };
const largest = 3 << 20; // characters, below the limit of the server
let state = structuredClone(start), gallery = [], asked = 0, answering, training, curve = [], pictureURL = "", known = [], warning = "", fragment = "", waiting, saving;

// node makes an element. Texts are never read as HTML.
function node(tag, text, children = []) {
  const e = document.createElement(tag);
  if (text !== undefined) e.textContent = text;
  e.append(...children);
  return e;
}

// adopt takes the fields of a state that are of the right kind; a link may hold anything.
function adopt(from) {
  state = structuredClone(start);
  for (const [key, value] of Object.entries(from ?? {})) {
    if (Object.hasOwn(start, key) && typeof value === typeof start[key] && Array.isArray(value) === Array.isArray(start[key]) && value !== null) state[key] = value;
  }
  state.steps = state.steps.filter(s => typeof s === "string");
  for (const id of fields) if (id !== "name") $(id).value = state[id];
  $("probabilities").checked = state.probabilities;
  curve = [];
  draw();
  $("name").replaceChildren(node("option", state.name));
  $("progress").textContent = "";
  open(state.panel);
}
// collect reads the fields into the state.
function collect() {
  for (const id of fields) state[id] = typeof start[id] === "number" ? Math.max(0, Math.floor(Number($(id).value))) || 0 : $(id).value;
  state.name = $("name").value;
  state.probabilities = $("probabilities").checked;
}

async function post(path, body, signal) {
  const text = JSON.stringify(body);
  if (text.length > largest) throw new Error("The texts of the page have " + text.length + " characters; shorten them to " + largest + ".");
  const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: text, signal });
  if (!response.ok && !response.headers.get("Content-Type")?.startsWith("application/json")) throw new Error(await response.text());
  return response;
}

// see asks for what the page shows; a newer question replaces an older one.
async function see() {
  const n = ++asked;
  answering?.abort();
  answering = new AbortController();
  $("busy").textContent = "…";
  const { data, ...question } = state;
  try {
    const answer = await (await post("see", question, answering.signal)).json();
    if (n === asked) render(answer);
  } catch (e) {
    if (n === asked && e.name !== "AbortError") faults([{ where: "panel", message: e.message }]);
  }
  if (n === asked) $("busy").textContent = "";
}

function changed() {
  warning = "";
  collect();
  clearTimeout(waiting);
  waiting = setTimeout(see, 60);
  later();
}
function later() {
  clearTimeout(saving);
  saving = setTimeout(remember, 400);
}

function faults(all) {
  for (const where of ["definitions", "input", "panel", "training"]) {
    if (where === "training" && training) continue;
    $(where + "-fault").textContent = [where === "panel" ? warning : "", ...all.filter(f => f.where === where).map(f => f.message)].join("\n").trim();
  }
  mark(all.find(f => f.where === "definitions" && f.line > 0));
}
// mark underlines the place of a fault, behind the text.
function mark(fault) {
  const text = $("definitions").value, marks = $("marks");
  marks.replaceChildren();
  if (fault) {
    const lines = text.split(/\r\n|\n|\r/), before = lines.slice(0, fault.line - 1).map(l => l + "\n").join("");
    const line = Array.from(lines[fault.line - 1] ?? ""), at = Math.min(fault.column - 1, Math.max(line.length - 1, 0));
    const rest = line.slice(at).join(""), token = /^(@?[\p{L}\p{N}_]+|.)/u.exec(rest)?.[0] ?? " ";
    marks.append(before + line.slice(0, at).join(""), node("mark", token), rest.slice(token.length) + "\n");
  }
  marks.scrollTop = $("definitions").scrollTop;
}

function render(a) {
  faults(a.faults ?? []);
  if (a.names) {
    $("name").replaceChildren(...a.names.map(n => { const o = node("option", n); o.value = n; return o; }));
    $("name").value = a.name;
    known = a.names;
    operations();
  }
  const row = o => node("tr", undefined, [node("td", o.text || "ε"), node("td", o.cost), node("td", o.probability), node("td", o.note || (o.uses ?? []).map(u => u.name + (Math.abs(u.times - 1) < .005 ? "" : " × " + u.times.toFixed(2))).join(", "))]);
  $("outputs").tBodies[0].replaceChildren(...(a.outputs ?? []).map(row));
  if (a.outputs?.length === 0) $("outputs").tBodies[0].append(node("tr", undefined, [node("td", "The machine makes nothing of this input.")]));
  $("before").querySelector("tbody").replaceChildren(...(a.before ?? []).map(row));
  $("before").hidden = !a.before?.length;
  if (a.groups && !training) groups(a.groups);
  $("steps").tBodies[0].replaceChildren(...(a.steps ?? []).map(s => node("tr", undefined, [node("td", s.name), node("td", s.fault || s.states), node("td", s.fault ? "" : s.arcs)])));
  const v = a.view;
  $("note").textContent = v ? v.states + (state.panel === "forest" ? " nodes, " : " states, ") + v.arcs + (state.panel === "forest" ? " edges. " : " arcs. ") + v.note : "";
  $("samples").replaceChildren(...(v?.samples ?? []).map(s => node("li", s)));
  URL.revokeObjectURL(pictureURL);
  $("picture").hidden = !v?.picture;
  if (v?.picture) {
    $("picture").src = pictureURL = URL.createObjectURL(new Blob([v.picture], { type: "image/svg+xml" }));
    $("picture").alt = "Drawing of " + v.states + " states and " + v.arcs + " arcs";
  }
}

function open(panel) {
  state.panel = document.querySelector(`[data-panel="${CSS.escape(panel)}"]`) ? panel : "machine";
  for (const tab of $("tabs").children) tab.ariaSelected = tab.dataset.panel === state.panel, tab.tabIndex = tab.ariaSelected === "true" ? 0 : -1;
  for (const e of document.querySelectorAll("[data-for]")) e.hidden = !e.dataset.for.split(" ").includes(state.panel);
  later();
  see();
}
function operations() {
  const ops = ["connect", "ε-removal", "determinize", "push", "minimize", "optimize", "invert", "inputs", "outputs", "after input", ...known.filter(n => n !== state.name).flatMap(n => ["before " + n, "after " + n])];
  const add = op => { state.steps.push(op); changed(); };
  const button = (text, f) => { const b = node("button", text); b.onclick = f; return b; };
  const undo = button("undo", () => { state.steps.pop(); changed(); });
  const choice = node("select", undefined, [node("option", "compose …"), ...ops.slice(9).map(o => node("option", o))]);
  choice.ariaLabel = "compose";
  choice.onchange = () => add(choice.value);
  $("operations").replaceChildren(...ops.slice(0, 9).map(op => button(op, () => add(op))), choice, undo);
}
function groups(all) {
  $("groups").replaceChildren(...all.slice(0, 200).map(g => {
    const e = node("div", undefined, [node("b", g[0].name.replace(/\[.*/, "")), ...g.slice(0, 60).map(v => {
      const bar = node("i");
      bar.style.width = Math.min(100, Math.max(0, 100 * v.value)) + "%";
      const r = node("div", undefined, [node("span", v.name.replace(/^[^[]*\[|\]$/g, "")), bar, node("span", v.value === 0 || v.value >= .0005 ? v.value.toFixed(3) : v.value.toExponential(0))]);
      r.className = "value";
      return r;
    })]);
    e.className = "group";
    return e;
  }));
}
function values(all) {
  state.values = Object.fromEntries(all.flat().map(v => [v.name, v.value]));
  groups(all);
}
function draw() {
  const lo = Math.min(...curve), hi = Math.max(...curve), n = Math.max(curve.length - 1, 1);
  $("curve").firstElementChild.setAttribute("points", curve.map((y, i) => (10 + 580 * i / n).toFixed(1) + "," + (150 - 140 * (hi > lo ? (y - lo) / (hi - lo) : 0)).toFixed(1)).join(" "));
}

// train shows each iteration as the server sends it. To go on is to train from the values.
async function train() {
  if (training) return;
  collect();
  training = new AbortController();
  $("stop").disabled = !($("train").disabled = true);
  $("training-fault").textContent = "";
  let buffer = "", status = "stopped", kept = curve.length;
  try {
    const body = (await post("train", state, training.signal)).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part; !(part = await body.read()).done;) {
      buffer += part.value;
      const events = buffer.split("\n\n");
      buffer = events.pop();
      for (const text of events) {
        const e = JSON.parse(text.replace(/^data: /, ""));
        if (e.faults?.length) faults(e.faults), $("training-fault").textContent = e.faults.map(f => f.message).join("\n");
        if (e.objective !== null && !e.status) curve.push(e.objective);
        if (e.groups) values(e.groups), kept = curve.length;
        if (e.status) status = e.status;
        $("progress").textContent = "Iteration " + (e.iteration + (e.status ? 0 : 1)) + (e.objective === null ? "" : ": log likelihood " + e.objective.toPrecision(7)) + (e.remarks?.length ? "\n" + e.remarks.join("\n") : "");
      }
      draw();
    }
  } catch (e) {
    if (e.name !== "AbortError") $("training-fault").textContent = e.message;
  }
  curve.length = kept; // training goes on from the last values that came
  training = undefined;
  $("train").textContent = "Go on";
  $("stop").disabled = !($("train").disabled = false);
  $("seed").value = 0;
  $("progress").textContent += " (" + status + ")";
  changed();
}

async function bytes(form) {
  const a = await (await post("export", { ...state, form })).json();
  if (a.faults) return faults(a.faults.map(f => ({ ...f, where: "training" })));
  const link = node("a");
  link.href = URL.createObjectURL(new Blob([Uint8Array.from(atob(a.bytes), c => c.charCodeAt(0))]));
  link.download = a.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
async function text(file) {
  if (file.size > largest) throw new Error(file.name + " has " + file.size + " bytes; want at most " + largest + ".");
  return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
}
// guarded shows the error of what the user asked for.
const guarded = f => async e => { try { await f(e); } catch (err) { $("training-fault").textContent = err.message; } };

// The link holds the state, compressed, in its fragment, which no server sees.
async function pack(value) {
  const b = new Uint8Array(await new Response(new Blob([JSON.stringify(value)]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
  return btoa(Array.from(b, c => String.fromCharCode(c)).join("")).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
async function unpack(s) {
  const b = Uint8Array.from(atob(s.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
  const reader = new Blob([b]).stream().pipeThrough(new DecompressionStream("deflate-raw")).pipeThrough(new TextDecoderStream()).getReader();
  let all = "";
  for (let part; !(part = await reader.read()).done;) if ((all += part.value).length > largest) throw new Error("The link is too large.");
  return JSON.parse(all);
}

async function remember() {
  fragment = "#" + await pack(state);
  if (fragment.length < 1 << 20) history.replaceState(null, "", fragment);
}
async function restore() {
  let from = gallery[1];
  try {
    if (location.hash.length > 1) from = await unpack(location.hash.slice(1));
  } catch (e) {
    warning = "The link is damaged, and here is an example instead: " + e.message;
  }
  adopt(from);
}

for (const id of [...fields, "probabilities"]) $(id).addEventListener("input", changed);
$("name").onchange = changed;
$("definitions").addEventListener("input", () => mark());
$("definitions").addEventListener("scroll", () => { $("marks").scrollTop = $("definitions").scrollTop; });
$("tabs").onclick = e => { if (e.target.dataset.panel) { collect(); open(e.target.dataset.panel); } };
$("tabs").onkeydown = e => {
  const next = { ArrowRight: "nextElementSibling", ArrowLeft: "previousElementSibling" }[e.key], tab = next && e.target[next];
  if (tab) tab.focus(), tab.click();
};
$("gallery").onchange = () => { adopt(gallery[$("gallery").value]); };
$("train").onclick = train;
$("stop").onclick = () => training?.abort();
$("reset").onclick = () => { state.values = {}; curve = []; draw(); $("train").textContent = "Train"; $("progress").textContent = ""; changed(); };
$("load").onchange = guarded(async e => {
  const a = await (await post("load", { ...state, model: await text(e.target.files[0]) })).json();
  e.target.value = "";
  if (a.faults) throw new Error(a.faults[0].message);
  values(a);
  changed();
});
$("data").ondragover = e => e.preventDefault();
$("data").ondrop = guarded(async e => {
  if (!e.dataTransfer.files.length) return;
  e.preventDefault();
  $("data").value = await text(e.dataTransfer.files[0]);
  changed();
});
for (const b of document.querySelectorAll("[data-form]")) b.onclick = guarded(() => bytes(b.dataset.form));
$("link").onclick = async () => { collect(); await remember(); await navigator.clipboard?.writeText(location.href); $("busy").textContent = "copied"; };
addEventListener("hashchange", () => { if (location.hash !== fragment) restore(); });
addEventListener("keydown", e => {
  if (e.ctrlKey && e.key === "Enter") train();
  if (e.key === "Escape") training?.abort();
  if (e.altKey && /^[1-5]$/.test(e.key)) e.preventDefault(), $("tabs").children[e.key - 1].click();
  if (e.altKey && e.key === "l") $("link").click();
});
fetch("gallery.json").then(r => r.json()).then(all => {
  gallery = all;
  $("gallery").append(...all.map((g, i) => { const o = node("option", g.title); o.value = i; return o; }));
  $("gallery").value = 1;
  restore();
});
