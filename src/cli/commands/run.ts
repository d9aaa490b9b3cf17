import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isJsonObject, type JsonObject } from "../../base/json.ts";
import type { EdgecrewClient, RemoteRun } from "../../client/index.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import type { ExitCode } from "../exit-code.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun, type FollowOptions } from "../follow-run.ts";
import { readRunFiles } from "../run-files.ts";
import { readInputs } from "../run-inputs.ts";
import { startInputs } from "../start-inputs.ts";
import { KINDS, subjectOf, type Kind, type Startable } from "../startable.ts";
import { storeFlow, storeTrained, type TemporaryDefinition } from "../temporary-definition.ts";
import { trainingName } from "../training-name.ts";

/** `edgecrew run`: starts a run and follows it. */
export const run = command({
  name: "run",
  serves: true,
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
    file: { about: "a file that the run is started with", value: "name=path", many: true },
    id: { about: "the id of the run", value: "id" },
    tag: { about: "by what the run can be found", value: "tag", many: true },
    message: { about: "what an agent or a conversation is asked", value: "text", short: "m" },
    definition: { about: "a file with a declared flow, stored for this run", value: "file" },
    model: { about: "the model of all agents, in place of their own", value: "provider/model" },
    trained: { about: "a training that the crew works with", value: "name" },
    filename: { about: "as CrewAI writes it: x.pkl is the training x", value: "file", short: "f" },
    last: { about: "take the inputs of the last run of this name" },
    detach: { about: "print the id and go" },
    ...FOLLOW_OPTIONS,
  },
  run: async (context, { args: [named], options }) => {
    const { definition, filename, trained } = options;
    if (definition !== undefined && named !== undefined)
      throw wrongUse("expected a name or --definition, got both");
    const training = trained ?? (filename === undefined ? undefined : trainingName(filename));
    const client = await context.client();
    const inputFiles = await readRunFiles(options.file, { ...context, client });
    if (definition !== undefined) {
      const inputs = await readInputs(options, context);
      const flow = await storeFlow(client, { path: definition, cwd: context.cwd });
      return follow(context, await startedOnce(client, flow, { ...options, inputs, inputFiles }), {
        name: definition,
        ...options,
      });
    }
    const subject = await subjectOf(context, client, {
      named,
      kinds: options.kind === undefined ? KINDS : [options.kind as Kind],
    });
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
    const wanted = { ...options, inputs: whole, inputFiles };
    const started =
      training === undefined
        ? await start(client, subject, wanted)
        : await startedOnce(client, await storeTrained(client, { subject, training }), wanted);
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
  const { inputs, message = "", id, tag: tags, inputFiles, model } = options;
  const rest = {
    ...(id === undefined ? {} : { id }),
    ...(tags.length === 0 ? {} : { tags: [...tags] }),
    ...(inputFiles && { inputFiles }),
    ...(model === undefined ? {} : { llm: model }),
  };
  switch (kind) {
    case "crew":
      return client.crews.kickoff(name, { inputs, ...rest });
    case "flow":
      return client.flows.kickoff(name, { inputs, ...rest });
    case "agent":
      return client.agents.kickoff(name, message, rest);
    default:
      return client.conversations.kickoff(name, { message, ...rest });
  }
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
