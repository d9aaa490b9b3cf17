import { describe, expect, it } from "vitest";
import {
  importsOf,
  parseSource,
  readSource,
  sourceFiles,
  type Import,
} from "../support/source-files.ts";

/** Lowest first. A folder may import folders on lower lines and itself, nothing else. */
const LAYERS = [
  ["src/base"],
  ["src/security", "src/text"],
  ["src/journal", "src/llm"],
  ["src/wire"], // shared with clients and the command line
  ["src/events"],
  ["src/runtime", "src/hooks", "src/telemetry", "src/vectors", "src/text-search"],
  ["src/parts"],
  ["src/files", "src/graph"],
  ["src/tools", "src/model-calls"],
  ["src/starts"],
  ["src/memory", "src/knowledge", "src/code"],
  ["src/agent"],
  ["src/crew"],
  ["src/flow", "src/project", "src/evaluation", "src/conversation"],
  [
    "src/declarative",
    "src/triggers",
    "src/retention",
    "src/metrics",
    "src/alerts",
    "src/quotas",
    "src/usage",
    "src/run-feed",
    "src/backup",
    "src/access",
  ],
  ["src/protocols"],
  ["src/tools/catalog"],
  ["src/cloudflare", "src/interop"],
  ["src/http"],
  ["durable-objects", "src/feature-events.ts"],
  ["src/entry", "src/index.ts", "src/worker.ts"],
];

/** Beside the stack: all that each of these may import. */
const BESIDE: Record<string, readonly string[]> = {
  "src/testing": ["src/base", "src/llm", "src/runtime", "src/events", "src/journal", "src/hooks"],
  // and types, never values, of everything
  "src/client": ["src/base", "src/wire"],
  // Reads the files of a project: for the command line and the plugin of Vite.
  "src/build": ["src/base", "src/agent", "src/project", "src/declarative"],
  // Types of everything, too. The names of the metadata indexes that deployment makes are those that the store filters by.
  "src/cli": ["src/base", "src/client", "src/build", "src/wire"],
  "src/console": ["src/base", "src/client"],
  "src/entry/vite.ts": ["src/build"],
};

/** Packages and built-in modules that only these places may import, types included. */
const ONLY_IN: readonly { readonly module: RegExp; readonly places: readonly string[] }[] = [
  { module: /^openai(\/|$)/, places: ["src/llm/openai"] },
  { module: /^@ag-ui\//, places: ["src/protocols/ag-ui"] },
  { module: /^@anthropic-ai\/sdk(\/|$)/, places: ["src/llm/anthropic"] },
  {
    module: /^(cloudflare:|@cloudflare\/)/,
    places: ["src/cloudflare", "durable-objects", "src/worker.ts"],
  },
  { module: /^esbuild$/, places: ["src/entry/vite.ts"] },
  { module: /^node:(?!async_hooks$)/, places: ["src/cli", "src/build"] },
  { module: /^\(computed\)$/, places: ["src/cli/commands/trace-test.ts"] }, // the project's own code
];

const PLACES = [...LAYERS.flat(), ...Object.keys(BESIDE)];
const manifest = JSON.parse(readSource("package.json")) as Record<
  "dependencies" | "devDependencies" | "peerDependencies",
  Record<string, string>
>;
const dependencies = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
/** The command line is bundled into one file. */
const bundled = Object.keys(manifest.devDependencies);

/** Why a file may not have this import, or undefined when it may. */
function objection(path: string, { specifier, target, typeOnly }: Import): string | undefined {
  if (target === undefined) return objectionToModule(path, specifier, typeOnly);
  const from = placeOf(path);
  const to = placeOf(target);
  if (from === undefined) return `${path} is in no layer`;
  if (to === undefined) return `${path} imports ${target}, which is in no layer`;
  if (from === to) return undefined;
  const beside = BESIDE[from];
  if (beside) {
    if (beside.includes(to) || (["src/client", "src/cli"].includes(from) && typeOnly))
      return undefined;
    return `${path} imports ${target}, but ${from} may import only ${beside.join(", ")}`;
  }
  if (rankOf(to) >= 0 && rankOf(to) < rankOf(from)) return undefined;
  return `${path} imports ${target}, but ${to} is not below ${from}`;
}

function objectionToModule(path: string, specifier: string, typeOnly: boolean): string | undefined {
  const rule = ONLY_IN.find(({ module }) => module.test(specifier));
  if (rule && !rule.places.some((place) => isIn(path, place))) {
    return `${path} imports ${specifier}, which belongs to ${rule.places.join(", ")}`;
  }
  const known =
    typeOnly ||
    /^(cloudflare|node):|^\(computed\)$/.test(specifier) ||
    [...dependencies, ...(isIn(path, "src/cli") ? bundled : [])].some(
      (name) => specifier === name || specifier.startsWith(`${name}/`),
    );
  return known ? undefined : `${path} imports ${specifier}, which is not in dependencies`;
}

function placeOf(path: string): string | undefined {
  return PLACES.filter((place) => isIn(path, place)).toSorted((a, b) => b.length - a.length)[0];
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function rankOf(place: string): number {
  return LAYERS.findIndex((line) => line.includes(place));
}

describe("layers", () => {
  const files = sourceFiles("src", "durable-objects");

  it("finds files to check", () => {
    expect(files.length).toBeGreaterThan(0);
  });

  it("gives every file a place", () => {
    expect(files.filter((path) => placeOf(path) === undefined)).toEqual([]);
  });

  it("lets imports point down only", () => {
    const objections = files.flatMap((path) =>
      importsOf(path).map((imported) => objection(path, imported)),
    );
    expect(objections.filter((text) => text !== undefined)).toEqual([]);
  });

  it.each([
    ["src/base/a.ts", `import "../llm/b.ts"`],
    ["src/llm/a.ts", `export * from "../journal/b.ts"`],
    ["src/crew/a.ts", `await import("../http/b.ts")`],
    ["src/crew/a.ts", `await import(name)`],
    ["src/base/a.ts", `type B = import("../llm/b.ts").B`],
    ["src/client/a.ts", `import { b } from "../http/b.ts"`],
    ["src/crew/a.ts", `import { b } from "../testing/b.ts"`],
    ["src/crew/a.ts", `import type OpenAI from "openai"`],
    ["src/http/a.ts", `import { env } from "cloudflare:workers"`],
    ["src/base/a.ts", `import "node:fs"`],
    ["src/base/a.ts", `import "left-pad"`],
    ["src/elsewhere/a.ts", `import "../base/b.ts"`],
  ])("refuses, in %s, %s", (path, source) => {
    const [imported] = importsOf(path, parseSource(path, source));
    expect(imported && objection(path, imported)).toBeTypeOf("string");
  });

  it.each([
    ["src/crew/a.ts", `import { b } from "../agent/b.ts"`],
    ["src/client/a.ts", `import type { B } from "../http/b.ts"`],
    ["src/llm/openai/a.ts", `import OpenAI from "openai/index.js"`],
    ["src/worker.ts", `export { B } from "../durable-objects/b.ts"`],
    ["src/runtime/a.ts", `import { AsyncLocalStorage } from "node:async_hooks"`],
  ])("allows, in %s, %s", (path, source) => {
    const [imported] = importsOf(path, parseSource(path, source));
    expect(imported && objection(path, imported)).toBeUndefined();
  });
});
