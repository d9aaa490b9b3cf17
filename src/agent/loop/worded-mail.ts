import type { ReceivedMail } from "../../events/mail.ts";
import { fill, type Prompts } from "../prompts/prompts.ts";

/** Returns a message sent to the run, as the model reads it: with its speaker. */
export function wordedMail(
  { content, speaker }: ReceivedMail,
  { slices }: Pick<Prompts, "slices">,
): string {
  const name = speaker?.name ?? speaker?.id ?? slices.speakerUnknown;
  return fill(slices.messageWhileWorking, { speaker: name, content });
}
