// Server-Sent Events with a filter for each event.
import type { JsonObject } from "../base/json.ts";

/** Returns the stream with `shown` applied to each event. Other lines, such as keep-alives, stay. */
export function shownEvents(
  response: Response,
  shown: (event: JsonObject) => JsonObject,
): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = "";
  const change = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, controller) {
      rest += decoder.decode(piece, { stream: true });
      const end = rest.lastIndexOf("\n");
      if (end < 0) return;
      const lines = rest.slice(0, end).split("\n");
      rest = rest.slice(end + 1);
      const text = lines.map((line) => `${shownLine(line, shown)}\n`).join("");
      controller.enqueue(encoder.encode(text));
    },
  });
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  return new Response(response.body.pipeThrough(change), { status: response.status, headers });
}

/** Each line is a whole event, as this Worker writes them. An unreadable line is hidden. */
function shownLine(line: string, shown: (event: JsonObject) => JsonObject): string {
  if (!line.startsWith("data:")) return line;
  return `data: ${shownText(line.slice("data:".length), shown)}`;
}

/** Returns an event as text, in its shown form. */
export function shownText(text: string, shown: (event: JsonObject) => JsonObject): string {
  try {
    return JSON.stringify(shown(JSON.parse(text) as JsonObject));
  } catch {
    return "{}";
  }
}
