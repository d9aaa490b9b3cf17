// A model chooses the next speaker of a group.
//
//   AMD1. A model that decides nothing, as the offline one, is not asked: the order of members decides.
//   AMD2. What it is sent and what it says is screened, as in a turn of whoever is asked. Where the request is blocked, the order decides.
//   AMD3. Transforms change what it is sent of the history, and nothing else. What they remember lasts from round to round.
//   AMD4. A model that can be held to a shape answers with one of the candidates at once; where its server refuses the shape, with words.
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
import { callModel, UsageMeter, type ModelCaller } from "../../../model-calls/model-call.ts";
import { Transcript } from "../../../model-calls/transcript.ts";
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

/** How a model is asked. */
export type ModelChoice = {
  /** Whose model is asked. */
  readonly asked: ConversableAgent;
  readonly candidates: readonly ConversableAgent[];
  /** How often it is asked again. @default 2 */
  readonly maxRetries?: number | undefined;
  /** @default SELECTION_TEXTS */
  readonly texts?: SelectionTexts | undefined;
  /** The role of the question. @default "system" */
  readonly role?: "system" | "user" | "assistant" | undefined;
  /** Whether each answer is told by an event. @default false */
  readonly isVerbose?: boolean | undefined;
  /** Variables that the texts may name. */
  readonly variables?: AutoSelection["variables"];
  /** Changes what it sees of the history. @default nothing */
  readonly transform?: MessageTransform | undefined;
};

/** Whom a model named. */
export type ModelChosen = {
  readonly name: string;
  /** Whether the order of members decided, since no answer settled it. */
  readonly isFallback: boolean;
  readonly usage: Readonly<Record<string, Usage>>;
  /** What transforms remember. */
  readonly kept?: JsonObject;
};

/** The candidate that a model names; the next in order when it names none, or several, too often. */
export async function askModel(
  run: GroupRun,
  place: RunScope,
  choice: ModelChoice,
): Promise<ModelChosen> {
  const { group, talk, lastSpeaker } = run;
  const { asked, candidates, role = "system", isVerbose = false, variables } = choice;
  let selection: AutoSelection = {
    candidates: candidates.map(({ name, description }) => ({ name, description })),
    order: group.members.map(({ name }) => name),
    lastSpeaker,
    maxRetries: choice.maxRetries ?? 2,
    texts: choice.texts ?? SELECTION_TEXTS,
    attempts: 0,
    ...(variables === undefined ? undefined : { variables }),
  };
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
    // oxlint-disable-next-line no-await-in-loop -- each answer decides whether there is another question
    const { value, blocked } = await screenedRequest(at, screening, messages);
    if (blocked !== undefined) return chosen(inOrder(), true);
    const inputHash =
      value === messages
        ? fingerprint(JSON.stringify([instructions, asks]), transcript.hash)
        : new Transcript(value).hash;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const answer = await answerOf(at, screening.work, {
      messages: value,
      inputHash,
      schema: selectionSchema(selection),
    });
    const said = { role: "assistant", content: chosenName(answer), name: asked.name } as const;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const text = contentText((await screenedReply(at, screening, said)).content);
    const step = readSelectionAnswer(selection, text);
    if (isVerbose) place.emit("chat_speaker_attempt", attemptEvent(step), step.attempt.attempt);
    if (step.kind === "chosen") return chosen(step.name, step.isFallback);
    asks.push({ role: "assistant", content: text }, { role: "user", content: step.question });
    ({ selection } = step);
  }
}

/** What the model says, held to the shape where it can be (AMD4). */
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
    return ""; // it names nobody
  }
}

/** What was said in the group, as the model sees it. */
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
