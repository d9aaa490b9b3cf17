// Forms in which messages of both sides are compared.
import type { MessageOutcome } from "./outcome.ts";
import type { SeenMessage } from "./script-server.ts";

export type NormalMessage = {
  /** Author; in a chat of two, the role of a message without a name. */
  readonly who: string;
  readonly role: string;
  readonly content: string;
  readonly calls: readonly (readonly [string, string])[];
  readonly results: readonly string[];
};

/**
 * A message without what only its form has: spaces in the arguments of calls, numbers in names of hand-over tools. Members of
 * a group have the role of users in AG2's transcript, and of assistants here, so the role is compared in chats of two.
 */
export function normalMessage(message: MessageOutcome, isGroup: boolean): NormalMessage {
  const { role, name, content, calls = [], results = [] } = message;
  return {
    who: normalName(name ?? undefined) ?? (isGroup ? "_user" : (role ?? "")),
    role: isGroup ? "" : (role ?? ""),
    content: results.length === 0 ? content : joined(content, results),
    calls: calls.map(([tool, input]) => [normalTool(tool), normalArguments(input)] as const),
    results,
  };
}

/** The text without the marks of hooks. */
export function withoutMarks(text: unknown): string {
  return String(text).replace(/(?: ~heard| ~sent)+$/, "");
}

/** AG2's groups have a tool executor of their own, and agents for nested chats, which it counts. */
export function normalName(name: string | undefined): string | undefined {
  if (name !== undefined && /tool_executor/i.test(name)) return "_tools";
  if (name === "user") return "_user"; // a user outside of the agents
  return name?.replace(/^(wrapped_nested_\w+)_\d+$/, "$1");
}

/** Number of calls and text of each message that a model was shown, without its author, in texts of both sides. */
export function shownTexts(view: readonly SeenMessage[]): readonly (readonly [number, string])[] {
  return view.map(([, , text, calls]) => {
    const said = text.replace(/^(?!Error)\w+: /, "");
    return [calls, calls > 0 && said === "None" ? "" : commonText(said)] as const;
  });
}

/** The text with one word for each kind of text that the two sides word in their own ways. */
function commonText(text: string): string {
  if (INTRODUCTIONS.some((words) => text.startsWith(words))) return "<introduction>";
  if (text === INTERRUPTED.ours || text === INTERRUPTED.theirs) return "<interrupted>";
  const [, bare = text, marks = ""] = /^(.*?)((?: ~heard| ~sent)+)$/.exec(text) ?? [];
  if (isHandoffNote(bare)) return `<handed>${marks}`;
  const blocked = BLOCKED.exec(text)?.[1];
  if (blocked !== undefined) return `<blocked>${blocked}`;
  const stopped = guardrailNote(text);
  if (stopped !== undefined) return stopped;
  if (/^(?:Error: )?(?:fails failed: )?broken: /.test(text) || text.startsWith("Error: "))
    return "<error>";
  return pythonText(text);
}

/** A message that a safeguard stopped, with its reason. */
const BLOCKED = /^(?:\[Blocked by a safeguard: |🛡️ BLOCKED: )(.*?)\]?$/u;

const INTRODUCTIONS = ["These are the participants of this conversation:", "Hello everyone. "];

/** The result of a call in whose place a person spoke. */
export const INTERRUPTED = {
  ours: "The person answered instead: this call was not executed.",
  theirs: "USER INTERRUPTED",
} as const;

const HANDOFF_NOTES: readonly RegExp[] = [
  /^\[Handing (over|off) to .+\]$/,
  /^Handing over to \S+\.$/,
  /^Transfer to .+$/,
  /^(Terminate|Stay with agent|Stay|Revert to User)$/,
];

/** True for the text of a message or a result that notes a hand-over. */
export function isHandoffNote(text: string): boolean {
  return HANDOFF_NOTES.some((pattern) => pattern.test(text));
}

/** The text of a guardrail up to its reason; undefined for another text. */
export function guardrailNote(text: string): string | undefined {
  return /^(.*\nJustification: ?)(?:Match found -> |a message matches the guardrail.s pattern)/.exec(
    text,
  )?.[1];
}

/** A text with Python's literals as JSON's. */
export function pythonText(text: string): string {
  return text
    .replaceAll(/\bTrue\b/g, "true")
    .replaceAll(/\bFalse\b/g, "false")
    .replaceAll(/\bNone\b/g, "null")
    .replaceAll("'", '"')
    .replaceAll(/([:,]) /g, "$1");
}

/** The lines between results, in place of the results, which are compared one by one. */
function joined(content: string, results: readonly string[]): string {
  const text = content.replace(/ ~sent$/, "");
  if (results.length === 1 && text === results[0]) return "<results>";
  const between = ["\n", "\n\n"].find((line) => results.join(line) === text);
  return between === undefined ? content : `<results with ${JSON.stringify(between)}>`;
}

function normalTool(name: string): string {
  return name.startsWith("transfer_to_") ? "transfer" : name;
}

function normalArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return text;
  }
}
