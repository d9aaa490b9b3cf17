// The core is written over parts: it names none of them.
import { existsSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Node } from "oxc-parser";
import { describe, expect, it } from "vitest";
import { appParts } from "../support/app-parts.ts";
import {
  importsOf,
  lineOf,
  nameOf,
  parseSource,
  readSource,
  sourceFiles,
  walk,
} from "../support/source-files.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

const CORE = ["base", "journal", "events", "runtime", "parts", "http"].map((name) => `src/${name}`);
/** What the core is built on. */
const BELOW = ["src/llm", "src/security", "src/text", "src/graph", "src/starts", "src/wire"];

const FEATURE =
  /^(crews?|agents?|flows?|memory|memories|knowledge|triggers?|schedules?|conversations?|conversational|evaluations?|trainings?)$/i;

/** Names of features that the core may say, each only in these places. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  // Fields of events and of stream frames, which clients read.
  agentRole: ["src/events", "src/runtime/handle/run-stream.ts"],
  flowName: ["src/events/stream-frame.ts"],
  // Channels of stream frames, by which clients sort them.
  flow: ["src/events/stream-frame.ts", "src/runtime/handle/frame-session.ts"],
  conversation_message_: ["src/events/stream-frame.ts"],
  "^(flow|method_execution|human_feedback|conversation)_": ["src/events/stream-frame.ts"],
  // Whose a task or a model call is, as the API says it; a kind of step in stored rows.
  agent: [
    "src/runtime",
    "src/http",
    "src/journal",
    "src/parts/run-shapes.ts",
    "src/parts/graph-shape.ts",
  ],
  // A code of the API.
  agent_failed: ["src/base/error.ts", "src/journal/step-row.ts", "src/parts/code-answers.ts"],
  // Other meanings: the message schedule of SHA-256, and the verb.
  schedule: ["src/base/digest.ts", "src/base/sha256.ts"],
  fillSchedule: ["src/base/sha256.ts"],
  scheduleNext: ["src/runtime"],
  // A field of runs.
  trigger: ["src/runtime", "src/http/operations", "src/parts/run-shapes.ts"],
};

/** The product's description in the API document names what it is for. */
const TAGLINE = "Crews of AI agents that survive anything.";

type Mention = { readonly text: string; readonly path: string; readonly line: number };

/** Identifiers and literals in a file that name a feature. */
function mentions(path: string, source: string = readSource(path)): readonly Mention[] {
  const found: Mention[] = [];
  walk(parseSource(path, source), (node) => {
    const text = textOf(node)?.replace(TAGLINE, "");
    if (text !== undefined && namesFeature(text))
      found.push({ text, path, line: lineOf(source, node) });
  });
  return found;
}

function textOf(node: Node): string | undefined {
  switch (node.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return nameOf(node);
    case "Literal":
      if ("regex" in node) return node.regex.pattern;
      return typeof node.value === "string" ? node.value : undefined;
    case "TemplateElement":
      return node.value.raw;
    default:
      return undefined;
  }
}

/** Whether a word of the text names a feature; `InMemory…` means "in this process". */
function namesFeature(text: string): boolean {
  return text
    .replaceAll(/in-?memory/gi, "")
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .some((word) => FEATURE.test(word));
}

function isAllowed({ text, path }: Mention): boolean {
  return (ALLOWED[text] ?? []).some((place) => isIn(path, place));
}

function isIn(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

describe("the core", () => {
  const files = sourceFiles(...CORE);
  const all = files.flatMap((path) => mentions(path));

  it("has files in each of its folders", () => {
    expect(CORE.filter((folder) => !files.some((path) => isIn(path, folder)))).toEqual([]);
  });

  it("imports no feature", () => {
    const foreign = files.flatMap((path) =>
      importsOf(path)
        .map(({ target }) => target)
        .filter((target) => target !== undefined)
        .filter((target) => ![...CORE, ...BELOW].some((place) => isIn(target, place)))
        .map((target) => `${path} imports ${target}`),
    );
    expect(foreign).toEqual([]);
  });

  it("names no feature", () => {
    const objections = all
      .filter((mention) => !isAllowed(mention))
      .map(({ text, path, line }) => `${path}:${line} says ${JSON.stringify(text)}`);
    expect(objections).toEqual([]);
  });

  it("makes use of every exception", () => {
    const exceptions = Object.entries(ALLOWED).flatMap(([text, places]) =>
      places.map((place) => ({ text, place })),
    );
    expect(
      exceptions.filter(
        ({ text, place }) => !all.some((each) => each.text === text && isIn(each.path, place)),
      ),
    ).toEqual([]);
  });

  it.each([
    "const crewName = 1",
    'if (kind === "flow") run()',
    "type A = { readonly memory: string }",
    "class A { #agents = [] }",
    "const text = `the ${name} of a crew`",
    "const pattern = /^knowledge_/",
    "const { TRAINING_KEY } = env",
  ])("is not allowed to say: %s", (source) => {
    expect(mentions("src/runtime/a.ts", source).some((each) => !isAllowed(each))).toBe(true);
  });

  it.each([
    "new InMemoryRunStore()",
    'import { a } from "./in-memory-run-store.ts"',
    "const { EDGECREW_AUTH } = env",
    "const workflow = overflow",
    "emit({ agentRole })",
  ])("is allowed to say: %s", (source) => {
    expect(mentions("src/events/a.ts", source).filter((each) => !isAllowed(each))).toEqual([]);
  });
});

describe("the parts of an app", () => {
  it("cover all of src", () => {
    const names = sourceFiles("src").flatMap(partNames);
    expect(names.toSorted()).toEqual(appParts.map(({ name }) => name).toSorted());
  });

  it.each(appParts.map(({ name, docs }) => ({ name, docs })))(
    "$name has a page in docs",
    ({ docs = "none" }) => {
      expect(existsSync(`${root}docs/${docs}`)).toBe(true);
    },
  );

  it("have all migrations among them, and no others", () => {
    const named = new Set(appParts.flatMap(({ migrations = [] }) => migrations));
    expect([...named].toSorted()).toEqual(readdirSync(`${root}migrations`).toSorted());
  });
});

/** The names of the parts that a file makes: of the objects that it returns, or declares, as a `Part`. */
function partNames(path: string): readonly string[] {
  const names: string[] = [];
  walk(parseSource(path), (node, ancestors) => {
    if (node.type !== "Property" || node.value.type !== "Literal") return;
    if (node.key.type !== "Identifier" || node.key.name !== "name") return;
    const [maker, body] = ancestors.toReversed().slice(1);
    const isReturned = maker?.type === "ReturnStatement" && body?.type === "BlockStatement";
    const owner = isReturned ? ancestors.at(-4) : maker;
    if (owner !== undefined && isPart(owner)) names.push(String(node.value.value));
  });
  return names;
}

function isPart(node: Node): boolean {
  const annotation =
    node.type === "FunctionDeclaration"
      ? node.returnType?.typeAnnotation
      : node.type === "VariableDeclarator"
        ? node.id.typeAnnotation?.typeAnnotation
        : undefined;
  return (
    annotation?.type === "TSTypeReference" &&
    annotation.typeName.type === "Identifier" &&
    annotation.typeName.name === "Part"
  );
}
