// Deletion of messages from histories, by a call or by a command in a message.
//
//   CLH1. Kept messages never begin with the results of calls: the message with the calls is kept too.
//   CLH2. The command is CLEAR HISTORY in any case, then a number of messages to keep, a member, or both. Its words are
//         removed from the message.
import { isToolResult, type ConversationMessage } from "./messages.ts";

/** Content of a command. */
export type ClearHistoryCommand = {
  /** Number of last messages to keep. */
  readonly keep: number;
  /** Member whose history is cleared. Without a name, all histories and the group's are cleared. */
  readonly agent?: string;
  /** The message without the command. */
  readonly rest: string;
};

/** Returns the last messages of a history: one more if the first would be a result. */
export function keptHistory(
  messages: readonly ConversationMessage[],
  keep: number,
): readonly ConversationMessage[] {
  if (keep <= 0) return [];
  let start = Math.max(0, messages.length - keep);
  const isResult = (index: number): boolean => {
    const message = messages[index];
    return message !== undefined && isToolResult(message);
  };
  while (start > 0 && isResult(start)) start--;
  return start === 0 ? messages : messages.slice(start);
}

/** Reads the command in a message, if it has one. After a tool's result at least one message is kept. */
export function clearHistoryCommand(
  text: string,
  members: readonly string[],
  isToolReply = false,
): ClearHistoryCommand | undefined {
  const found = /\bclear history\b((?:[ \t]+\S+){0,2})/i.exec(text);
  if (found === null) return undefined;
  const [whole, words = ""] = found;
  let keep = 0;
  let agent: string | undefined;
  let used = whole.length - words.length;
  for (const [word] of words.matchAll(/[ \t]+\S+/g)) {
    const exact = word.trim();
    const plain = exact.replace(/[.,!?;:]$/, "");
    const name = [exact, plain].find((each) => members.includes(each));
    if (/^\d{1,6}$/.test(plain)) keep = Number(plain);
    else if (name !== undefined) agent = name;
    else break;
    used += word.length;
  }
  const before = text.slice(0, found.index).trimEnd();
  const after = text.slice(found.index + used).trimStart();
  const rest = [before, after].filter((part) => part !== "").join(" ");
  const kept = isToolReply ? Math.max(1, keep) : keep;
  return { keep: kept, rest, ...(agent === undefined ? {} : { agent }) };
}
