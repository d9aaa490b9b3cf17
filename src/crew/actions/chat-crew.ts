// One turn of a conversation about a crew: a model answers a person and can run the crew.
//
//   CV1. The model sees the crew as one function, whose arguments are the crew's required inputs, all of them texts.
//   CV2. The model itself describes the function and its arguments, once in a run.
//   CV3. The crew runs inside the run of the turn, with the conversation so far as the input `crew_chat_messages`.
//   CV4. Files of a turn are inputs of the crew; the model knows their names, and passes no text for them.
import * as z from "zod";
import { workerModel } from "../../agent/worker-model.ts";
import { Agent } from "../../agent/description/agent.ts";
import { runAgentLoop } from "../../agent/loop/agent-loop.ts";
import { initialProgress } from "../../agent/loop/review-progress.ts";
import { callerStreams } from "../../model-calls/caller-stream.ts";
import { describeTools, fill } from "../../agent/prompts/prompts.ts";
import {
  askStructured,
  outputShape,
  type ShapeCaller,
} from "../../agent/loop/structured-output.ts";
import { EngineError } from "../../base/error.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { RunScope } from "../../events/run-scope.ts";
import { keySegment } from "../../journal/step-key.ts";
import type { Message } from "../../llm/language-model.ts";
import { UsageMeter } from "../../model-calls/usage-meter.ts";
import { sanitizeToolName } from "../../wire/tool-name.ts";
import { toolFromSchema, type Tool } from "../../tools/tool.ts";
import { hooksBeside } from "../crew-hooks.ts";
import type { ChatMessage, ChatReply } from "./chat-messages.ts";
import { CONVERSATION } from "../run-context.ts";
import { runCrew } from "../run-crew.ts";
import type { RunnableCrew } from "../runnable-crew.ts";

/** Crew for a chat. */
export type ChattingCrew = RunnableCrew & { readonly placeholders: readonly string[] };

/** Input of one turn. */
export type Turn = {
  readonly messages: readonly ChatMessage[];
  /** Files by name, in the form of a run's inputs. */
  readonly files: JsonObject;
};

/** Answers the last message at `scope`. */
export async function chatWithCrew(
  scope: RunScope,
  crew: ChattingCrew,
  turn: Turn,
): Promise<ChatReply> {
  const { prompts, options } = crew;
  const caller: ShapeCaller = {
    model: workerModel(scope, options.chatLlm),
    prompts,
    budget: { maxCostUsd: options.maxCostUsd, maxTokens: options.maxTokens },
    meter: new UsageMeter(),
    hooks: hooksBeside(scope, crew),
  };
  const names = inputsOf(crew, turn);
  const described = await describe(scope.at("describe"), { crew, names }, caller);
  const crewTool = toolOf(crew, { described, names }, turn);
  const identity = { role: crew.name, goal: "", backstory: "" };
  const text = fill(prompts.chat.instructions, { crew: described.crew, tool: crewTool.safeName });
  const mode = caller.model.capabilities.tools ? "nativeTools" : "tools";
  const specs = [
    { name: crewTool.safeName, description: crewTool.description, parameters: crewTool.parameters },
  ];
  const howToCall = fill(prompts.slices[mode], {
    tools: describeTools(specs),
    tool_names: crewTool.safeName,
  });
  const files = Object.keys(turn.files).join(", ");
  const aboutFiles = files === "" ? "" : fill(prompts.chat.files, { names: files });
  const system = [text, aboutFiles, howToCall].filter((part) => part !== "").join("\n\n");
  const history: Message[] = [{ role: "system", content: system }, ...turn.messages];
  const raw = await scope.at("answer").group("agent", (place) =>
    runAgentLoop(
      place,
      {
        ...caller,
        agent: new Agent(identity),
        identity,
        prompt: "",
        tools: [crewTool],
        stream: options.stream ?? callerStreams(scope.services),
      },
      { ...initialProgress(), messages: history },
    ),
  );
  return { raw, message: { role: "assistant", content: raw } };
}

type Described = { readonly crew: string; readonly inputs: Readonly<Record<string, string>> };

/** Returns the names of the inputs the person must provide. */
function inputsOf({ placeholders, options }: ChattingCrew, { files }: Turn): readonly string[] {
  return placeholders.filter(
    (name) =>
      name !== CONVERSATION &&
      !Object.hasOwn(options.inputs ?? {}, name) &&
      !Object.hasOwn(files, name),
  );
}

/** Asks the model for a short description of the crew and of each input. */
async function describe(
  scope: RunScope,
  { crew, names }: { readonly crew: ChattingCrew; readonly names: readonly string[] },
  work: ShapeCaller,
): Promise<Described> {
  const text = z.string().min(1);
  const inputs = Object.fromEntries(names.map((name) => [name, text]));
  const shape = outputShape(z.object({ crew: text, inputs: z.object(inputs) }));
  const { describer, description } = crew.prompts.chat;
  const tasks = crew.tasks.map(
    ({ description: task, expectedOutput, agent }) =>
      `- ${task}\n  Expected: ${expectedOutput}\n  By: ${agent?.role ?? ""}`,
  );
  const asked = fill(description, {
    name: crew.name,
    tasks: tasks.join("\n"),
    inputs: Object.keys(inputs).join(", "),
  });
  const answer = await askStructured(scope, { system: describer, user: asked }, { shape, work });
  return answer as Described;
}

function toolOf(
  crew: ChattingCrew,
  { described, names }: { readonly described: Described; readonly names: readonly string[] },
  { messages, files }: Turn,
): Tool {
  const properties = names.map((name): [string, JsonValue] => [
    name,
    { type: "string", description: described.inputs[name] ?? "" },
  ]);
  return toolFromSchema({
    name: sanitizeToolName(crew.name),
    description: described.crew,
    parameters: {
      type: "object",
      properties: Object.fromEntries(properties),
      required: [...names],
      additionalProperties: false,
    },
    run: async (toolInput) => {
      const scope = RunScope.current();
      if (scope === undefined)
        throw new EngineError("internal", "a crew was called outside of its run");
      const inputs: JsonObject = {
        ...files,
        ...toolInput,
        [CONVERSATION]: JSON.stringify(messages),
      };
      const { raw } = await runCrew(scope.at(`crew:${keySegment(crew.name)}`), crew, inputs);
      return raw;
    },
  });
}
