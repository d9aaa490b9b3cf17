// A Worker that lets a crew on another Worker do something. In its wrangler.toml:
//
//   [[services]]
//   binding = "CREWS"
//   service = "the-worker-with-crews"
import { createClient, EngineError } from "edgecrew-client";

type Environment = {
  readonly CREWS: { fetch(request: Request): Promise<Response> };
  /** A key of that Worker; none where it is open to Workers alone. */
  readonly CREWS_KEY?: string;
};

export default {
  async fetch(request: Request, env: Environment): Promise<Response> {
    const crews = createClient({
      url: "https://crews", // any name: the binding decides who answers
      auth: () => env.CREWS_KEY,
      fetch: (url, init) => env.CREWS.fetch(new Request(url, init)),
    });
    const { pathname } = new URL(request.url);
    try {
      if (request.method === "POST" && pathname === "/mails") {
        // The mail's own id: a mail that is delivered twice starts one run.
        const id = request.headers.get("x-mail-id");
        const run = await crews.crews.kickoff("support-reply", {
          inputs: { mail: await request.text() },
          ...(id === null ? undefined : { id }),
        });
        return Response.json({ run: run.id }, { status: 202 });
      }
      const [, id] = /^\/mails\/([\w-]+)$/.exec(pathname) ?? [];
      if (id === undefined) return new Response("Not found", { status: 404 });
      const { status, output, waits } = await crews.runs.get(id);
      return Response.json({ status, output, waits: waits.map(({ prompt }) => prompt) });
    } catch (error) {
      if (!EngineError.is(error)) throw error;
      return Response.json({ error: error.message }, { status: error.status ?? 502 });
    }
  },
};
