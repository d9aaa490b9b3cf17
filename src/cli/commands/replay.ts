import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { EdgecrewClient, Run, Step } from "../../client/index.ts";
import { allSteps } from "../all-steps.ts";
import { wrongUse } from "../cli-failure.ts";
import { command, type CliContext } from "../command.ts";
import { findRunOrNewest } from "../find-run.ts";
import { FOLLOW_OPTIONS } from "../follow-options.ts";
import { followRun } from "../follow-run.ts";
import { readEdits, readInputs } from "../run-inputs.ts";

type Point =
  | { readonly fromStart: true }
  | { readonly edit: { readonly key: string; readonly value: JsonValue } }
  | { readonly fromTask: string }
  | { readonly fromStep: string }
  | { readonly fromCheckpoint: string };

/** `edgecrew replay`: starts a run that takes over another run's results before a point. */
export const replay = command({
  name: "replay",
  serves: true,
  about: "run again from a task or step; the newest run where none is named",
  args: "[id]",
  example: "edgecrew replay 6dcb20 -t report --input topic=tea",
  options: {
    task: { about: "the first task, method or step that is repeated", value: "name", short: "t" },
    fromCheckpoint: { about: "the last stored checkpoint", value: "id" },
    fromStart: { about: "repeat everything" },
    input: {
      about: "an input that differs: k=text, k:=json, k=@file",
      value: "name=value",
      many: true,
      short: "i",
    },
    inputs: { about: "inputs that differ: JSON, @file, or -", value: "json" },
    edit: {
      about: "the result of a finished step in place of its own: key=text, key:=json, key=@file",
      value: "key=value",
      many: true,
    },
    llm: { about: "the model of all agents that are still called", value: "provider/model" },
    branch: { about: "a name for the new run's branch", value: "name" },
    id: { about: "the id of the new run", value: "id" },
    detach: { about: "print the id and go" },
    ...FOLLOW_OPTIONS,
  },
  spellings: { "--task-id": "--task", "--task_id": "--task" },
  run: async (context, { args: [text], options }) => {
    const { task, fromCheckpoint, fromStart, branch, id, llm } = options;
    const named = [task !== undefined, fromCheckpoint !== undefined, fromStart];
    if (named.filter(Boolean).length > 1)
      throw wrongUse("say one of --task, --from-checkpoint and --from-start");
    const changed = await readInputs(options, context);
    const edits = readEdits(options.edit, context.cwd);
    const client = await context.client();
    const run = await client.runs.get(await findRunOrNewest(client, text));
    const edited = named.some(Boolean) ? undefined : await editOf(client, run.id, edits);
    const point =
      edited ?? (await pointOf(context, client, { run, task, fromCheckpoint, fromStart }));
    const replace = edited === undefined ? await replacements(client, run.id, edits) : {};
    const forked = await client.runs.handle(run.id).replay({
      ...point,
      ...(Object.keys(changed).length === 0 ? {} : { inputs: { ...run.inputs, ...changed } }),
      ...(Object.keys(replace).length === 0 ? {} : { replace }),
      ...(branch === undefined ? {} : { branch }),
      ...(llm === undefined ? {} : { llm }),
      ...(id === undefined ? {} : { id }),
    });
    if (options.detach) {
      context.out.result({ id: forked.id, of: run.id, ...point }, () => forked.id);
      return 0;
    }
    const from = placeIn(point);
    context.out.note(`run ${forked.id} repeats ${run.id} (${run.kind} ${run.name}) from ${from}`);
    return followRun(context, forked, { name: run.name, ...options });
  },
});

function placeIn(point: Point): string {
  if ("fromStart" in point) return "its start";
  return "edit" in point ? `another result of ${point.edit.key}` : Object.values(point).join("");
}

/** Kinds of steps whose edited result determines the point of the replay. */
const EDITABLE: ReadonlySet<Step["kind"]> = new Set(["model", "tool", "effect", "value", "wait"]);

/** With one edited call or answer, the replay begins behind it. */
async function editOf(
  client: EdgecrewClient,
  id: string,
  edits: Readonly<Record<string, JsonValue>>,
): Promise<Extract<Point, { readonly edit: unknown }> | undefined> {
  const [edit, another] = Object.entries(edits);
  if (edit === undefined || another !== undefined) return undefined;
  const [key, value] = edit;
  const step = (await allSteps(client.runs.handle(id))).find((each) => each.key === key);
  return step !== undefined && EDITABLE.has(step.kind) ? { edit: { key, value } } : undefined;
}

async function pointOf(
  context: CliContext,
  client: EdgecrewClient,
  wanted: {
    readonly run: Run;
    readonly task: string | undefined;
    readonly fromCheckpoint: string | undefined;
    readonly fromStart: boolean;
  },
): Promise<Point> {
  const { run, task, fromCheckpoint, fromStart } = wanted;
  if (fromCheckpoint !== undefined) return { fromCheckpoint };
  const names = (run.tasks ?? []).map(({ name }) => name);
  if (task !== undefined)
    return names.includes(task) || !/[:/]/.test(task) ? { fromTask: task } : { fromStep: task };
  const steps = await allSteps(client.runs.handle(run.id));
  if (fromStart) return { fromStart };
  const step = brokenStep(steps);
  if (step !== undefined) return { fromStep: step.key };
  const tasks = steps.filter(isTask);
  const which = `run ${run.id} is ${run.status}: say from where it is to be repeated`;
  if (context.prompt === undefined || tasks.length === 0) {
    const keys = tasks.map(({ key }) => key).join(", ");
    throw wrongUse(
      `${which}${keys === "" ? "" : `: ${keys}`}`,
      "--task <name>, --from-checkpoint <id>, or --from-start",
    );
  }
  const choices = tasks.map(({ key }) => ({ value: key }));
  return { fromStep: await context.prompt.choose({ message: which }, choices) };
}

const isTask = ({ kind }: Step): boolean => kind === "task" || kind === "method";

/** Returns the place where a run broke off: the innermost task that failed or did not end, else the last such step. */
function brokenStep(steps: readonly Step[]): Step | undefined {
  const broken = steps.filter(({ state }) => state !== "done");
  const tasks = broken.filter(isTask).toSorted((a, b) => b.key.length - a.key.length);
  return tasks.find(({ state }) => state === "error") ?? tasks[0] ?? broken.at(-1);
}

/** Texts for a task's output become its `raw`; other values are unchanged. */
async function replacements(
  client: EdgecrewClient,
  id: string,
  edits: Readonly<Record<string, JsonValue>>,
): Promise<JsonObject> {
  const isText = Object.values(edits).some((value) => typeof value === "string");
  if (!isText) return edits;
  const steps = await allSteps(client.runs.handle(id), { values: true });
  const replace: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(edits)) {
    const old = steps.find((step) => step.key === key)?.value;
    const isOutput = typeof value === "string" && isJsonObject(old) && "raw" in old;
    if (isOutput && old["object"] !== undefined && old["object"] !== null)
      throw wrongUse(`--edit ${key}: it has an object, so write all of it with ${key}:=<json>`);
    replace[key] = isOutput ? { ...old, raw: value } : value;
  }
  return replace;
}
