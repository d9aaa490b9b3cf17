import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, preview, type JsonObject, parsedJson } from "../../base/json.ts";
import type { EdgecrewClient, RemoteRun, StartOptions as ClientStart } from "../../client/index.ts";
import { START_KINDS, type StartKind } from "../../client/start-kinds.ts";
import { INPUT_OPTIONS } from "../action-options.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun, showsWords, type FollowOptions } from "../follow-run.ts";
import { readRunFiles } from "../run-files.ts";
import { readInputs } from "../run-inputs.ts";
import { startInputs } from "../start-inputs.ts";
import { subjectOf, type Startable } from "../startable.ts";
import { storeFlow, type TemporaryDefinition } from "../temporary-definition.ts";
import { trainingName } from "../training-name.ts";

/** `edgecrew run`: starts a run and follows it. */
export const run = command({
  name: "run",
  serves: true,
  about: "start a crew, a flow, an agent or a conversation, and follow it",
  args: "[name] [message]",
  example: "edgecrew run briefing --input topic=tea",
  options: {
    kind: { about: "kind of the name", value: "kind", choices: START_KINDS },
    ...INPUT_OPTIONS,
    file: { about: "a file that the run is started with", value: "name=path", many: true },
    id: { about: "the id of the run", value: "id" },
    tag: { about: "tag for finding the run", value: "tag", many: true },
    message: { about: "message to an agent or a conversation", value: "text", short: "m" },
    definition: { about: "a file with a declared flow, stored for this run", value: "file" },
    model: { about: "the model of all agents, in place of their own", value: "provider/model" },
    trained: { about: "a training that the run's crews work with", value: "name" },
    meta: { about: "data that is stored with the run", value: "json" },
    storedVersion: { about: "a version of a stored definition", value: "number" },
    webhook: { about: "an address that receives the run's events", value: "url", many: true },
    filename: { about: "as CrewAI writes it: x.pkl is the training x", value: "file", short: "f" },
    last: { about: "take the inputs of the last run of this name" },
    detach: { about: "print the id and go" },
    ...FOLLOW_OPTIONS,
  },
  run: async (context, { args: [named, said], options: own }) => {
    if (said !== undefined && own.message !== undefined)
      throw wrongUse("expected a message behind the name or --message, got both");
    const options = said === undefined ? own : { ...own, message: said };
    const { definition, filename, trained } = options;
    if (definition !== undefined && named !== undefined)
      throw wrongUse("expected a name or --definition, got both");
    const training = trained ?? (filename === undefined ? undefined : trainingName(filename));
    const client = await context.client();
    const stream = (!options.detach && showsWords(context, options)) || undefined;
    const inputFiles = await readRunFiles(options.file, { ...context, client });
    if (definition !== undefined) {
      const inputs = await readInputs(options, context);
      const flow = await storeFlow(client, { path: definition, cwd: context.cwd });
      const once = { ...options, inputs, inputFiles, stream };
      const started = await startedOnce(client, flow, once);
      return follow(context, started, { name: definition, ...options });
    }
    const subject = await subjectOf(context, client, {
      named,
      kinds: options.kind === undefined ? START_KINDS : [options.kind as StartKind],
    });
    if (said !== undefined && (subject.kind === "crew" || subject.kind === "flow"))
      throw wrongUse(
        `${subject.name} is a ${subject.kind}, which takes inputs and no message`,
        `edgecrew run ${subject.name} --input <name>=<value>`,
      );
    const whole = await startInputs(
      context,
      { client, subject },
      {
        written: options,
        last: options.last ? lastInputs(context, subject.name) : {},
        files: Object.keys(inputFiles ?? {}),
      },
    );
    keepInputs(context, subject.name, whole);
    const wanted = { ...options, inputs: whole, inputFiles, trained: training, stream };
    const started = await start(client, subject, wanted);
    return follow(context, started, { name: subject.name, ...options });
  },
});

async function follow(
  context: CliContext,
  started: RemoteRun,
  options: FollowOptions & { readonly detach: boolean },
): Promise<ExitCode> {
  if (options.detach) {
    context.out.result({ id: started.id }, () => started.id);
    return 0;
  }
  context.out.note(`run ${started.id}`);
  return followRun(context, started, options);
}

type StartOptions = {
  readonly inputs: JsonObject;
  readonly id: string | undefined;
  readonly tag: readonly string[];
  readonly message: string | undefined;
  readonly model: string | undefined;
  readonly trained: string | undefined;
  readonly meta: string | undefined;
  readonly storedVersion: string | undefined;
  readonly webhook: readonly string[];
  readonly stream: boolean | undefined;
  readonly inputFiles: Readonly<Record<string, string | JsonObject>> | undefined;
};

/** Starts a definition stored only for this run. */
async function startedOnce(
  client: EdgecrewClient,
  { subject, remove }: TemporaryDefinition,
  options: StartOptions,
): Promise<RemoteRun> {
  try {
    return await start(client, subject, options);
  } finally {
    await remove();
  }
}

async function start(
  client: EdgecrewClient,
  { kind, name }: Startable,
  options: StartOptions,
): Promise<RemoteRun> {
  const { inputs, message = "" } = options;
  const rest = commonOf(options);
  switch (kind) {
    case "crew":
      return client.crews.kickoff(name, { inputs, ...rest });
    case "flow":
      return client.flows.kickoff(name, { inputs, ...rest });
    case "agent":
      return client.agents.kickoff(name, message, { inputs, ...rest });
    default: {
      const hasVariables = Object.keys(inputs).length > 0;
      const variables = hasVariables ? { contextVariables: inputs } : {};
      return client.conversations.kickoff(name, { message, ...variables, ...rest });
    }
  }
}

/** The fields of every start. Throws exit code 2. */
function commonOf(options: StartOptions): ClientStart {
  const { id, tag: tags, inputFiles, model: llm, trained, meta, storedVersion, webhook } = options;
  return {
    id,
    stream: options.stream,
    inputFiles,
    llm,
    trained,
    meta: meta === undefined ? undefined : objectOf("--meta", meta),
    version: storedVersion === undefined ? undefined : versionOf(storedVersion),
    tags: tags.length === 0 ? undefined : tags,
    webhooks: webhook.length === 0 ? undefined : webhook.map((url) => ({ url })),
  };
}

function objectOf(option: string, text: string): JsonObject {
  const value = parsedJson(text);
  if (isJsonObject(value)) return value;
  throw wrongUse(`${option}: expected a JSON object, got ${preview(text)}`);
}

function versionOf(text: string): number {
  const version = Number(text);
  if (Number.isInteger(version) && version >= 1) return version;
  throw wrongUse(`--stored-version: expected an integer from 1 on, got ${preview(text)}`);
}

const inputsFile = (folder: string): string => join(folder, ".edgecrew", "inputs.json");

function lastInputs({ project, cwd }: CliContext, name: string): JsonObject {
  const path = inputsFile(project?.folder ?? cwd);
  if (!existsSync(path)) return {};
  const all: unknown = JSON.parse(readFileSync(path, "utf8"));
  const last = isJsonObject(all) ? all[name] : undefined;
  return isJsonObject(last) ? last : {};
}

/** Stores the inputs, but only within a project. */
function keepInputs({ project }: CliContext, name: string, inputs: JsonObject): void {
  if (project === undefined) return;
  const path = inputsFile(project.folder);
  const all: unknown = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : {};
  mkdirSync(dirname(path), { recursive: true });
  const kept = { ...(isJsonObject(all) ? all : {}), [name]: inputs };
  writeFileSync(path, JSON.stringify(kept), { mode: 0o600 });
}
