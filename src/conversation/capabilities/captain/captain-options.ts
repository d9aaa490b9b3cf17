import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { preview } from "../../../base/json.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import type { Tool } from "../../../tools/tool.ts";
import type { EmbedderSpec } from "../../../vectors/embedders/resolve-embedder.ts";
import type { ConversableAgentOptions } from "../../agents/conversable-agent-options.ts";
import type { GroupChatOptions } from "../../groups/group-chat.ts";
import { checkExperts, type ExpertGroup } from "./expert-group.ts";

/** Options of a `CaptainAgent`. */
export type CaptainAgentOptions = Omit<ConversableAgentOptions, "maxIter"> & {
  /** The captain's model. */
  readonly llm: ModelSpec;
  readonly nestedConfig?: NestedConfig;
  /** Experts available to groups, beside those invented by a model. @default [] */
  readonly agentLib?: ExpertGroup;
  /** Tools available to experts. @default [] */
  readonly toolLib?: readonly Tool[];
  /** Groups that exist from the start, by name, in the form of the event `chat_experts_chosen`. @default {} */
  readonly savedGroups?: Readonly<Record<string, ExpertGroup>>;
};

/** Settings of the captain's expert groups. */
export type NestedConfig = {
  /** Maximum number of experts in one group, 1 to 10. @default 5 */
  readonly maxAgents?: number;
  /** Maximum number of messages in one group, including the task, 2 to 100. @default 10 */
  readonly maxRound?: number;
  /** Number of times that the captain's model may ask for experts before it has to answer, 1 to 20. @default 5 */
  readonly maxTurns?: number;
  /** Number of library tools offered to the builder of a group: the nearest to the task, 1 to 100. @default 20 */
  readonly maxTools?: number;
  /** Maximum number of tool calls in one turn of an expert, 1 to 50. @default 10 */
  readonly maxToolTurns?: number;
  /** Composes groups. @default the captain's model */
  readonly builderLlm?: ModelSpec;
  /** Answers for experts, and selects the next speaker. @default the captain's model */
  readonly agentLlm?: ModelSpec;
  /** Reviews the result of a group. @default the captain's model */
  readonly reviewLlm?: ModelSpec;
  /** Settings of the experts' group chat. */
  readonly groupChat?: Omit<GroupChatOptions, "agents" | "messages" | "maxRound">;
  /**
   * Finds tools in a library of more than `maxTools`. @default the embedder of the deployment's knowledge, else the
   * environment's
   */
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

/** Throws `invalid_definition`, naming the invalid field. */
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
