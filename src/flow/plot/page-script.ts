// Script of a picture's page for the browser: moving and zooming, highlighting of connections, and live progress of a
// run. It contains the source of the progress functions used for drawing here.
import { SIGNS } from "./draw-flow.ts";
import { applyEvent, describeProgress, PROGRESS_EVENTS } from "./run-progress.ts";

let made: string | undefined;

/** Returns the same text on every call. */
export function pageScript(): string {
  return (made ??= `"use strict";
const applyEvent = ${applyEvent.toString()};
const describeProgress = ${describeProgress.toString()};
const SIGNS = ${JSON.stringify(SIGNS)};
const TYPES = ${JSON.stringify(PROGRESS_EVENTS.join(","))};
${BODY}`);
}

const BODY = String.raw`
const $ = (selector, within = document) => within.querySelector(selector);
const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];
const KEY = "edgecrew.key";
const stored = () => { try { return sessionStorage.getItem(KEY); } catch { return null; } };
const headers = (more) => { const key = stored(); return key ? { ...more, authorization: "Bearer " + key } : more; };

// Without a key there is nothing to show: it is asked for, kept for this tab, and the page fetched again with it.
function askForKey(message) {
  const form = $("#key");
  form.hidden = false;
  $("#key-message").textContent = message;
  $("input", form).focus();
  form.onsubmit = (event) => {
    event.preventDefault();
    try { sessionStorage.setItem(KEY, $("input", form).value.trim()); } catch {}
    load();
  };
}
async function load() {
  const response = await fetch(location.href, { headers: headers({ accept: "text/html" }), cache: "no-store" }).catch(() => null);
  if (response === null) return askForKey("The Worker cannot be reached.");
  if (response.status === 401) return askForKey("This key is not known.");
  const text = await response.text();
  if (!response.ok) {
    let detail = "It answered " + response.status + ".";
    try { detail = JSON.parse(text).detail; } catch {}
    return askForKey(detail);
  }
  const page = new DOMParser().parseFromString(text, "text/html");
  document.title = page.title;
  document.body.replaceWith(document.adoptNode(page.body));
  begin();
}

function begin() {
  const svg = $("#stage svg");
  if (svg === null) return stored() ? load() : askForKey("");
  viewer(svg);
  connections(svg);
  const data = JSON.parse($("#data").textContent);
  if (data.progress) watch(svg, data.progress, Date.now() - data.nowMs);
}

function viewer(svg) {
  const stage = $("#stage");
  const { width, height } = svg.viewBox.baseVal;
  let view = { x: 0, y: 0, scale: 1 };
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  stage.classList.add("moves");
  const show = () => {
    const { clientWidth, clientHeight } = stage;
    svg.setAttribute("viewBox", [view.x, view.y, clientWidth / view.scale, clientHeight / view.scale].join(" "));
  };
  const frame = (least, most) => {
    const { clientWidth, clientHeight } = stage;
    const whole = Math.min((clientWidth - 24) / width, (clientHeight - 24) / height);
    const scale = Math.max(least, Math.min(most, whole));
    view = { scale, x: width / 2 - clientWidth / scale / 2, y: whole < scale ? -12 / scale : height / 2 - clientHeight / scale / 2 };
    show();
  };
  const zoom = (by, x = stage.clientWidth / 2, y = stage.clientHeight / 2) => {
    const scale = Math.max(0.05, Math.min(4, view.scale * by));
    view = { scale, x: view.x + x / view.scale - x / scale, y: view.y + y / view.scale - y / scale };
    show();
  };
  const pan = (dx, dy) => { view = { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale }; show(); };
  frame(0.6, 1.15);
  new ResizeObserver(show).observe(stage);
  $("#in").onclick = () => zoom(1.25);
  $("#out").onclick = () => zoom(0.8);
  $("#fit").onclick = () => frame(0.02, 1.15);
  const at = (event) => { const box = stage.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  stage.addEventListener("wheel", (event) => {
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(-event.deltaY / 200), ...at(event));
    else pan(event.shiftKey ? -event.deltaY : -event.deltaX, event.shiftKey ? 0 : -event.deltaY);
  }, { passive: false });
  stage.addEventListener("dblclick", (event) => zoom(1.6, ...at(event)));
  const pointers = new Map();
  stage.addEventListener("pointerdown", (event) => { if (event.button === 0) { pointers.set(event.pointerId, at(event)); stage.setPointerCapture(event.pointerId); } });
  stage.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = at(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId);
    pointers.set(event.pointerId, now);
    if (other === undefined) return pan(now[0] - before[0], now[1] - before[1]);
    const apart = (point) => Math.max(1, Math.hypot(point[0] - other[1][0], point[1] - other[1][1]));
    zoom(apart(now) / apart(before), ...other[1]);
  });
  for (const type of ["pointerup", "pointercancel"]) stage.addEventListener(type, (event) => pointers.delete(event.pointerId));
  stage.addEventListener("keydown", (event) => {
    const keys = { "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: () => frame(0.02, 1.15),
      ArrowLeft: () => pan(60, 0), ArrowRight: () => pan(-60, 0), ArrowUp: () => pan(0, 60), ArrowDown: () => pan(0, -60) };
    if (keys[event.key] === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  });
  svg.addEventListener("focusin", (event) => {
    const box = event.target.getBoundingClientRect(), room = stage.getBoundingClientRect();
    if (!event.target.matches(":focus-visible")) return;
    const dx = box.left < room.left ? room.left - box.left + 40 : box.right > room.right ? room.right - box.right - 40 : 0;
    const dy = box.top < room.top ? room.top - box.top + 40 : box.bottom > room.bottom ? room.bottom - box.bottom - 40 : 0;
    if (dx || dy) pan(dx, dy);
  });
}

// Pointing at a method shows what wakes it and what it wakes, through labels and joins.
function connections(svg) {
  const nodes = new Map($$(".node", svg).map((node) => [node.dataset.id, node]));
  const links = $$(".link", svg), arrows = $$(".arrow", svg);
  const clear = () => { svg.classList.remove("picked"); for (const each of $$(".lit", svg)) each.classList.remove("lit"); };
  const walk = (id, here, there, seen) => {
    for (const link of links) {
      if (link.dataset[here] !== id || seen.has(link)) continue;
      seen.add(link);
      const next = link.dataset[there], node = nodes.get(next);
      link.classList.add("lit");
      node.classList.add("lit");
      if (node.dataset.name === undefined) walk(next, here, there, seen);
    }
  };
  const pick = (node) => {
    clear();
    svg.classList.add("picked");
    node.classList.add("lit");
    for (const [here, there] of [["from", "to"], ["to", "from"]]) walk(node.dataset.id, here, there, new Set());
    const lit = new Set(links.filter((link) => link.classList.contains("lit")).map((link) => link.dataset.to));
    for (const arrow of arrows) if (lit.has(arrow.dataset.to)) arrow.classList.add("lit");
  };
  for (const node of nodes.values()) {
    node.addEventListener("pointerenter", () => pick(node));
    node.addEventListener("pointerleave", clear);
    node.addEventListener("focus", () => pick(node));
    node.addEventListener("blur", clear);
  }
}

// The clock here may be wrong: ahead says by how much.
function watch(svg, progress, ahead) {
  const ended = () => ["completed", "failed", "cancelled"].includes(progress.status);
  const nodes = new Map($$(".node", svg).map((node) => [node.dataset.id, node]));
  const methods = $$("[data-name]", svg), pills = $$("[data-label]", svg), links = $$(".link", svg), arrows = $$(".arrow", svg);
  const own = (object, name) => (object && Object.hasOwn(object, name) ? object[name] : undefined);
  const timesReturned = ({ dataset }) => own(own(progress.methods, dataset.router)?.labels, dataset.label) ?? 0;
  const hasRun = (id) => {
    const node = nodes.get(id);
    if (node.dataset.name !== undefined) return own(progress.methods, node.dataset.name)?.count > 0;
    if (node.dataset.label !== undefined) return timesReturned(node) > 0;
    return links.some(({ dataset }) => dataset.from === id && hasRun(dataset.to));
  };
  const set = (element, text) => { if (element !== null && element.textContent !== text) element.textContent = text; };
  const render = () => {
    for (const node of methods) {
      const method = own(progress.methods, node.dataset.name);
      if (method === undefined) continue;
      const { state, text, time } = describeProgress(method, progress.status, Date.now() - ahead);
      for (const each of Object.keys(SIGNS)) node.classList.toggle(each, each === state);
      $(".sign", node).setAttribute("d", SIGNS[state]);
      set($(".state", node), text);
      set($(".time", node), time);
      const facts = $("title", node).textContent.split("\nin this run: ")[0];
      const waits = Object.values(method.waits).filter(({ prompt }) => prompt !== "").map(({ prompt }) => "\nwaits: " + prompt);
      const said = facts + "\nin this run: " + text + (time ? ", " + time : "") + waits.join("") + (method.error === null ? "" : "\nerror: " + method.error);
      set($("title", node), said);
      node.setAttribute("aria-label", said.replaceAll("\n", "; "));
      const cell = document.getElementById("row-" + node.dataset.id);
      set(cell, text + (time ? ", " + time : "") + (method.error === null ? "" : ": " + method.error));
    }
    for (const pill of pills) {
      const times = timesReturned(pill);
      pill.classList.toggle("given", times > 0);
      set($(".times", pill), times > 1 ? " ×" + times : "");
    }
    const walked = new Set();
    for (const link of links) {
      const is = hasRun(link.dataset.from) && hasRun(link.dataset.to);
      link.classList.toggle("walked", is);
      if (is) walked.add(link.dataset.to);
    }
    for (const arrow of arrows) arrow.classList.toggle("walked", walked.has(arrow.dataset.to));
    set($("#status"), progress.status);
    $("#status").dataset.status = progress.status;
  };
  const live = (text) => set($("#live"), text);
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const ticking = setInterval(() => { if (ended()) clearInterval(ticking); else render(); }, 1000);
  let soon = false;
  const changed = () => { if (!soon) { soon = true; requestAnimationFrame(() => { soon = false; render(); }); } };
  const follow = async () => {
    const url = new URL(location.pathname.replace(/plot\/?$/, "events"), location.href);
    let retry = 1000, failures = 0;
    while (!ended()) {
      url.search = new URLSearchParams({ types: TYPES, after: progress.seq }).toString();
      try {
        const response = await fetch(url, { headers: headers({ accept: "text/event-stream" }), cache: "no-store" });
        if (response.status === 204) break;
        if (response.status === 401 || response.status === 403) return live("· not live: the key may not read this run");
        if (!response.ok) throw new Error(String(response.status));
        failures = 0;
        live("· live");
        const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
        let rest = "";
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          const blocks = (rest + part.value).split("\n\n");
          rest = blocks.pop();
          for (const line of blocks.join("\n").split("\n")) {
            if (line.startsWith("retry:")) retry = Number(line.slice(6)) || retry;
            if (line.startsWith("data:")) { applyEvent(progress, JSON.parse(line.slice(5))); changed(); }
          }
        }
      } catch {
        if (++failures > 20) return live("· not live: the Worker does not answer");
        live("· connection lost, trying again");
        retry = Math.min(15000, 500 * 2 ** failures);
      }
      if (ended()) break;
      await pause(retry);
    }
    live("");
    render();
  };
  render();
  if (location.protocol.startsWith("http")) follow();
}

begin();
`;
