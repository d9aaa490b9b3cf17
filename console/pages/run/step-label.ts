// Readable names of steps.
import type { StepRow } from "../../api-types.ts";
import { inWords } from "../../parts/format.ts";

/** Returns the label of a step, or else the last part of its key in words. */
export function labelOf(key: string, step?: StepRow): string {
  const last = key.slice(key.lastIndexOf("/") + 1);
  const counted = /^(turn|round):(\d+)$/.exec(last);
  if (counted !== null) return `${inWords(counted[1] ?? "")} ${counted[2]}`;
  if (step?.label !== undefined && step.label !== "") return step.label;
  if (step?.kind === "wait") return waitLabel(last, step);
  if (last === "llm") return "Model call";
  const named = /^(?:task|method|tool|agent|group|value):(.+?)(?:#\d+)?$/.exec(last);
  return named?.[1] ?? last;
}

/** Last parts of waits that the library itself opens; other ones are names of the user's code. */
const OWN_WAITS =
  /^(?:human|asked|person|feedback|answer|approval|input|wait|timer|retry|child)(?::\d+)?(?:#\d+)?$/;

function waitLabel(last: string, { wait }: StepRow): string {
  const { kind, data, event } = wait ?? {};
  const named = /^(?:wait:)?(.+?)(?:#\d+)?$/.exec(last)?.[1] ?? last;
  const { agent, tool } = data ?? {};
  if (kind === "event") return `Event ${event ?? named}`;
  if (kind === "human" && typeof tool === "string") return `Approval of ${tool}`;
  if (kind === "human" && typeof agent === "string") return `Turn of ${agent}`;
  if (!OWN_WAITS.test(last)) return named;
  switch (kind) {
    case "timer":
      return "Pause";
    case "child":
      return "Child run";
    case "input":
      return "Answer from outside";
    default:
      return "Question to a person";
  }
}
