import { Agent } from "../../agent/description/agent.ts";
import type { ToolSource } from "../../tools/tool-source.ts";
import type { TalkingMember } from "./talking-member.ts";
import type { SharedOptions } from "./member-options.ts";
import { FIELDS_OF_CREWS } from "./shared-fields.ts";

/** Fields that a `ConversableAgent` passes to its inner crew agent. */
const SHARED = { ...FIELDS_OF_CREWS, hooks: true } as const satisfies Record<
  keyof SharedOptions | "maxIter",
  true
>;

/**
 * Makes the crew agent that works for a member, with the servers among its tools. Throws `invalid_definition`, naming
 * the invalid field.
 */
export function innerAgent(
  {
    name,
    systemMessage,
    description,
    llm,
    options,
  }: Pick<TalkingMember, "name" | "systemMessage" | "description" | "llm" | "options">,
  servers: readonly ToolSource[],
): Agent {
  const shared = Object.fromEntries(
    Object.entries(options).filter(
      ([field, value]) => Object.hasOwn(SHARED, field) && value !== undefined,
    ),
  ) as SharedOptions;
  return new Agent({
    role: name,
    goal: description,
    backstory: systemMessage,
    ...(llm === false ? undefined : { llm }),
    ...shared,
    ...(servers.length === 0 ? undefined : { tools: servers }),
  });
}
