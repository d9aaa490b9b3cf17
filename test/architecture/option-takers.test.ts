// Public functions and constructors with options: each refuses an unknown one, which OPTION_TAKERS shows by a call.
import { readFileSync } from "node:fs";
import { posix } from "node:path";
import type { Node } from "oxc-parser";
import { expect, it } from "vitest";
import { OPTION_TAKERS } from "../support/option-takers.ts";
import { isNode, nameOf, parseSource, readSource } from "../support/source-files.ts";

/** Functions whose objects are no options, or accept any name, with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  "./worker:defineApp": "needs the platform; test/objects calls it",
  "./worker:versions": "its names are versions",
  "./worker:vectorizeVectors": "reads the bindings of the Worker",
  "./worker:durableVectors": "reads the bindings of the Worker",
  ".:SecurityConfig": "one field",
  ".:withListeners": "one field",
  "./models:InMemoryModelCache": "two settings of a cache",
  ".:EngineError": "an error of the engine",
  ".:outputJson": "reads an output",
  "./acp:getTaskResult": "reads a task",
  "./tokens:createRunToken": "runs in backends that have nothing else of the package",
  "./tokens:verifyRunToken": "runs in backends that have nothing else of the package",
  "./a2a:askCaller": "works only inside of a run",
  "./a2a:sendArtifact": "works only inside of a run",
  "./conversation:preferenceDataset": "one number",
  "./conversation:GroupPattern": "the base of the patterns",
  "./conversation:ag2Events": "one path",
  "./embeddings:embedAll": "a port's own call",
  "./embeddings:embedEach": "a port's own call",
  "./evaluation:compareWithBaseline": "one number",
  "./evaluation:runExperiment": "an asynchronous run; checked as the others",
  "./flow/declarative:flowSkill": "one registry",
  "./interop:convertTools": "calls convertTool()",
  "./knowledge:knowledgeService": "services that a host makes",
  "./mcp:reportProgress": "works only inside of a run",
  "./mcp:mcpService": "services that a host makes",
  "./memory:MemorySlice": "made by Memory#slice()",
  "./memory:memoryService": "services that a host makes",
  "./parts:operation": "a value of a part, which its type holds",
  "./parts:startRun": "a port's own call",
  "./parts:findSubject": "a port's own call",
  "./files:workspaceOf": "reads a run",
  "./project:definitionFromProject": "one list of additions, checked by itself",
  "./streams:frames": "a port's own call",
  "./testing:replayRun": "an asynchronous run; checked as the others",
};

it("every public function with options is called with an unknown one", () => {
  const { exports } = JSON.parse(readFileSync("package.json", "utf8")) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  const takers = Object.entries(exports).flatMap(([entry, target]) => {
    // React's hooks, the client and the catalogue of tools check their options by schemas of their own.
    if (typeof target === "string" || /react|client|tools|vite/.test(entry)) return [];
    const file = target.default.replace("./dist/", "").replace(/\.js$/, ".ts");
    return takersIn(file).map((name) => `${entry}:${name}`);
  });
  expect(takers.length).toBeGreaterThan(100);
  const called = new Set(
    Object.entries(OPTION_TAKERS).flatMap(([entry, own]) =>
      Object.keys(own).map((name) => `${entry}:${name}`),
    ),
  );
  expect(takers.filter((name) => !called.has(name) && !Object.hasOwn(OTHERS, name))).toEqual([]);
  expect(Object.keys(OTHERS).filter((name) => !takers.includes(name))).toEqual([]);
});

/** Names that a module exports as values, of functions and classes with an object of options. */
function takersIn(file: string): readonly string[] {
  return exportsOf(file).flatMap(({ name, local, from }) => {
    const owner = declarationOf(from, local);
    return owner !== undefined && takesOptions(owner) ? [name] : [];
  });
}

type Exported = { readonly name: string; readonly local: string; readonly from: string };

function exportsOf(file: string): readonly Exported[] {
  return parseSource(file).body.flatMap((statement): readonly Exported[] => {
    if (statement.type !== "ExportNamedDeclaration" || statement.exportKind === "type") return [];
    const { declaration, source, specifiers } = statement;
    const own = declaration !== null && "id" in declaration ? declaration.id : null;
    if (own !== null && "name" in own) return [{ name: own.name, local: own.name, from: file }];
    const from = source === null ? file : posix.join(posix.dirname(file), source.value);
    return specifiers
      .filter(({ exportKind }) => exportKind !== "type")
      .map((each) => ({ name: nameOf(each.exported), local: nameOf(each.local), from }));
  });
}

/** Returns the function or class of a name, also if the module exports that of another one. */
function declarationOf(file: string, name: string): Owner | undefined {
  for (const statement of parseSource(file).body) {
    const declared =
      statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (
      (declared?.type === "FunctionDeclaration" || declared?.type === "ClassDeclaration") &&
      declared.id?.name === name
    )
      return { source: readSource(file), node: declared };
  }
  const again = exportsOf(file).find((each) => each.name === name && each.from !== file);
  return again === undefined ? undefined : declarationOf(again.from, again.local);
}

type Owner = { readonly source: string; readonly node: Node };

/** True if a parameter is an object of options, by its type: `…Options`, or a type literal. */
function takesOptions({ source, node }: Owner): boolean {
  const called =
    node.type === "ClassDeclaration"
      ? node.body.body.flatMap((each) =>
          each.type === "MethodDefinition" && each.kind === "constructor" ? [each.value] : [],
        )
      : [node];
  return called.some((each) => {
    if (!("params" in each) || !Array.isArray(each.params)) return false;
    return (each.params as readonly unknown[]).filter(isNode).some((parameter) => {
      const text = source.slice(parameter.start, parameter.end);
      const type = text.slice(text.indexOf(":") + 1);
      return /Options\b|\{\s*(\/\*|readonly )/.test(type);
    });
  });
}
