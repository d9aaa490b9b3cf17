// Selection of a group's next speaker by a person.
import type { RunScope } from "../../../events/run-scope.ts";
import type { ConversableAgent } from "../../agents/conversable-agent.ts";
import { manualPrompt, readManualAnswer, type ManualSelection } from "../../manual-selection.ts";
import { askPersonToChoose } from "../../turns/person-reply.ts";
import type { GroupRun } from "../group.ts";

/** Returns the candidate that a person chooses; the next member in order if the answer is empty or unusable. */
export async function askPersonForSpeaker(
  { group, lastSpeaker }: GroupRun,
  place: RunScope,
  {
    asked,
    candidates,
  }: { readonly asked: ConversableAgent; readonly candidates: readonly string[] },
): Promise<{ readonly name: string; readonly isFallback: boolean }> {
  let selection: ManualSelection = {
    candidates,
    order: group.members.map(({ name }) => name),
    lastSpeaker,
    attempts: 0,
  };
  for (;;) {
    const { attempts } = selection;
    place.emit("chat_speaker_asked", { agents: candidates }, attempts + 1);
    const answer = await askPersonToChoose(place.at(`person:${attempts + 1}`), {
      agent: asked,
      prompt: manualPrompt(selection),
      choices: candidates,
    });
    const step = readManualAnswer(selection, answer);
    const isRefused =
      step.kind === "ask" || (step.isFallback && !["", "q"].includes(answer.trim()));
    if (isRefused) {
      const about = { attempts: attempts + 1, isFallback: step.kind === "chosen" };
      place.emit("chat_speaker_input_refused", about, attempts + 1);
    }
    if (step.kind === "chosen") return step;
    ({ selection } = step);
  }
}
