// Number of runs of each crew, flow, agent and conversation in the last days.
import type { RunSum } from "../../../src/usage/usage-sums.ts";
import type { TargetKind } from "../../api-types.ts";
import { client } from "../../api.ts";

export type WeekSum = { readonly started: number; readonly failed: number };

const WEEK_MS = 7 * 86_400_000;

/** By name. */
export async function readWeek(kind: TargetKind): Promise<ReadonlyMap<string, WeekSum>> {
  const from = new Date(Date.now() - WEEK_MS).toISOString().slice(0, 10);
  const { items } = await client.usage.runs({ by: "day", group: "name", from });
  return sumsByName(items, kind);
}

export function sumsByName(
  items: readonly Pick<RunSum, "kind" | "group" | "started" | "failed">[],
  kind: TargetKind,
): ReadonlyMap<string, WeekSum> {
  const sums = new Map<string, WeekSum>();
  for (const item of items) {
    if (item.kind !== kind) continue;
    const before = sums.get(item.group) ?? { started: 0, failed: 0 };
    sums.set(item.group, {
      started: before.started + item.started,
      failed: before.failed + item.failed,
    });
  }
  return sums;
}
