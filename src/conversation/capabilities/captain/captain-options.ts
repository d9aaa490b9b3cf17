import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { preview } from "../../../base/json.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";
import type { ConversableAgentOptions } from "../../agents/conversable-agent-options.ts";
import type { GroupChatOptions } from "../../groups/group-chat.ts";
import { checkExperts, type ExpertGroup } from "./expert-group.ts";

/** What a `CaptainAgent` is made of. */
export type CaptainAgentOptions = Omit<ConversableAgentOptions, "maxIter"> & {
  /** Leads. */
  readonly llm: ModelSpec;
  readonly nestedConfig?: NestedConfig;
  /** Experts that groups may be made of, beside those that a model makes up. @default [] */
  readonly agentLib?: ExpertGroup;
  /** Tools that experts may have. @default [] */
  readonly toolLib?: readonly Tool[];
  /** Groups that are there from the beginning, by name, as the event `chat_experts_chosen` tells of them. @default {} */
  readonly savedGroups?: Readonly<Record<string, ExpertGroup>>;
};

/** How a captain has groups of experts talk. */
export type NestedConfig = {
  /** Experts of one group at most, 1 to 10. @default 5 */
  readonly maxAgents?: number;
  /** Messages of one group, with the task, 2 to 100. @default 10 */
  readonly maxRound?: number;
  /** How often the captain's model may ask for experts before it has to answer, 1 to 20. @default 5 */
  readonly maxTurns?: number;
  /** Tools of the library that the builder of a group may choose from: those nearest to the task, 1 to 100. @default 20 */
  readonly maxTools?: number;
  /** Calls of tools in one turn of an expert's, 1 to 50. @default 10 */
  readonly maxToolTurns?: number;
  /** Puts groups together. @default the captain's model */
  readonly builderLlm?: ModelSpec;
  /** Answers for experts, and selects who of them speaks. @default the captain's model */
  readonly agentLlm?: ModelSpec;
  /** Reviews what a group came to. @default the captain's model */
  readonly reviewLlm?: ModelSpec;
  /** How experts talk. */
  readonly groupChat?: Omit<GroupChatOptions, "agents" | "messages" | "maxRound">;
  /** Finds tools in a library of more than `maxTools`. @default that of the deployment's knowledge, else the environment's */
  readonly embedder?: EmbedderSpec;
};

type Counts = "maxAgents" | "maxRound" | "maxTurns" | "maxTools" | "maxToolTurns";

/** The options with their defaults. */
export type CheckedCaptain = Required<
  Pick<CaptainAgentOptions, "agentLib" | "toolLib" | "savedGroups">
> & {
  readonly nestedConfig: NestedConfig & Required<Pick<NestedConfig, Counts>>;
};

const LIMITS: Readonly<Record<Counts, readonly [number, number, number]>> = {
  maxAgents: [5, 1, 10],
  maxRound: [10, 2, 100],
  maxTurns: [5, 1, 20],
  maxTools: [20, 1, 100],
  maxToolTurns: [10, 1, 50],
};

/** Throws `invalid_definition` that names the field that is wrong. */
export function checkedCaptain(
  options: Omit<CaptainAgentOptions, keyof ConversableAgentOptions>,
  name: string,
): CheckedCaptain {
  const { nestedConfig = {}, agentLib = [], toolLib = [], savedGroups = {} } = options;
  const counts = Object.entries(LIMITS).map(([field, [usual, least, most]]) => {
    const value = nestedConfig[field as Counts] ?? usual;
    if (Number.isInteger(value) && value >= least && value <= most) return [field, value] as const;
    throw invalidDefinition(
      `agent "${name}": nestedConfig.${field} must be an integer from ${least} to ${most}, got ${preview(value)}`,
    );
  });
  if (agentLib.length > 0) checkExperts(agentLib, `agent "${name}": agentLib`);
  for (const [group, experts] of Object.entries(savedGroups))
    checkExperts(experts, `agent "${name}": savedGroups[${JSON.stringify(group)}]`);
  return {
    agentLib,
    toolLib,
    savedGroups,
    nestedConfig: { ...nestedConfig, ...(Object.fromEntries(counts) as Record<Counts, number>) },
  };
}
