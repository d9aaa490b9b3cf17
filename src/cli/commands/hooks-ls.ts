import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";

/** `edgecrew hooks ls`: lists webhooks that start runs. */
export const hooksLs = command({
  name: "hooks ls",
  about: "list webhooks that start runs",
  example: "edgecrew hooks ls",
  options: {},
  run: async ({ client, target, out }) => {
    const { webhooks } = await client();
    const { url } = await target();
    const rows = await everyPage((page) => webhooks.list(page));
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: "There are no webhooks." }, [
      { title: "NAME", of: ({ name }) => name },
      { title: "SCHEME", of: ({ scheme }) => scheme },
      { title: "STARTS", of: (hook) => `${hook.target.kind} ${hook.target.name}` },
      { title: "FROM", of: ({ source }) => source },
      { title: "ADDRESS", of: ({ path }) => `${url}${path}`, isWhole: true },
    ]);
  },
});
