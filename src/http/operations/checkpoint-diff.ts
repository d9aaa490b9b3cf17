import type { JsonValue } from "../../base/json.ts";
import { diffCheckpoints, type CheckpointDiff } from "../../runtime/checkpoints.ts";
import type { RunDirectory } from "../../runtime/run-directory.ts";

type Side = { readonly run: string; readonly id: string };

/** Compares two checkpoints, with the outputs of their tasks up to the size limit of an answer. */
export async function checkpointDiff(
  runs: RunDirectory,
  tenant: string,
  [from, to]: readonly [Side, Side],
): Promise<CheckpointDiff> {
  const listOf = ({ run }: Side) => runs.checkpoints(tenant, run, { hashes: true });
  const diff = diffCheckpoints(
    { list: await listOf(from), id: from.id },
    { list: await listOf(to), id: to.id },
  );
  if (diff.tasks.length === 0) return diff;
  const outputsOf = async ({ run }: Side, without: CheckpointDiff["tasks"][number]["change"]) => {
    const keys = diff.tasks.filter(({ change }) => change !== without).map(({ key }) => key);
    const { items } = await runs.checkpointPage(tenant, run, { values: true, keys });
    return new Map(items.map(({ key, output }): [string, JsonValue | undefined] => [key, output]));
  };
  const [before, after] = [await outputsOf(from, "added"), await outputsOf(to, "removed")];
  const tasks = diff.tasks.map((task) => {
    const [old, now] = [before.get(task.key), after.get(task.key)];
    const omits =
      (old === undefined && task.change !== "added") ||
      (now === undefined && task.change !== "removed");
    return {
      ...task,
      ...(old === undefined ? undefined : { from: old }),
      ...(now === undefined ? undefined : { to: now }),
      ...(omits ? { omitted: true as const } : undefined),
    };
  });
  return { ...diff, tasks };
}
