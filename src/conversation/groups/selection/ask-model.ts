// A model chooses the next speaker of a group.
//
//   AMD1. A model that decides nothing, as the offline one, is not asked: the order of members decides.
import { fingerprint } from "../../../base/hash.ts";
import type { Usage } from "../../../base/usage.ts";
import type { RunScope } from "../../../events/run-scope.ts";
import { changedWork } from "../../../agent/agent-work.ts";
import { agentModel } from "../../../hooks/scripted-agents.ts";
import type { Message } from "../../../llm/language-model.ts";
import { judges } from "../../../model-calls/judgement.ts";
import { callModel, UsageMeter } from "../../../model-calls/model-call.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import {
  readSelectionAnswer,
  SELECTION_TEXTS,
  selectionPrompt,
  type AutoSelection,
  type SelectionStep,
  type SelectionTexts,
} from "../../auto-selection.ts";
import { nextInOrder } from "../../speaker-candidates.ts";
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
};

/** Whom a model named. */
export type ModelChosen = {
  readonly name: string;
  /** Whether the order of members decided, since no answer settled it. */
  readonly isFallback: boolean;
  readonly usage: Readonly<Record<string, Usage>>;
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
  if (!judges(work.model)) {
    const names = selection.candidates.map(({ name }) => name);
    const name = nextInOrder(selection.order, lastSpeaker, names);
    return { name, isFallback: true, usage: {} };
  }
  const { instructions, question } = selectionPrompt(selection);
  const history = talk.view(group.manager, group.manager);
  const transcript = history.of("", talk.history(group.manager, group.manager));
  const asks: Message[] = question === null ? [] : [{ role, content: question }];
  const meter = new UsageMeter();
  const caller = changedWork(work, { meter });
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each answer decides whether there is another question
    const { text } = await callModel(place.at(`ask:${selection.attempts + 1}`), caller, {
      request: {
        messages: [{ role: "system", content: instructions }, ...transcript.messages, ...asks],
      },
      inputHash: fingerprint(JSON.stringify([instructions, asks]), transcript.hash),
    });
    const step = readSelectionAnswer(selection, text);
    if (isVerbose) place.emit("chat_speaker_attempt", attemptEvent(step), step.attempt.attempt);
    if (step.kind === "chosen")
      return { name: step.name, isFallback: step.isFallback, usage: { [asked.name]: meter.total } };
    asks.push({ role: "assistant", content: text }, { role: "user", content: step.question });
    ({ selection } = step);
  }
}

function attemptEvent({ kind, attempt, ...step }: SelectionStep): {
  outcome: "selected" | "several" | "none";
} & SelectionStep["attempt"] {
  const count = Object.keys(attempt.mentions).length;
  const isSettled = kind === "chosen" && "isFallback" in step && !step.isFallback;
  return { ...attempt, outcome: isSettled ? "selected" : count > 1 ? "several" : "none" };
}
