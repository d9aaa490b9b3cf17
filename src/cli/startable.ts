// Runnable targets on a Worker: crews, flows, agents and conversations by their names.
import type { EdgecrewClient } from "../client/index.ts";
import type { StartKind } from "../client/start-kinds.ts";
import { wrongUse } from "./cli-failure.ts";
import type { CliContext } from "./command.ts";
import { itemsOf } from "./items-of.ts";
import { keepNames } from "./kept-names.ts";
import { nearestOf } from "../base/nearest.ts";

/** A runnable target. */
export type Startable = {
  readonly kind: StartKind;
  readonly name: string;
  readonly inputs: readonly string[];
  /** True for a flow with turns. */
  readonly takesTurns?: boolean;
};

export type WhatIsMeant = {
  readonly named: string | undefined;
  readonly kinds: readonly StartKind[];
  /** Further condition. @default any target */
  readonly fits?: (subject: Startable) => boolean;
  /** Name of the command, for messages. @default "run" */
  readonly verb?: string;
};

/** Returns the named target, the only existing one, or the one that a person chooses. */
export async function subjectOf(
  context: CliContext,
  client: EdgecrewClient,
  { named, kinds, fits = () => true, verb = "run" }: WhatIsMeant,
): Promise<Startable> {
  const { prompt } = context;
  const there = await startables(client);
  keepNames(context, { definitions: there.map(({ name }) => name) });
  const all = there.filter((each) => kinds.includes(each.kind) && fits(each));
  const names = all.map(({ name }) => name);
  if (named === undefined) {
    const [only] = all;
    if (only !== undefined && all.length === 1) return only;
    if (only === undefined) throw wrongUse(`found nothing to ${verb} here: no ${listOf(kinds)}`);
    if (prompt === undefined) throw wrongUse(`choose a target to ${verb}: ${names.join(", ")}`);
    const chosen = await prompt.choose(
      { message: `Which one to ${verb}?` },
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
    `there is no ${listOf(kinds)} ${JSON.stringify(named)}; there are: ${names.join(", ") || "none"}`,
    near === undefined ? undefined : `edgecrew ${verb} ${near}`,
  );
}

/** All of them, by kind. */
export async function startables(client: EdgecrewClient): Promise<readonly Startable[]> {
  const limit = { limit: 100 };
  const [crews, flows, agents, conversations] = await Promise.all([
    itemsOf(client.crews.list(limit)),
    itemsOf(client.flows.list(limit)),
    itemsOf(client.agents.list(limit)),
    itemsOf(client.conversations.list(limit)),
  ]);
  return [
    ...crews.map(({ name, inputs }) => ({ kind: "crew" as const, name, inputs })),
    ...flows.map(({ name, conversational = false }) => ({
      kind: "flow" as const,
      name,
      inputs: [],
      takesTurns: conversational,
    })),
    ...agents.map(({ name }) => ({ kind: "agent" as const, name, inputs: [] })),
    ...conversations.map(({ name }) => ({ kind: "conversation" as const, name, inputs: [] })),
  ];
}

function listOf(kinds: readonly StartKind[]): string {
  return kinds.join(", ").replace(/, (?=[^,]*$)/, " or ");
}
