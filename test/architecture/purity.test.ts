import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import {
  importsOf,
  lineOf,
  parseSource,
  readSource,
  sourceFiles,
  walk,
} from "../support/source-files.ts";

/** Layers whose code runs again on replay: time, chance and the network reach them only through ports. */
const ENGINE =
  "base text journal events runtime vectors text-search tools memory agent crew llm conversation".split(
    " ",
  );

/** Where the ports meet the real clock, randomness and network. */
const OUTSIDE = /^src\/(base\/system\.ts$|llm\/(openai|anthropic)\/)/;

const FORBIDDEN_GLOBALS = ["fetch", "setTimeout", "setInterval", "setImmediate", "queueMicrotask"];
const FORBIDDEN_MEMBERS = [
  "AbortSignal.timeout",
  "Date.now",
  "Math.random",
  "crypto.getRandomValues",
  "crypto.randomUUID",
  "performance.now",
];

/** Every mention of time, chance or the network, as `path:line what`. */
function impurities(path: string, source: string): readonly string[] {
  const found: string[] = [];
  walk(parseSource(path, source), (node, ancestors) => {
    const what = impurity(node, ancestors);
    if (what !== undefined) found.push(`${path}:${lineOf(source, node)} ${what}`);
  });
  return found;
}

function impurity(node: Node, ancestors: readonly Node[]): string | undefined {
  if (node.type === "Identifier") {
    return FORBIDDEN_GLOBALS.includes(node.name) && !isOnlyAName(node, ancestors)
      ? node.name
      : undefined;
  }
  if (node.type === "MemberExpression" && node.property.type === "Identifier" && !node.computed) {
    const member = `${objectName(node.object)}.${node.property.name}`.replace(/^globalThis\./, "");
    return FORBIDDEN_MEMBERS.includes(member) || isGlobalMember(node) ? member : undefined;
  }
  // `new Date(atMs)` only formats a time that came from a port; `new Date()` and `Date()` read the clock.
  if (node.type === "NewExpression" && objectName(node.callee) === "Date") {
    return node.arguments.length === 0 ? "new Date()" : undefined;
  }
  return node.type === "CallExpression" && objectName(node.callee) === "Date"
    ? "Date()"
    : undefined;
}

/** `Date`, `globalThis.Date`; empty for anything longer. */
function objectName(node: Node): string {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.property.type !== "Identifier") return "";
  return objectName(node.object) === "globalThis" ? node.property.name : "";
}

/** `globalThis.fetch` */
function isGlobalMember(node: Node): boolean {
  return (
    node.type === "MemberExpression" &&
    objectName(node.object) === "globalThis" &&
    FORBIDDEN_GLOBALS.includes(objectName(node))
  );
}

/** True in `port.fetch`, `{ fetch: … }`, `class { fetch() {} }` and in types: no global is read there. */
function isOnlyAName(node: Node, ancestors: readonly Node[]): boolean {
  const parent = ancestors.at(-1);
  if (parent === undefined || parent.type.startsWith("TS")) return true;
  if (parent.type === "MemberExpression") return parent.property === node && !parent.computed;
  const isMember =
    parent.type === "Property" ||
    parent.type === "MethodDefinition" ||
    parent.type === "PropertyDefinition";
  return isMember && parent.key === node && !parent.computed;
}

describe("purity", () => {
  const files = sourceFiles(...ENGINE.map((folder) => `src/${folder}`)).filter(
    (path) => !OUTSIDE.test(path),
  );

  it("finds files to check", () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it("keeps clock, chance and network out of the engine", () => {
    expect(files.flatMap((path) => impurities(path, readSource(path)))).toEqual([]);
  });

  it.each([
    "Date.now()",
    "new Date()",
    "globalThis.Date.now()",
    "const now = Date.now;",
    "Math.random()",
    "crypto.randomUUID()",
    "globalThis.crypto.randomUUID()",
    "setTimeout(go, 1)",
    "globalThis.setTimeout(go, 1)",
    "run({ setTimeout })",
    "const request = fetch;",
    "await fetch(url)",
    "AbortSignal.timeout(1)",
  ])("refuses %s", (source) => {
    expect(impurities("src/crew/a.ts", source)).toHaveLength(1);
  });

  it.each([
    "new Date(atMs).toISOString()",
    "Date.parse(text)",
    "clock.setTimeout(go, 1)",
    "type Fetch = typeof fetch;",
    "interface Port { fetch(url: string): Promise<Response> }",
    "crypto.subtle.digest('SHA-256', bytes)",
    "/* Date.now() */ const text = 'fetch(url)';",
  ])("allows %s", (source) => {
    expect(impurities("src/crew/a.ts", source)).toEqual([]);
  });
});

describe("zod", () => {
  // `import { z } from "zod"` keeps every locale and format: 80 KiB gzip more in the Worker.
  it("is imported as a namespace everywhere in the library", () => {
    const named = sourceFiles("src", "durable-objects", "examples").filter((path) =>
      importsOf(path).some(
        ({ specifier, names, typeOnly }) =>
          specifier === "zod" && !typeOnly && names.some((name) => ["z", "default"].includes(name)),
      ),
    );
    expect(named).toEqual([]);
  });
});
