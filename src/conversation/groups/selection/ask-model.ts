// Selection of a group's next speaker by a model.
//
//   AMD1. A model unable to decide (`capabilities.judges` is false), such as the offline model, is not asked: the order
//         of members decides.
//   AMD2. Request and answer are screened, as in a turn of the asked agent. If the request is blocked, the order
//         decides.
//   AMD3. Transforms change only the history in the request. Their state lasts from round to round.
//   AMD4. A model with structured output answers with one of the candidates at once. If its server refuses the schema,
//         it answers in text.
import type { JsonObject } from "../../../base/json.ts";
import { fingerprint } from "../../../base/hash.ts";
import type { Usage } from "../../../base/usage.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { changedWork } from "../../../agent/agent-work.ts";
import { agentModel } from "../../../hooks/scripted-agents.ts";
import type { Message, ModelResponse } from "../../../llm/language-model.ts";
import { answerByTool, refusesShape, shapeRequest } from "../../../model-calls/answer-shape.ts";
import { isEmptyAnswer } from "../../../model-calls/empty-answer.ts";
import { judges } from "../../../model-calls/judgement.ts";
import { callModel } from "../../../model-calls/model-call.ts";
import type { ModelCaller } from "../../../model-calls/model-caller.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
import { UsageMeter } from "../../../model-calls/usage-meter.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import {
  chosenName,
  readSelectionAnswer,
  SELECTION_TEXTS,
  selectionPrompt,
  selectionSchema,
  type AutoSelection,
  type SelectionStep,
  type SelectionTexts,
} from "../../auto-selection.ts";
import { contentText } from "../../messages.ts";
import { screenedReply, screenedRequest } from "../../safeguards/screens.ts";
import { nextInOrder } from "../../speaker-candidates.ts";
import type { MessageTransform } from "../../transforms.ts";
import { Kept } from "../../turns/kept.ts";
import type { GroupRun } from "../group.ts";

/** Request to a selecting model. */
export type ModelChoice = {
  /** The agent whose model is asked. */
  readonly asked: ConversableAgent;
  readonly candidates: readonly ConversableAgent[];
  /** Number of retries. @default 2 */
  readonly maxRetries?: number | undefined;
  /** @default SELECTION_TEXTS */
  readonly texts?: SelectionTexts | undefined;
  /** The role of the question. @default "system" */
  readonly role?: "system" | "user" | "assistant" | undefined;
  /** Emits an event for each answer. @default false */
  readonly isVerbose?: boolean | undefined;
  /** Variables available to the texts. */
  readonly variables?: AutoSelection["variables"];
  /** Changes the history for the model. @default unchanged */
  readonly transform?: MessageTransform | undefined;
};

/** A model's choice. */
export type ModelChosen = {
  readonly name: string;
  /** True if the order of members decided, after answers without a decision. */
  readonly isFallback: boolean;
  readonly usage: Readonly<Record<string, Usage>>;
  /** State of the transforms. */
  readonly kept?: JsonObject;
};

/**
 * Returns the candidate that a model names. After too many answers with no name or several, returns the next member in
 * order.
 */
export async function askModel(
  run: GroupRun,
  place: RunScope,
  choice: ModelChoice,
): Promise<ModelChosen> {
  const { talk, lastSpeaker } = run;
  const { asked, candidates, role = "system", isVerbose = false } = choice;
  let selection = firstSelection(run, choice);
  const own = talk.work(asked);
  const work = changedWork(own, { model: agentModel(place, [asked.name], own.model) });
  const inOrder = (): string =>
    nextInOrder(
      selection.order,
      lastSpeaker,
      candidates.map(({ name }) => name),
    );
  if (!judges(work.model)) return { name: inOrder(), isFallback: true, usage: {} };
  const { instructions, question } = selectionPrompt(selection);
  const { transcript, kept } = await historyFor(run, place, choice.transform);
  const asks: Message[] = question === null ? [] : [{ role, content: question }];
  const meter = new UsageMeter();
  const screening = { agent: asked, work: changedWork(work, { meter }) };
  const chosen = (name: string, isFallback: boolean): ModelChosen => ({
    name,
    isFallback,
    usage: meter.total.requests === 0 ? {} : { [asked.name]: meter.total },
    ...(kept === undefined ? undefined : { kept }),
  });
  for (;;) {
    const at = place.at(`ask:${selection.attempts + 1}`);
    const messages: readonly Message[] = [
      { role: "system", content: instructions },
      ...transcript.messages,
      ...asks,
    ];
    const { value, blocked } = await screenedRequest(at, screening, messages);
    if (blocked !== undefined) return chosen(inOrder(), true);
    const inputHash =
      value === messages
        ? fingerprint(JSON.stringify([instructions, asks]), transcript.hash)
        : new Transcript(value).hash;
    const answer = await answerOf(at, screening.work, {
      messages: value,
      inputHash,
      schema: selectionSchema(selection),
    });
    const said = { role: "assistant", content: chosenName(answer), name: asked.name } as const;
    const text = contentText((await screenedReply(at, screening, said)).content);
    const step = readSelectionAnswer(selection, text);
    if (isVerbose) place.emit("chat_speaker_attempt", attemptEvent(step), step.attempt.attempt);
    if (step.kind === "chosen") return chosen(step.name, step.isFallback);
    asks.push({ role: "assistant", content: text }, { role: "user", content: step.question });
    ({ selection } = step);
  }
}

/** Returns the selection before the first question. */
function firstSelection(
  { group, lastSpeaker }: GroupRun,
  { candidates, maxRetries = 2, texts = SELECTION_TEXTS, variables }: ModelChoice,
): AutoSelection {
  return {
    candidates: candidates.map(({ name, description }) => ({ name, description })),
    order: group.members.map(({ name }) => name),
    lastSpeaker,
    maxRetries,
    texts,
    attempts: 0,
    ...(variables === undefined ? undefined : { variables }),
  };
}

/** Returns the model's answer, with structured output if possible (AMD4). */
async function answerOf(
  place: RunScope,
  work: ModelCaller,
  {
    messages,
    inputHash,
    schema,
  }: {
    readonly messages: readonly Message[];
    readonly inputHash: string;
    readonly schema: JsonObject;
  },
): Promise<string> {
  const form = shapeRequest(work.model, schema);
  const ask = (at: RunScope, held: typeof form): Promise<ModelResponse> =>
    callModel(at, work, { request: { messages, ...held }, inputHash, purpose: "route" });
  try {
    const response = await ask(place, form).catch((error: unknown) => {
      if (!refusesShape(form, error)) throw error;
      return ask(place.at("unshaped"), undefined);
    });
    return answerByTool(response) ?? response.text;
  } catch (error) {
    if (!isEmptyAnswer(error)) throw error;
    return ""; // an answer without a name
  }
}

/** Returns the group's messages as the model sees them. */
async function historyFor(
  { group: { manager }, talk }: GroupRun,
  place: RunScope,
  transform: MessageTransform | undefined,
): Promise<{ readonly transcript: Transcript; readonly kept?: JsonObject | undefined }> {
  const history = talk.history(manager, manager);
  const view = talk.view(manager, manager);
  if (transform === undefined) return { transcript: view.of("", history) };
  const kept = new Kept(talk.kept(manager, manager));
  const shown = await transform(history, kept.remember(place, "transform"));
  return { transcript: view.of("", shown), kept: kept.added };
}

function attemptEvent({ kind, attempt, ...step }: SelectionStep): {
  outcome: "selected" | "several" | "none";
} & SelectionStep["attempt"] {
  const count = Object.keys(attempt.mentions).length;
  const isSettled = kind === "chosen" && "isFallback" in step && !step.isFallback;
  return { ...attempt, outcome: isSettled ? "selected" : count > 1 ? "several" : "none" };
}
