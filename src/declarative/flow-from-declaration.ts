// A flow from its declaration: `crewai.flow/v1` as YAML, JSON or an object.
import { definitionOptions, refuseUnknownOptions } from "../base/unknown-options.ts";
import { DEFAULT_PROMPTS } from "../agent/prompts/prompts.ts";
import type { Issue } from "../base/error.ts";
import { pointerPart } from "../base/json-pointer.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../base/json.ts";
import { fromRecorded } from "../base/recorded.ts";
import { RegistryResolver } from "../crew/definition/definition-registry.ts";
import { BuiltFlow } from "../flow/built-flow.ts";
import { markAsData } from "../llm/definition-rules.ts";
import type { ProjectFiles } from "../project/project-files.ts";
import { makeAction } from "./action.ts";
import type { Action } from "./action-run.ts";
import type { FlowDeclaration } from "./declaration-schema.ts";
import { declaredState } from "./declared-state.ts";
import { objectSource, textSource } from "./flow-source.ts";
import { conversationalFromDefinition } from "../flow/conversational/declaration.ts";
import type { FlowRegistry } from "../flow/flow-reader.ts";
import type { MethodCall } from "../flow/method-call.ts";
import { asDefinition, graphIssues, invalidFlow, readDeclaration } from "./read-declaration.ts";

/** Options for reading a declaration. */
export type DeclarationOptions = {
  /** Tools, functions, schemas and crews a declaration can name. */
  readonly registry?: FlowRegistry;
  /** Name of the text in messages. @default "flow.yaml", "flow.json" */
  readonly file?: string;
  /** Texts of the crew files in `from_declaration`, by their paths from the flow's folder. */
  readonly files?: ProjectFiles;
};

const OPTIONS = definitionOptions<DeclarationOptions>("flowFromDeclaration()", {
  registry: true,
  file: true,
  files: true,
});

/**
 * Makes a flow from a declaration in CrewAI's form. Throws `invalid_definition` with one issue for each fault; issues
 * of a text have line and column.
 */
export function flowFromDeclaration(
  input: string | object,
  options: DeclarationOptions = {},
): BuiltFlow {
  refuseUnknownOptions(options, OPTIONS);
  const { registry = {}, file, files } = options;
  const source =
    typeof input === "string" ? textSource(input, { file, files }) : objectSource(input);
  return source.placed(() => makeFlow(readDeclaration(source.value), registry));
}

/** Makes a flow from a parsed declaration. Throws `invalid_definition` with an issue for each unknown name. */
export function makeFlow(declaration: FlowDeclaration, registry: FlowRegistry): BuiltFlow {
  if (registry.fromData === true) markAsData(declaration);
  const { conversational: block, ...plain } = declaration;
  const conversational = conversationalFromDefinition(block);
  const issues: Issue[] = [];
  const resolver = new RegistryResolver(registry, issues);
  let readsTime = false;
  const maker = {
    flowName: declaration.name,
    registry,
    resolver,
    issues,
    readsTime: () => void (readsTime = true),
  };
  const state = declaredState(declaration.state, resolver);
  const actions = new Map<string, Action>();
  for (const [name, method] of Object.entries(declaration.methods))
    actions.set(name, makeAction(method.do, `/methods/${pointerPart(name)}/do`, maker));
  const flow = {
    definition: asDefinition(plain),
    ...state,
    prompts: DEFAULT_PROMPTS,
    readsTime,
    run: async (method: string, call: MethodCall) =>
      fromRecorded(await actions.get(method)?.run({ call })),
  };
  const { definition } = conversational?.extend(flow) ?? flow;
  const faults = [...graphIssues(definition), ...issues];
  if (faults.length > 0) throw invalidFlow(faults);
  return new BuiltFlow(flow, { conversational, owns: (method) => actions.has(method) });
}

/** Returns a declaration with the name it is stored by, if it has no name. */
export function named(input: unknown, name: string): unknown {
  if (!isJsonObject(input)) return input;
  const object: JsonObject = input;
  return (object["name"] ?? null) === null ? { ...object, name } : object;
}

/** Returns a declaration in its stored form. */
export function asStored(declaration: FlowDeclaration): JsonValue {
  return declaration as JsonValue;
}
