// Features a stored crew uses but its deployment lacks.
//
//   DP1. Without a memory or a file store a crew still runs: it remembers nothing, and writes no output files. Each run
//        reports this.
//   DP2. A crew with missing files or knowledge is refused on storing.
//   DP3. A model without a key, and a stub of a tool, are warnings: the operator can still set the key or register the
//        tool.
//   DP4. Without a client for MCP servers a crew still runs, without their tools. A crew with servers the client
//        refuses is refused on storing.
//   DP5. Without a code runner a crew still runs, and its agents run no code.
import type { Issue } from "../../base/error.ts";
import type { JsonObject } from "../../base/json.ts";
import { partsOfPointer, pointerPart } from "../../base/json-pointer.ts";
import { isSecretName } from "../../base/secret-name.ts";
import type { RunServices } from "../../events/run-services.ts";
import type { ModelCatalog } from "../../llm/model-catalog.ts";
import { envOf } from "../../tools/env-vars.ts";
import type { Tool } from "../../tools/tool.ts";
import type { Crew } from "../crew.ts";
import { RegistryResolver, type DefinitionRegistry } from "./definition-registry.ts";
import { adviceFor } from "./ignored-fields.ts";
import { invalid } from "./definition-faults.ts";
import type { AgentDefinition, CrewDefinition } from "./definition-schema.ts";
import { byPath, modelsOf, unusableDefault, unusableModels, whyUnusable } from "./model-lacks.ts";

/** Services, models and registry of a deployment. */
export type Deployment = {
  readonly services: RunServices;
  readonly models: ModelCatalog;
  readonly variables: RunServices["variables"];
  readonly registry: DefinitionRegistry;
};

const NO_MEMORY =
  "this deployment has no memory store, so memories are not saved: pass memory() of edgecrew/memory to defineApp()";
const NO_FILE =
  "this deployment has no file store, so it is not written: set `files` in defineApp()";
const NOTHING_TO_READ =
  "this deployment has no file store to read it from: set `files` in defineApp()";
const NO_A2A =
  "this deployment asks no agents elsewhere: add a2aClient() of edgecrew/a2a to the parts of defineApp()";
const NO_KNOWLEDGE =
  "this deployment has no knowledge: pass knowledge() of edgecrew/knowledge to defineApp()";

const NO_CODE =
  "this deployment runs no code: pass codeRunners() of edgecrew/code to defineApp({ code })";
const NO_RUNNER =
  "this deployment runs code of no language: bind a Worker Loader as LOADER, or set E2B_API_KEY, DAYTONA_API_KEY or EDGECREW_RUNNER_URL";
const NO_MCP =
  "this deployment connects to no MCP servers, so their tools are missing: add mcpClient() of edgecrew/mcp to `parts` in defineApp()";

/** Fields of an agent as data that depend on its deployment. */
export type AgentUses = Partial<
  Pick<AgentDefinition, "memory" | "knowledge" | "knowledgeSources" | "mcps" | "allowCodeExecution">
>;
type Owned<Fields> = readonly (readonly [path: string, owner: Fields])[];
type Servers = Owned<Pick<AgentUses, "mcps">>;

/** Returns the fields without an effect in runs with these services (DP1, DP4, DP5). */
export function unusedFields(definition: CrewDefinition, services: RunServices): readonly Issue[] {
  const { tasks, outputLogFile = false } = definition;
  const unused = [
    ...unusedMemories([["", definition]], services),
    ...unusedOfAgents(definition.agents, services),
    ...unusedServers(serversBesideAgents(definition), services),
  ];
  if (services.files !== undefined) return unused;
  if (outputLogFile !== false) unused.push({ path: "/outputLogFile", message: NO_FILE });
  for (const [index, { outputFile }] of tasks.entries())
    if (outputFile !== undefined)
      unused.push({ path: `/tasks/${index}/outputFile`, message: NO_FILE });
  return unused;
}

/** Returns the agents' fields without an effect in runs with these services (DP1, DP4, DP5). */
export function unusedOfAgents(
  agents: Readonly<Record<string, AgentUses>>,
  services: RunServices,
): readonly Issue[] {
  const owners = byPath(agents);
  return [
    ...unusedMemories(owners, services),
    ...unusedServers(owners, services),
    ...unusedCode(owners, services),
  ];
}

function unusedCode(owners: Owned<AgentUses>, { code }: RunServices): readonly Issue[] {
  const running = owners.filter(([, { allowCodeExecution }]) => allowCodeExecution === true);
  if (running.length === 0) return [];
  const fault =
    code === undefined ? NO_CODE : whyUnusable(() => (code.tool() ? undefined : NO_RUNNER));
  if (fault === undefined) return [];
  return running.map(([path]) => ({ path: `${path}/allowCodeExecution`, message: fault }));
}

function unusedServers(owners: Servers, { mcp }: RunServices): readonly Issue[] {
  if (mcp !== undefined) return [];
  return owners
    .filter(([, { mcps = [] }]) => mcps.length > 0)
    .map(([path]) => ({ path: `${path}/mcps`, message: NO_MCP }));
}

/** The crew itself and its tasks, which may name servers too. */
function serversBesideAgents(definition: CrewDefinition): Servers {
  const tasks = definition.tasks.map((task, index) => [`/tasks/${index}`, task] as const);
  return [["", definition], ...tasks];
}

function unusedMemories(
  owners: Owned<Pick<AgentUses, "memory">>,
  { memory }: RunServices,
): readonly Issue[] {
  if (memory?.create !== undefined) return [];
  return owners
    .filter(([, owner]) => (owner.memory ?? false) !== false)
    .map(([path]) => ({ path: `${path}/memory`, message: NO_MEMORY }));
}

/** A definition without these of its fields. */
export function withoutFields<Definition extends object>(
  definition: Definition,
  fields: readonly Issue[],
): Definition {
  const copy = structuredClone(definition);
  for (const { path } of fields) {
    const parts = partsOfPointer(path);
    const owner = parts
      .slice(0, -1)
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], copy);
    delete (owner as Record<string, unknown>)[parts.at(-1) ?? ""];
  }
  return copy;
}

/** Throws `invalid_definition` for a crew that cannot run in this deployment (DP2, DP4). */
export function refuseLacking(definition: CrewDefinition, { services }: Deployment): void {
  const { files, a2a } = services;
  const issues: Issue[] = [
    ...lackingKnowledge([["", definition]], services),
    ...lackingOfAgents(definition.agents, services),
    ...refusedServers(serversBesideAgents(definition), services),
  ];
  for (const [path, settings] of a2aOf(definition)) {
    const fault = a2a?.faults(settings);
    if (fault !== undefined) issues.push({ path, message: fault });
  }
  const { inputFiles, tasks } = definition;
  const readers = [["", inputFiles], ...tasks.map((task, i) => [`/tasks/${i}`, task.inputFiles])];
  for (const [path, read] of readers as Array<[string, typeof inputFiles]>)
    if (read !== undefined && Object.keys(read).length > 0 && files === undefined)
      issues.push({ path: `${path}/inputFiles`, message: NOTHING_TO_READ });
  if (issues.length > 0) throw invalid(issues);
}

/** Returns the agents' essential requirements missing in these services (DP2, DP4). */
export function lackingOfAgents(
  agents: Readonly<Record<string, AgentUses>>,
  services: RunServices,
): readonly Issue[] {
  const owners = byPath(agents);
  return [...refusedServers(owners, services), ...lackingKnowledge(owners, services)];
}

function refusedServers(owners: Servers, { mcp }: RunServices): readonly Issue[] {
  return owners.flatMap(([path, { mcps = [] }]) =>
    mcps.flatMap((server, index) => {
      const fault = whyUnusable(() => {
        mcp?.check?.(server);
        return undefined;
      });
      return fault === undefined ? [] : [{ path: `${path}/mcps/${index}`, message: fault }];
    }),
  );
}

function lackingKnowledge(owners: Owned<AgentUses>, { knowledge }: RunServices): readonly Issue[] {
  if (knowledge?.openSession !== undefined) return [];
  return owners.flatMap(([path, owner]) =>
    (["knowledge", "knowledgeSources"] as const)
      .filter((field) => owner[field] !== undefined)
      .map((field) => ({ path: `${path}/${field}`, message: NO_KNOWLEDGE })),
  );
}

/** Returns the missing features of a stored crew, each with advice. */
export function warningsOf(
  { definition, crew }: { readonly definition: CrewDefinition; readonly crew: Crew },
  deployment: Deployment,
): readonly Issue[] {
  const ignored = (definition.ignored ?? []).map((path): Issue => {
    const advice = adviceFor(partsOfPointer(path));
    return { path, message: `has no effect here${advice === undefined ? "" : `: ${advice}`}` };
  });
  return [
    ...ignored,
    ...unusedFields(definition, deployment.services),
    ...unconnected(definition, deployment.services),
    ...keysInAddresses(definition.agents),
    ...keysOfServers(serversBesideAgents(definition)),
    ...toolWarnings(definition, deployment.registry),
    ...unusableModels(modelsOf(definition), deployment.models),
    ...unusableDefault(definition, deployment.models),
    ...missingVariables([...crew.agents, ...crew.tasks], deployment.variables, deployment.services),
  ];
}

/** Returns remote agents without a client to connect them. */
function unconnected(definition: CrewDefinition, { a2a }: RunServices): readonly Issue[] {
  if (a2a !== undefined) return [];
  return a2aOf(definition)
    .filter(([, settings]) => "endpoint" in settings)
    .map(([path]) => ({ path, message: NO_A2A }));
}

/** The settings in the agents' `a2a`, each with its pointer. */
function a2aOf({ agents }: CrewDefinition): ReadonlyArray<readonly [string, JsonObject]> {
  return Object.entries(agents).flatMap(([key, { a2a = [] }]) => {
    const path = `/agents/${pointerPart(key)}/a2a`;
    return Array.isArray(a2a)
      ? a2a.map((each, index) => [`${path}/${index}`, each] as const)
      : [[path, a2a] as const];
  });
}

/** Addresses are shown to every reader of the definition. */
export function keysInAddresses(agents: Readonly<Record<string, AgentUses>>): readonly Issue[] {
  return keysOfServers(byPath(agents));
}

function keysOfServers(owners: Servers): readonly Issue[] {
  return owners.flatMap(([path, { mcps = [] }]) =>
    mcps.flatMap((server, index) => {
      const address = typeof server === "string" ? server : server["url"];
      if (typeof address !== "string" || !URL.canParse(address)) return [];
      const name = Array.from(new URL(address).searchParams.keys()).find(isSecretName);
      if (name === undefined) return [];
      const message = `${name} in the address is not secret: send it in headers, if the server accepts them`;
      return [{ path: `${path}/mcps/${index}`, message }];
    }),
  );
}

/** Warns of stubs, options without effect, and names listed twice. */
function toolWarnings(
  { agents, tasks }: CrewDefinition,
  registry: DefinitionRegistry,
): readonly Issue[] {
  const issues: Issue[] = [];
  const resolver = new RegistryResolver(registry, issues);
  for (const [key, { tools }] of Object.entries(agents))
    resolver.toolsAndSources(tools, `/agents/${pointerPart(key)}/tools`);
  for (const [index, { tools }] of tasks.entries())
    resolver.toolsAndSources(tools, `/tasks/${index}/tools`);
  const stubs = issues.map(({ path, message }) => ({
    path,
    message: `${message}; a stub stands for it, and each call of it fails`,
  }));
  return [...stubs, ...resolver.warnings];
}

/** Returns the variables of tools missing in this deployment, and the services if they are passed. */
export function missingVariables(
  owners: readonly { readonly tools?: readonly Tool[] | undefined }[],
  variables: RunServices["variables"],
  services?: RunServices,
): readonly Issue[] {
  const tools = new Set(owners.flatMap((owner) => owner.tools ?? []));
  return [...tools].flatMap((tool) => {
    const missing = whyUnusable(() => {
      envOf(tool, variables);
      if (services !== undefined) tool.check?.(services);
      return undefined;
    });
    return missing === undefined ? [] : [{ path: "", message: `runs will fail: ${missing}` }];
  });
}
