import { expect, it } from "vitest";
import { shownEvents } from "../../../src/access/progress-stream.ts";

it("TKR3: changes each event of a stream, for any split of its bytes", async () => {
  const text =
    ': keep-alive\n\nid: 1\nevent: a\ndata: {"type":"a","secret":"ü€"}\n\nretry: 5\n\ndata: broken\n\n';
  const bytes = new TextEncoder().encode(text);
  for (let size = 1; size < 12; size++) {
    let at = 0;
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        if (at >= bytes.length) return controller.close();
        controller.enqueue(bytes.slice(at, at + size));
        at += size;
      },
    });
    const response = new Response(body, { headers: { "content-type": "text/event-stream" } });
    const shown = shownEvents(response, ({ type }) => ({ type: type ?? null }));
    expect(await shown.text()).toBe(
      ': keep-alive\n\nid: 1\nevent: a\ndata: {"type":"a"}\n\nretry: 5\n\ndata: {}\n\n',
    );
  }
});
