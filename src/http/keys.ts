import { Hono } from "hono/tiny";
import { isoTime } from "../base/clock.ts";
import { EngineError } from "../base/error.ts";
import { preview } from "../base/json.ts";
import type { ApiKey } from "../runtime/key-store.ts";
import type { Page } from "../runtime/run-directory.ts";
import { allow, allowOperator } from "./auth.ts";
import { cursorAfter, keyOfCursor } from "./cursor.ts";
import { sha256Hex } from "./digest.ts";
import { query } from "./query.ts";
import { body } from "./request-body.ts";
import { createKeyBody, pageQuery } from "./schemas.ts";
import type { HttpEnv } from "./services.ts";

/** A key as listings show it. */
export type KeyView = Omit<ApiKey, "createdAtMs"> & { readonly createdAt: string };

/** A new key, with the secret that is shown this once. */
export type CreatedKey = KeyView & { readonly key: string };

export const keys = new Hono<HttpEnv>()
  .post("/", allow("admin"), allowOperator, body(createKeyBody), async (c) => {
    const { keys: store, clock, randomId, randomSecret } = c.var.services;
    const { tenant, scopes, name } = c.req.valid("json");
    const secret = `ec_${randomSecret()}`;
    const key: ApiKey = {
      id: randomId(),
      tenant,
      scopes: [...new Set(scopes)],
      ...(name === undefined ? undefined : { name }),
      createdAtMs: clock.now(),
    };
    await store.add(key, await sha256Hex(secret));
    return c.json<CreatedKey, 201>({ ...keyView(key), key: secret }, 201, {
      "cache-control": "no-store",
    });
  })
  .get("/", allow("admin"), allowOperator, query(pageQuery), async (c) => {
    const { cursor, limit } = c.req.valid("query");
    const rows = await c.var.services.keys.list({ afterId: keyOfCursor(cursor), limit: limit + 1 });
    const items = rows.slice(0, limit).map(keyView);
    const last = items.at(-1);
    return c.json<Page<KeyView>>(
      rows.length > limit && last !== undefined
        ? { items, nextCursor: cursorAfter(last.id) }
        : { items },
    );
  })
  .delete("/:id", allow("admin"), allowOperator, async (c) => {
    const id = c.req.param("id");
    if (!(await c.var.services.keys.delete(id)))
      throw new EngineError("not_found", `there is no key ${preview(id)}`);
    return c.body(null, 204);
  });

function keyView({ createdAtMs, ...key }: ApiKey): KeyView {
  return { ...key, createdAt: isoTime(createdAtMs) };
}
