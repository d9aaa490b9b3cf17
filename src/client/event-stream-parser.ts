// The format of server-sent events, as far as clients need it: https://html.spec.whatwg.org/multipage/server-sent-events.html

export type EventSourceMessage = {
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
};

/** Reads a stream piece by piece. The returned function gives the messages that a piece has completed. */
export function eventStreamParser(
  onRetry: (ms: number) => void = () => undefined,
): (piece: string) => readonly EventSourceMessage[] {
  let unread = "";
  let data: string[] = [];
  let named: { event?: string; id?: string } = {};
  return (piece) => {
    unread += piece;
    // A long line is looked through once it is whole.
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
      const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
      if (field === "data") data.push(value);
      else if (field === "event" || (field === "id" && !value.includes("\0"))) named[field] = value;
      else if (field === "retry" && /^\d+$/.test(value)) onRetry(Number(value));
    }
    return messages;
  };
}
