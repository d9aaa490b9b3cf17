// Permissions of a site's robots.txt for programs that follow links.
//
//   WRB1. The group of `Edgecrew` applies, else that of `*`. The longest matching rule decides; of two equally long
//         ones, the one that allows.
//   WRB2. A site without a robots.txt allows all addresses. A site failing to deliver its robots.txt allows no address.
import { isServiceFailure, serviceFailure } from "../base/service-failure.ts";
import type { ToolIo } from "../base/tool-io.ts";

type Rule = { readonly path: string; readonly allows: boolean };

export type Robots = {
  readonly rules: readonly Rule[];
  /** Delay between two requests, in milliseconds. */
  readonly delayMs: number;
};

const NAME = "edgecrew";
const MAX_BYTES = 512 * 1024;
const TIMEOUT_MS = 5_000;
const MAX_DELAY_MS = 10_000;
const MAX_RULES = 5_000;
const EVERYTHING: Robots = { rules: [], delayMs: 0 };
const NOTHING: Robots = { rules: [{ path: "/", allows: false }], delayMs: 0 };

/** Parses a robots.txt into the rules for this program. */
export function parseRobots(text: string): Robots {
  const groups = { [NAME]: newGroup(), "*": newGroup() };
  let open: readonly string[] = [];
  let takesNames = false;
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n?|\n/)) {
    const [, field = "", value = ""] = /^\s*([A-Za-z-]+)\s*:\s*([^#]*)/.exec(line) ?? [];
    const name = field.toLowerCase();
    if (name === "user-agent") {
      if (!takesNames) open = [];
      takesNames = true;
      open = [...open, value.trim().toLowerCase().split("/")[0] ?? ""];
      continue;
    }
    if (name !== "allow" && name !== "disallow" && name !== "crawl-delay") continue;
    takesNames = false;
    for (const agent of open) {
      const group = agent === NAME || agent === "*" ? groups[agent] : undefined;
      if (group !== undefined) addLine(group, name, value.trim());
    }
  }
  const own = groups[NAME];
  const { rules, delayMs } = own.isNamed ? own : groups["*"];
  return { rules, delayMs };
}

type Group = { rules: Rule[]; delayMs: number; isNamed: boolean };

function newGroup(): Group {
  return { rules: [], delayMs: 0, isNamed: false };
}

function addLine(group: Group, name: "allow" | "disallow" | "crawl-delay", value: string): void {
  group.isNamed = true;
  if (name === "crawl-delay") {
    const seconds = Number(value);
    if (seconds > 0) group.delayMs = Math.min(seconds * 1000, MAX_DELAY_MS);
  } else if (value !== "" && group.rules.length < MAX_RULES)
    group.rules.push({ path: encodedPath(value), allows: name === "allow" });
}

/** True if the rules allow an address. */
export function allowsUrl({ rules }: Robots, { pathname, search }: URL): boolean {
  const path = encodedPath(pathname + search);
  if (pathname === "/robots.txt") return true;
  let best: Rule | undefined;
  for (const rule of rules)
    if (
      fitsPath(rule.path, path) &&
      (best === undefined ||
        rule.path.length > best.path.length ||
        (rule.path.length === best.path.length && rule.allows))
    )
      best = rule;
  return best?.allows ?? true;
}

/** True if a path begins with a pattern: `*` is any text, `$` at the end is the end of the path. */
export function fitsPath(pattern: string, path: string): boolean {
  const isWhole = pattern.endsWith("$");
  const [first = "", ...rest] = (isWhole ? pattern.slice(0, -1) : pattern).split("*");
  if (!path.startsWith(first)) return false;
  let at = first.length;
  const last = rest.pop();
  if (last === undefined) return !isWhole || at === path.length;
  for (const piece of rest) {
    at = path.indexOf(piece, at);
    if (at < 0) return false;
    at += piece.length;
  }
  if (isWhole) return path.endsWith(last) && path.length - last.length >= at;
  return path.includes(last, at);
}

/** Encodes a path as in addresses, so `/ä` and `/%C3%A4` are equal. */
function encodedPath(path: string): string {
  return path
    .replaceAll(/[^\u0021-\u007e]+/g, (text) => encodeURIComponent(text.toWellFormed()))
    .replaceAll(/%[\da-f]{2}/gi, (code) => code.toUpperCase());
}

/** Reads a site's robots.txt. Throws the failure of a rejected address. */
export async function readRobots(io: ToolIo, { origin }: URL): Promise<Robots> {
  try {
    const { status, bytes } = await io.read(`${origin}/robots.txt`, {
      maxBytes: MAX_BYTES,
      timeoutMs: TIMEOUT_MS,
    });
    if (status >= 400 && status < 500) return EVERYTHING;
    if (status < 200 || status > 299) return NOTHING;
    return parseRobots(new TextDecoder().decode(bytes));
  } catch (error) {
    if (!isServiceFailure(error) || error.failureCode === "refused") throw error;
    return NOTHING;
  }
}

/** Rules of sites by run of this process. Each run asks a site once. */
const known = new WeakMap<object, Map<string, Promise<Robots>>>();

/** Throws the failure `refused` for an address disallowed by its site's robots.txt. */
export async function checkRobots(io: ToolIo, url: URL): Promise<void> {
  const { drive } = io.scope;
  const sites = known.get(drive) ?? new Map<string, Promise<Robots>>();
  known.set(drive, sites);
  let robots = sites.get(url.origin);
  if (robots === undefined) sites.set(url.origin, (robots = readRobots(io, url)));
  if (allowsUrl(await robots, url)) return;
  throw refusedByRobots(url);
}

function refusedByRobots({ host }: URL): Error {
  return serviceFailure({ code: "refused", message: `robots.txt of ${host}` });
}
