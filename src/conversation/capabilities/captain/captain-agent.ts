// An agent that composes groups of experts and asks them (AG2's `CaptainAgent`).
//
//   CPA1. It answers with its model. The model may ask for experts up to the number of turns; then it has to answer.
//   CPA2. A group talks below the call that asks for it, in a conversation of its own. The captain reads a review of
//         it.
import { memberOptions } from "../../agents/member-option-names.ts";
import { refuseUnknownOptions } from "../../../base/unknown-options.ts";
import type { ConversableAgentOptions } from "../../agents/conversable-agent-options.ts";
import { AssistantAgent } from "../../agents/presets.ts";
import { checkedCaptain, type CaptainAgentOptions } from "./captain-options.ts";
import { seekExpertsTool } from "./seek-experts.ts";

const CAPTAIN =
  "You are responsible for a task. Answer what you can answer yourself. Where a task needs several skills, or a second opinion, ask a group of experts with seek_experts_help: say completely what they have to do and what they need to know. " +
  "Read their review with care: where something is open or contradictory, ask again, the same group or another one. Then give the whole answer yourself.";
const DESCRIPTION = "Solves tasks with groups of experts, which it puts together.";

const OPTIONS = memberOptions<CaptainAgentOptions>(
  "new CaptainAgent()",
  { nestedConfig: true, agentLib: true, toolLib: true, savedGroups: true },
  { agentConfigSavePath: "write savedGroups" },
);

/** Composes groups of experts and asks them before it answers. */
export class CaptainAgent extends AssistantAgent {
  /** Throws `invalid_definition` for an invalid config. */
  constructor(options: CaptainAgentOptions) {
    refuseUnknownOptions(options, OPTIONS, new.target !== CaptainAgent);
    const { nestedConfig = {}, agentLib = [], toolLib = [], savedGroups = {}, ...own } = options;
    const config = checkedCaptain({ nestedConfig, agentLib, toolLib, savedGroups }, own.name);
    const base: ConversableAgentOptions = own;
    super({
      systemMessage: CAPTAIN,
      ...(own.systemMessage === undefined ? { description: DESCRIPTION } : undefined),
      ...base,
      maxIter: config.nestedConfig.maxTurns,
    });
    this.registerHook("tools_of_turn", (request) => [
      seekExpertsTool({ request, config, llm: options.llm }),
    ]);
  }
}
