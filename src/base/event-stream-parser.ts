// The format of server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html

export type EventSourceMessage = {
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
};

export type EventStreamParser = (piece: string) => readonly EventSourceMessage[];

/** Reads a stream piece by piece. The returned function returns the messages completed by a piece. */
export function eventStreamParser(
  onRetry: (ms: number) => void = () => undefined,
  onComment: (comment: string) => void = () => undefined,
): EventStreamParser {
  let unread = "";
  let data: string[] = [];
  let named: { event?: string; id?: string } = {};
  return (piece) => {
    unread += piece;
    // A long line is scanned only once it is complete.
    if (!/[\r\n]/.test(piece)) return [];
    const messages: EventSourceMessage[] = [];
    // A return at the end may be half of a line break.
    const lines = unread.split(/\r\n|\n|\r(?!$)/);
    unread = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "") {
        if (data.length > 0) messages.push({ ...named, data: data.join("\n") });
        data = [];
        named = {};
        continue;
      }
      const colon = line.indexOf(":");
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? "" : line.slice(colon + (line[colon + 1] === " " ? 2 : 1));
      if (field === "data") data.push(value);
      else if (field === "event" || (field === "id" && !value.includes("\0"))) named[field] = value;
      else if (field === "retry" && /^\d+$/.test(value)) onRetry(Number(value));
      else if (field === "") onComment(value);
    }
    return messages;
  };
}
