import { wrongUse } from "./cli-failure.ts";
import type { OptionSpecs } from "./command.ts";

/** Options for the target of a trigger. */
export const TARGET_OPTIONS = {
  crew: { about: "the crew that it starts", value: "name" },
  flow: { about: "the flow that it starts", value: "name" },
  agent: { about: "the agent that it starts", value: "name" },
} as const satisfies OptionSpecs;

export type TriggerTarget = { readonly kind: "crew" | "flow" | "agent"; readonly name: string };

/** Throws exit code 2 unless exactly one is named. */
export function targetOf(options: {
  readonly crew: string | undefined;
  readonly flow: string | undefined;
  readonly agent: string | undefined;
}): TriggerTarget {
  const named = (["crew", "flow", "agent"] as const).flatMap((kind) => {
    const name = options[kind];
    return name === undefined ? [] : [{ kind, name }];
  });
  const [target] = named;
  if (target !== undefined && named.length === 1) return target;
  throw wrongUse("choose a target: one of --crew, --flow and --agent");
}
