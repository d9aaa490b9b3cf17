import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { Checkpoint, Run } from "../../client/index.ts";
import { command } from "../command.ts";
import { findRunOrNewest } from "../find-run.ts";
import { outputText } from "../follow-run.ts";
import { duration } from "../times.ts";

type Row = {
  readonly task: string;
  readonly key: string;
  readonly status: string;
  readonly agent?: string;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly output?: JsonValue;
};

/** `edgecrew tasks`: lists the output of each task. */
export const tasks = command({
  name: "tasks",
  serves: true,
  about: "list a run's tasks or methods and their results; default: the newest run",
  args: "[id]",
  example: "edgecrew tasks 6dcb20",
  options: {},
  run: async ({ client, out }, { args: [text] }) => {
    const edgecrew = await client();
    const id = await findRunOrNewest(edgecrew, text);
    const handle = edgecrew.runs.handle(id);
    const [run, finished] = await Promise.all([
      handle.status(),
      handle.checkpoints({ values: true }),
    ]);
    const rows = rowsOf(run, finished);
    if (text === undefined) out.note(`run ${id} (${run.kind} ${run.name})`);
    const none = `Run ${id} has no tasks yet.`;
    out.table({ rows, value: rows, none }, [
      { title: "TASK", of: ({ task }) => task },
      { title: "STATUS", of: ({ status }) => status },
      { title: "AGENT", of: ({ agent = "" }) => agent },
      { title: "TOOK", of: ({ startedAt, finishedAt }) => duration(startedAt, finishedAt) },
      { title: "KEY", of: ({ key }) => key, isWhole: true },
      { title: "OUTPUT", of: ({ output }) => (output === undefined ? "" : textOf(output)) },
    ]);
  },
});

/** Returns the tasks of the run, then its other finished steps, such as methods of a flow. */
function rowsOf({ tasks: known = [] }: Run, finished: readonly Checkpoint[]): readonly Row[] {
  const outputs = new Map(finished.map((checkpoint) => [checkpoint.key, checkpoint]));
  const own = known.map(({ name, ...task }) => ({
    task: name,
    ...task,
    ...outputOf(outputs.get(task.key)),
  }));
  const keys = new Set(known.map(({ key }) => key));
  const others = finished
    .filter(({ key }) => !keys.has(key))
    .map((checkpoint) => {
      const { task, key, at } = checkpoint;
      return { task, key, status: "completed", finishedAt: at, ...outputOf(checkpoint) };
    });
  return [...own, ...others];
}

function outputOf(checkpoint: Checkpoint | undefined): { readonly output?: JsonValue } {
  if (checkpoint?.omitted !== undefined)
    return { output: `(${checkpoint.omitted} characters: edgecrew runs show --output)` };
  return checkpoint?.output === undefined ? {} : { output: checkpoint.output };
}

/** A method's record has its result, and beside it the changes of the state. */
function textOf(value: JsonValue): string {
  if (isJsonObject(value) && value["raw"] === undefined && value["value"] !== undefined)
    return outputText(value["value"]);
  return outputText(value);
}
