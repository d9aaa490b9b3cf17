import type { JsonValue } from "../../base/json.ts";
import { command } from "../command.ts";
import { everyPage } from "../every-page.ts";
import { age } from "../times.ts";

/** `edgecrew keys ls`: keys, without their secrets. */
export const keysLs = command({
  name: "keys ls",
  about: "list API keys, without their secrets",
  example: "edgecrew keys ls --tenant acme",
  options: { tenant: { about: "of this tenant", value: "tenant" } },
  run: async ({ client, out, clock }, { options: { tenant } }) => {
    const { keys } = await client();
    const all = await everyPage((page) => keys.list(page));
    const rows = all.filter((key) => tenant === undefined || key.tenant === tenant);
    const nowMs = clock.now();
    const value = { items: rows } as unknown as JsonValue;
    out.table({ rows, value, none: "There are no keys." }, [
      { title: "ID", of: ({ id }) => id },
      { title: "TENANT", of: (key) => key.tenant },
      { title: "SCOPES", of: ({ scopes }) => scopes.join(",") },
      { title: "AGE", of: ({ createdAt }) => age(createdAt, nowMs) },
      { title: "EXPIRES", of: ({ expiresAt = "never" }) => expiresAt },
      { title: "NAME", of: ({ name = "" }) => name },
    ]);
  },
});
