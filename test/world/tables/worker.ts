// Tables in the SQLite of a Durable Object, as those of a run: files are loaded, described and questioned over HTTP.
import { DurableObject } from "cloudflare:workers";
import { openTables } from "../../../src/entry/tables.ts";

type Env = { readonly TABLES: DurableObjectNamespace<Tables> };
type Asked = { readonly files: readonly string[]; readonly sql: string };

export class Tables extends DurableObject<Env> {
  readonly #tables = openTables(this.ctx.storage);

  override async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const name = searchParams.get("name") ?? "";
    try {
      if (pathname === "/load") {
        const bytes = new Uint8Array(await request.arrayBuffer());
        await this.#tables.add({ name, bytes });
        const described = searchParams.has("described");
        return Response.json({ tables: described ? this.#tables.describe([name]) : [] });
      }
      const { files, sql } = await request.json<Asked>();
      return Response.json(this.#tables.query(sql, files));
    } catch (error) {
      const { message } = error as Error;
      return Response.json({ error: message }, { status: 400 });
    }
  }
}

export default {
  fetch(request, env) {
    if (new URL(request.url).pathname === "/healthz") return new Response("ok");
    return env.TABLES.getByName("run").fetch(request);
  },
} satisfies ExportedHandler<Env>;
