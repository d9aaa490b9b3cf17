// Agents with other defaults: one that works alone, and one that stands for a person.
import type { HumanInputMode } from "../termination.ts";
import { refuseUnknownOptions } from "../../base/unknown-options.ts";
import { MEMBER_OPTIONS } from "./member-option-names.ts";
import { WHERE_AVAILABLE } from "./code-execution.ts";
import { ConversableAgent } from "./conversable-agent.ts";
import type { ConversableAgentOptions } from "./conversable-agent-options.ts";

const ASSISTANT =
  "You work on what you are asked, step by step, and say what you did and what came of it. Use your tools where they help. When everything is done, and the other side has what it needs, answer with TERMINATE and nothing else.";
const ASSISTANT_DESCRIPTION = "An assistant that works on tasks with its model and its tools.";

const PERSON: Readonly<Record<HumanInputMode, string>> = {
  ALWAYS: "A person, who is asked each time.",
  TERMINATE: "Answers for a person, who is asked before the conversation ends.",
  NEVER: "Executes tools for others and asks nobody.",
};

/** An agent that works alone: it asks no person, and ends its work with TERMINATE. */
export class AssistantAgent extends ConversableAgent {
  constructor(options: ConversableAgentOptions) {
    refuseUnknownOptions(options, MEMBER_OPTIONS, new.target !== AssistantAgent);
    const { systemMessage, description } = options;
    super({
      humanInputMode: "NEVER",
      ...options,
      systemMessage: systemMessage ?? ASSISTANT,
      ...(description === undefined && systemMessage === undefined
        ? { description: ASSISTANT_DESCRIPTION }
        : undefined),
    });
  }
}

/**
 * An agent that stands for a person: it has no model, asks the person each time, and executes tools for others. It runs
 * code from received messages if the deployment has a runner, unless `codeExecution` is false.
 */
export class UserProxyAgent extends ConversableAgent {
  constructor(options: ConversableAgentOptions) {
    refuseUnknownOptions(options, MEMBER_OPTIONS, new.target !== UserProxyAgent);
    const { humanInputMode = "ALWAYS", description, codeExecution } = options;
    super({
      systemMessage: "",
      ...options,
      codeExecution: codeExecution ?? WHERE_AVAILABLE,
      humanInputMode,
      description: description ?? PERSON[humanInputMode] ?? "",
    });
  }
}
