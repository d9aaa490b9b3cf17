/** Names of the guest's modules and folders. */
export const MAIN_MODULE = "main.js";
export const USER_MODULE = "user.js";

/** Input of the harness. */
export type GuestJob = {
  readonly input: unknown;
  /** True if the gate of the job answers tool calls. */
  readonly hasTools: boolean;
  readonly hasNetwork: boolean;
  readonly files: ReadonlyArray<{ readonly path: string; readonly bytes: Uint8Array }>;
  readonly timeoutMs: number;
  readonly maxOutputChars: number;
  readonly maxValueChars: number;
  readonly maxFiles: number;
  readonly maxFileBytes: number;
};

/**
 * Module that runs a guest's code in its isolate and returns the result. It shares the isolate with the code, so it
 * takes all functions that it needs afterwards before the code runs: changed prototypes harm only the guest. The reader
 * of its answer trusts no field of it.
 */
export const HARNESS = String.raw`
import { WorkerEntrypoint } from "cloudflare:workers";
import fs from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { format, inspect } from "node:util";

const ROOT = "/tmp/work";
const EXIT = { marker: "exit" };
const { mkdirSync, writeFileSync, readdirSync, lstatSync, readFileSync } = fs;
const { apply } = Reflect;
const { parse, stringify } = JSON;
const { defineProperty } = Object;
const { compare } = Buffer;
const { bind, call } = Function.prototype;
const method = bind.bind(call);
const slice = method(String.prototype.slice);
const add = method(Set.prototype.add), remove = method(Set.prototype.delete);
const known = method(Map.prototype.get);
const put = method(Map.prototype.set);
const later = globalThis.setTimeout, forget = globalThis.clearTimeout;
const moment = scheduler.wait.bind(scheduler, 0);
const decode = globalThis.decodeURIComponent;
const NativePromise = Promise, Bytes = Uint8Array, Text = String;
let started = false;

export default class extends WorkerEntrypoint {
  run(job, gate) {
    // A guest could call itself without end.
    if (started) throw new Error("the code runs already");
    started = true;
    return run(job, gate);
  }
}

async function run(job, gate) {
  const out = output(job.maxOutputChars), err = output(job.maxOutputChars);
  const before = new Map();
  let exit, failed = false, pending = 0, wake, stop;
  const stopped = new NativePromise((resolve) => { stop = resolve; });

  const settle = (change) => { pending += change; if (wake) { const go = wake; wake = undefined; go(); } };
  const fail = (error) => {
    if (error === EXIT) return;
    failed = true;
    err.last(shown(error) + "\n");
  };
  const crash = (error) => { fail(error); stop("ended"); };
  const leave = (code) => {
    if (exit === undefined) exit = code;
    throw EXIT;
  };

  install();
  const waiting = later(() => stop("timeout"), job.timeoutMs);
  const end = { value: undefined, how: "ended" };
  perform().then(() => stop("ended"), crash);
  end.how = await stopped;
  forget(waiting);
  const timedOut = end.how === "timeout" && exit === undefined;
  const code = timedOut ? 124 : exit ?? (failed ? 1 : exitCodeOf(undefined));
  const value = failed || timedOut ? undefined : jsonOf(end.value);
  const files = changed();
  return {
    exitCode: code,
    stdout: out.text(),
    stderr: err.text(),
    truncatedChars: out.dropped() + err.dropped(),
    value,
    files: files.list,
    error: timedOut ? "timeout" : undefined,
  };

  async function perform() {
    const module = await import("./user.js");
    const entry = module.default;
    end.value = typeof entry === "function" ? await entry(job.input, tools()) : await entry;
    // As a process does, it goes on for as long as something is pending.
    for (;;) {
      await moment();
      if (pending === 0) return;
      await new NativePromise((resolve) => { wake = resolve; });
    }
  }

  function install() {
    mkdirSync(ROOT, { recursive: true });
    process.chdir(ROOT);
    for (const { path, bytes } of job.files) {
      const at = path.lastIndexOf("/");
      if (at > 0) mkdirSync(ROOT + "/" + path.slice(0, at), { recursive: true });
      writeFileSync(ROOT + "/" + path, bytes);
      put(before, path, bytes);
    }
    process.argv = ["node", ROOT + "/user.js"];
    globalThis.require = createRequire(ROOT + "/user.js");
    for (const name of ["exit", "reallyExit"]) process[name] = (code) => leave(exitCodeOf(code));
    process.abort = () => leave(134);
    process.kill = () => leave(143);
    process.stdout.write = writerOf(out);
    process.stderr.write = writerOf(err);
    installConsole();
    installTimers();
    if (job.hasNetwork) globalThis.fetch = (input, init) => gate.fetch(new Request(input, init));
    addEventListener("unhandledrejection", (event) => { event.preventDefault(); crash(event.reason); });
  }

  function writerOf(stream) {
    return (chunk, encoding, done) => {
      stream.add(typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8"));
      const after = typeof encoding === "function" ? encoding : done;
      if (typeof after === "function") after();
      return true;
    };
  }

  function installConsole() {
    let indent = "";
    const line = (stream, text) => stream.add((indent === "" ? text : indent + text.replaceAll("\n", "\n" + indent)) + "\n");
    const to = (stream) => (...args) => line(stream, formatted(args));
    for (const name of ["log", "info", "debug", "table"]) console[name] = to(out);
    for (const name of ["warn", "error"]) console[name] = to(err);
    console.dir = (value, options) => line(out, inspect(value, options));
    console.trace = (...args) => line(err, "Trace: " + formatted(args));
    console.assert = (holds, ...args) => { if (!holds) line(err, args.length === 0 ? "Assertion failed" : "Assertion failed: " + formatted(args)); };
    console.group = console.groupCollapsed = (...args) => { if (args.length > 0) line(out, formatted(args)); indent += "  "; };
    console.groupEnd = () => { indent = slice(indent, 2); };
  }

  function installTimers() {
    const active = new Set();
    const over = (handle) => { if (remove(active, handle)) settle(-1); };
    const wrapped = (set, repeats) => (callback, delay, ...args) => {
      const handle = set(() => {
        if (!repeats) over(handle);
        try { apply(callback, undefined, args); } catch (error) { crash(error); }
      }, delay);
      add(active, handle);
      settle(1);
      return handle;
    };
    const soon = wrapped(later, false);
    globalThis.setTimeout = soon;
    globalThis.setInterval = wrapped(globalThis.setInterval, true);
    globalThis.setImmediate = (callback, ...args) => soon(callback, 0, ...args);
    for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) globalThis[name] = (handle) => { forget(handle); over(handle); };
  }

  function tools() {
    if (!job.hasTools) return undefined;
    return new Proxy({}, {
      get: (_, name) => typeof name !== "string" || name === "then" ? undefined : (input) => callTool(name, input),
    });
  }

  async function callTool(name, input) {
    settle(1);
    try {
      const answer = await gate.call(name, stringify(input === undefined ? {} : input));
      if (!answer.ok) throw new Error(answer.message);
      return parse(answer.value);
    } finally {
      settle(-1);
    }
  }

  function exitCodeOf(code) {
    const number = code === undefined ? process.exitCode : code;
    return number === undefined || number === null ? 0 : number & 255;
  }

  function jsonOf(value) {
    if (value === undefined) return undefined;
    let text;
    try {
      text = stringify(value);
    } catch (error) {
      err.last("The value cannot be given back: " + messageOf(error) + "\n");
      return undefined;
    }
    if (typeof text !== "string") err.last("The value cannot be given back: it is a " + typeof value + "\n");
    else if (text.length > job.maxValueChars) err.last("The value cannot be given back: it is larger than " + job.maxValueChars + " characters\n");
    else return text;
    return undefined;
  }

  function changed() {
    const files = { list: [], count: 0, bytes: 0, left: 0 };
    try {
      if (lstatSync(ROOT).isDirectory()) collect("", files);
    } catch (error) {
      err.last("The files cannot be read: " + messageOf(error) + "\n");
    }
    if (files.left > 0) err.last("Files left out, as they are too many or too large: " + files.left + "\n");
    return files;
  }

  // Links are left out: one may lead to the modules of this isolate.
  function collect(folder, files) {
    const names = readdirSync(ROOT + "/" + folder);
    for (let i = 0; i < names.length; i++) {
      const path = folder + names[i];
      const stat = lstatSync(ROOT + "/" + path);
      if (stat.isSymbolicLink()) continue;
      if (stat.isDirectory()) collect(path + "/", files);
      else if (stat.isFile()) take(path, stat.size, files);
    }
  }

  function take(path, size, files) {
    const name = named(path);
    const original = known(before, name);
    const isSame = original !== undefined && original.length === size && compare(original, contentOf(path)) === 0;
    if (isSame) return;
    if (files.count >= job.maxFiles || files.bytes + size > job.maxFileBytes) { files.left++; return; }
    const bytes = contentOf(path);
    files.bytes += size;
    defineProperty(files.list, files.count++, { __proto__: null, value: { path: name, bytes }, enumerable: true, configurable: true, writable: true });
  }
}

// This file system lists names in the letters of an address: "a%20b.txt".
function named(path) {
  try {
    return decode(path);
  } catch {
    return path;
  }
}

const contentOf = (path) => new Bytes(readFileSync(ROOT + "/" + path));

/** Keeps the beginning, and counts the rest while it is written. */
function output(max) {
  let kept = "", dropped = 0, last = "";
  return {
    add(text) {
      const room = max - kept.length;
      if (text.length <= room) kept += text;
      else {
        if (room > 0) kept += slice(text, 0, room);
        dropped += text.length - (room > 0 ? room : 0);
      }
    },
    // For what is said at the end: it has room of its own.
    last(text) { if (last.length < 8000) last += slice(text, 0, 8000); },
    text: () => kept + last,
    dropped: () => dropped,
  };
}

function formatted(args) {
  try {
    return apply(format, undefined, args);
  } catch {
    let text = "";
    for (let i = 0; i < args.length; i++) text += (i === 0 ? "" : " ") + (typeof args[i] === "string" ? args[i] : typeof args[i]);
    return text;
  }
}

function shown(error) {
  try {
    const isError = error instanceof Error;
    return (isError ? "" : "Uncaught ") + inspect(error);
  } catch {
    return "Uncaught value that cannot be shown";
  }
}

function messageOf(error) {
  try {
    return Text(error.message);
  } catch {
    return "it cannot be told why";
  }
}
`;
