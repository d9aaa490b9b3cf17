import { START_KINDS, type StartKind } from "../client/start-kinds.ts";
import { wrongUse } from "./cli-failure.ts";

/** The options that name what a trigger starts: `--crew <name>`, and one for each other kind. */
export const TARGET_OPTIONS = Object.fromEntries(
  START_KINDS.map((kind) => [kind, { about: `the ${kind} that it starts`, value: "name" }]),
) as Readonly<Record<StartKind, { readonly about: string; readonly value: "name" }>>;

export type TriggerTarget = { readonly kind: StartKind; readonly name: string };

/** Throws exit code 2 unless exactly one is named. */
export function targetOf(options: Readonly<Record<StartKind, string | undefined>>): TriggerTarget {
  const named = START_KINDS.flatMap((kind) => {
    const name = options[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  const [target] = named;
  if (target !== undefined && named.length === 1) return target;
  throw wrongUse(`choose a target: one of ${START_KINDS.map((kind) => `--${kind}`).join(", ")}`);
}
