// A `fetch` that answers as the model server does, without a network.
import { dialectOf, FORMS, LISTS, type ServedReply, type ServedRequest } from "./model-server.ts";

/** Answers each request with what `reply` gives for it; the bodies of the requests are kept. */
export function servedFetch(reply: (request: ServedRequest) => ServedReply): {
  readonly bodies: ServedRequest["body"][];
  readonly fetch: typeof fetch;
} {
  const bodies: ServedRequest["body"][] = [];
  return {
    bodies,
    fetch: async (input, init) => {
      const asked = new Request(input, init);
      const { pathname, search } = new URL(asked.url);
      const dialect = dialectOf(pathname);
      if (dialect === undefined) return new Response("{}", { status: 404 });
      const body = (await asked.json()) as ServedRequest["body"];
      const request: ServedRequest = {
        index: bodies.push(body) - 1,
        dialect,
        path: pathname + search,
        headers: Object.fromEntries(asked.headers),
        idempotencyKey: asked.headers.get("idempotency-key") ?? undefined,
        model: "m",
        stream: body["stream"] === true || /:streamGenerateContent|-stream$/.test(pathname),
        messages: (body[LISTS[dialect]] ?? []) as ServedRequest["messages"],
        body,
      };
      const form = FORMS[dialect];
      if (!request.stream) return Response.json(form.answer(request, reply(request)));
      const events = form.events(request, reply(request)).map((event) => Buffer.from(event));
      return new Response(Buffer.concat(events));
    },
  };
}
