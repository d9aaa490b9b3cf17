import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import { EngineError, type EdgecrewClient, type RemoteRun } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun } from "../follow-run.ts";
import { nearestOf } from "../nearest.ts";
import { readInputs, unusedInputs } from "../run-inputs.ts";

const KINDS = ["crew", "flow", "agent", "conversation"] as const;
type Kind = (typeof KINDS)[number];

/** Something that can be started. */
type Startable = { readonly kind: Kind; readonly name: string; readonly inputs: readonly string[] };

/** `edgecrew run`: starts something and follows it. */
export const run = command({
  name: "run",
  about: "start a crew, a flow, an agent or a conversation, and follow it",
  args: "[name]",
  example: "edgecrew run briefing --input topic=tea",
  options: {
    kind: { about: "what the name is of", value: "kind", choices: KINDS },
    input: {
      about: "an input: k=text, k:=json, k=@file",
      value: "name=value",
      many: true,
      short: "i",
    },
    inputs: { about: "all inputs: JSON, @file, or - for standard input", value: "json" },
    id: { about: "the id of the run", value: "id" },
    message: { about: "what an agent or a conversation is asked", value: "text", short: "m" },
    last: { about: "take the inputs of the last run of this name" },
    detach: { about: "print the id and go" },
    ...FOLLOW_OPTIONS,
  },
  run: async (context, { args: [named], options }) => {
    const client = await context.client();
    const subject = await subjectOf(context, client, { named, kind: options.kind as Kind });
    const read = await readInputs(options, context);
    const inputs = options.last ? { ...lastInputs(context, subject.name), ...read } : read;
    if (subject.kind === "crew")
      for (const warning of unusedInputs(inputs, subject.inputs)) context.out.note(`! ${warning}`);
    const whole = await withMissing(context, subject, inputs);
    keepInputs(context, subject.name, whole);
    const started = await start(client, subject, { ...options, inputs: whole });
    if (options.detach) {
      context.out.result({ id: started.id }, () => started.id);
      return 0;
    }
    context.out.note(`run ${started.id}`);
    return followRun(context, started, { name: subject.name, ...options });
  },
});

async function start(
  client: EdgecrewClient,
  { kind, name }: Startable,
  options: { inputs: JsonObject; id: string | undefined; message: string | undefined },
): Promise<RemoteRun> {
  const { inputs, message = "" } = options;
  const id = options.id === undefined ? {} : { id: options.id };
  switch (kind) {
    case "crew":
      return client.crews.kickoff(name, { inputs, ...id });
    case "flow":
      return client.flows.kickoff(name, { inputs, ...id });
    case "agent":
      return client.agents.kickoff(name, message, id);
    default:
      return client.conversations.kickoff(name, { message, ...id } as never);
  }
}

/** What is meant: the one of this name, the only one there is, or the one that a person chooses. */
async function subjectOf(
  { prompt }: CliContext,
  client: EdgecrewClient,
  { named, kind }: { readonly named: string | undefined; readonly kind: Kind | undefined },
): Promise<Startable> {
  const all = (await startables(client)).filter((each) => kind === undefined || each.kind === kind);
  const names = all.map(({ name }) => name);
  if (named === undefined) {
    const [only] = all;
    if (only !== undefined && all.length === 1) return only;
    if (only === undefined) throw wrongUse("there is nothing to run here: no crew, flow or agent");
    if (prompt === undefined) throw wrongUse(`name what to run: ${names.join(", ")}`);
    const chosen = await prompt.choose(
      { message: "What is to run?" },
      all.map((each) => ({ value: `${each.kind} ${each.name}` })),
    );
    return all.find((each) => `${each.kind} ${each.name}` === chosen) ?? only;
  }
  const found = all.filter(({ name }) => name === named);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (first !== undefined)
    throw wrongUse(
      `several things are called ${named}: ${found.map((each) => each.kind).join(", ")}`,
      "--kind",
    );
  const near = nearestOf(named, names);
  throw wrongUse(
    `there is no ${kind ?? "crew, flow, agent or conversation"} ${JSON.stringify(named)}; there are: ${names.join(", ") || "none"}`,
    near === undefined ? undefined : `edgecrew run ${near}`,
  );
}

async function startables(client: EdgecrewClient): Promise<readonly Startable[]> {
  const limit = { limit: 100 };
  const [crews, flows, agents, conversations] = await Promise.all([
    itemsOf(client.crews.list(limit)),
    itemsOf(client.flows.list(limit)),
    itemsOf(client.agents.list(limit)),
    itemsOf(client.conversations.list(limit)),
  ]);
  return [
    ...crews.map(({ name, inputs }) => ({ kind: "crew" as const, name, inputs })),
    ...flows.map(({ name }) => ({ kind: "flow" as const, name, inputs: [] })),
    ...agents.map(({ name }) => ({ kind: "agent" as const, name, inputs: [] })),
    ...conversations.map(({ name }) => ({ kind: "conversation" as const, name, inputs: [] })),
  ];
}

/** Of a page. A Worker without that part has no such route, and nothing of the kind. */
async function itemsOf<Item>(
  page: Promise<{ readonly items: readonly Item[] }>,
): Promise<readonly Item[]> {
  try {
    return (await page).items;
  } catch (error) {
    if (EngineError.is(error) && error.code === "not_found") return [];
    throw error;
  }
}

/** Asks for the inputs that are missing. Throws exit code 2, naming all of them, where nobody can be asked. */
async function withMissing(
  { prompt }: CliContext,
  { inputs: needed, name }: Startable,
  inputs: JsonObject,
): Promise<JsonObject> {
  const missing = needed.filter((each) => inputs[each] === undefined);
  if (missing.length === 0) return inputs;
  if (prompt === undefined) {
    const flags = missing.map((each) => `--input ${each}=…`).join(" ");
    throw wrongUse(`${name} needs ${missing.join(", ")}`, `edgecrew run ${name} ${flags}`);
  }
  const asked: Record<string, string> = {};
  for (const each of missing)
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    asked[each] = await prompt.text({ message: each });
  return { ...inputs, ...asked };
}

const inputsFile = (folder: string): string => join(folder, ".edgecrew", "inputs.json");

function lastInputs({ project, cwd }: CliContext, name: string): JsonObject {
  const path = inputsFile(project?.folder ?? cwd);
  if (!existsSync(path)) return {};
  const all: unknown = JSON.parse(readFileSync(path, "utf8"));
  const last = isJsonObject(all) ? all[name] : undefined;
  return isJsonObject(last) ? last : {};
}

/** Within a project alone: elsewhere nothing is written. */
function keepInputs({ project }: CliContext, name: string, inputs: JsonObject): void {
  if (project === undefined) return;
  const path = inputsFile(project.folder);
  const all: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  mkdirSync(dirname(path), { recursive: true });
  const kept = { ...(isJsonObject(all) ? all : {}), [name]: inputs };
  writeFileSync(path, JSON.stringify(kept), { mode: 0o600 });
}
