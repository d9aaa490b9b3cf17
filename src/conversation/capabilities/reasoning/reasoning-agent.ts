// An agent that thinks in trees before it answers (AG2's `ReasoningAgent`).
//
//   RSA1. Its thoughts are steps of its turn, and its answer is one message. The event `chat_reasoning_completed` has
//         the trees.
//   RSA2. The task is the last message, with the earlier messages as background. Results of its own calls come first.
import { memberOptions } from "../../agents/member-option-names.ts";
import { refuseUnknownOptions } from "../../../base/unknown-options.ts";
import { changedWork } from "../../../agent/agent-work.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import type { ModelSpec } from "../../../llm/resolve-model.ts";
import type { ConversableAgentOptions } from "../../agents/conversable-agent-options.ts";
import { AssistantAgent } from "../../agents/presets.ts";
import { contentText, type ConversationMessage } from "../../messages.ts";
import type { StepsReply, StepsRequest } from "../../turns/reply-function.ts";
import {
  checkedReasonConfig,
  type CheckedReasonConfig,
  type ReasonConfig,
} from "./reason-config.ts";
import { newNode, type ThinkNode } from "./think-node.ts";
import { Thinker } from "./thinker.ts";
import { grow } from "./tree-search.ts";

/** Options of a `ReasoningAgent`. */
export type ReasoningAgentOptions = ConversableAgentOptions & {
  /** The thinking model. */
  readonly llm: ModelSpec;
  readonly reasonConfig?: ReasonConfig;
  /** Rates thoughts. @default the agent's model */
  readonly graderLlm?: ModelSpec;
};

/** Characters of messages before the task. */
const MAX_BACKGROUND = 8_000;

const OPTIONS = memberOptions<ReasoningAgentOptions>(
  "new ReasoningAgent()",
  { reasonConfig: true, graderLlm: true },
  {
    answerApproach: "write reasonConfig",
    beamSize: "write reasonConfig",
    graderLlmConfig: "write graderLlm",
    maxDepth: "write reasonConfig",
    scope: "write it into systemMessage",
  },
);

/** Considers several ways before it answers. */
export class ReasoningAgent extends AssistantAgent {
  readonly #config: CheckedReasonConfig;
  readonly #graderLlm: ModelSpec | undefined;

  /** Throws `invalid_definition` for an invalid config. */
  constructor(options: ReasoningAgentOptions) {
    refuseUnknownOptions(options, OPTIONS, new.target !== ReasoningAgent);
    const { reasonConfig = {}, graderLlm, ...own } = options;
    super(own);
    if (this.llm === false)
      throw invalidDefinition(`agent "${this.name}": a ReasoningAgent needs a model, set llm`);
    this.#config = checkedReasonConfig(reasonConfig, this.name);
    this.#graderLlm = graderLlm;
    this.registerSteps(
      () => true,
      (place, request) => this.#reason(place, request),
      { before: "model" },
    );
  }

  async #reason(
    place: RunScope,
    { messages, work }: StepsRequest,
  ): Promise<StepsReply | undefined> {
    const last = messages.at(-1);
    if (last === undefined) return undefined;
    const { name } = this;
    const config = this.#config;
    const grader =
      this.#graderLlm === undefined
        ? work
        : changedWork(work, { model: place.model(this.#graderLlm) });
    const task = taskOf(messages, last);
    const trees = Array.from({ length: config.forestSize }, (_, index) => {
      const root = newNode(task, `${index}`, 0);
      const thinker = new Thinker(root, { place, work, grader, config });
      return { root, thinker, config, chance: place.at("think").at(`${index}`) };
    });
    const answers = await Promise.all(
      trees.map(async (tree) => {
        const ends = await grow(tree);
        const chosen = config.answerApproach === "best" ? ends.slice(0, 1) : ends;
        return tree.thinker.answer(tree.chance.at("answer"), chosen);
      }),
    );
    const [first] = trees;
    const content =
      first === undefined || answers.length === 1
        ? (answers[0] ?? "")
        : await first.thinker.conclude(
            place.at("answer"),
            answers.map((answer, index) => `Answer ${index + 1}:\n${answer}`).join("\n\n"),
          );
    const grown: readonly ThinkNode[] = trees.map(({ root }) => root);
    place.emit("chat_reasoning_completed", { agent: name, method: config.method, trees: grown });
    return { reply: { role: "assistant", name, content } };
  }
}

function taskOf(messages: readonly ConversationMessage[], last: ConversationMessage): string {
  const task = contentText(last.content);
  const before = messages
    .slice(0, -1)
    .map(({ name, role, content }) => `${name ?? role}: ${contentText(content)}`);
  if (before.length === 0) return task;
  const text = before.join("\n");
  const background = text.length > MAX_BACKGROUND ? `…${text.slice(-MAX_BACKGROUND)}` : text;
  return `${task}\n\nWhat was said before:\n${background}`;
}
