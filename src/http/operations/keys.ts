import * as z from "zod";
import { isoTime } from "../../base/clock.ts";
import { EngineError } from "../../base/error.ts";
import { invalidInput } from "../../base/invalid-input.ts";
import { preview } from "../../base/json.ts";
import { sha256Hex } from "../../base/sha256.ts";
import { cursorAfter, keyOfCursor } from "../../parts/cursor.ts";
import type { ApiKey } from "../../parts/key-store.ts";
import { operation, type Operation } from "../../parts/operation.ts";
import { dateTime, pageQuery } from "../../parts/schemas.ts";
import { time } from "../../parts/shapes.ts";
import { pageOf } from "../../runtime/page.ts";
import type { AppServices } from "../services.ts";
import { shape, type ViewOf } from "../../parts/shape.ts";

const scopes = () => z.array(z.enum(["run", "read", "answer", "admin"]));

const createKeyBody = z.strictObject({
  tenant: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
  scopes: scopes().min(1).max(4),
  name: z.string().min(1).max(100).optional(),
  expiresAt: dateTime.optional().describe("From then on the key is refused. By default, never."),
});

export type CreateKeyBody = z.input<typeof createKeyBody>;

const fields = () => ({
  id: z.string(),
  tenant: z.string(),
  name: z.string().optional(),
  scopes: scopes(),
  createdAt: time(),
  expiresAt: time().optional(),
  lastUsedOn: z.string().optional().describe("A day, in UTC"),
});

export const keyShape = shape("Key", () => z.strictObject(fields()));

export const createdKeyShape = shape("CreatedKey", () =>
  z.strictObject({ ...fields(), key: z.string().describe("Shown only once") }),
);

/** A key in listings. */
export type KeyView = ViewOf<typeof keyShape>;
/** A new key with its secret, which is shown only once. */
export type CreatedKey = ViewOf<typeof createdKeyShape>;

const shared = { group: "Keys", scope: "admin", operatorOnly: true } as const;

/** `/keys`. */
export function keyOperations(services: AppServices): readonly Operation[] {
  return [createKey(services), listKeys(services), deleteKey(services)];
}

const createKey = ({ keys, clock, randomId, randomSecret }: AppServices) =>
  operation({
    ...shared,
    id: "createKey",
    method: "post",
    path: "/keys",
    summary: "Make an API key",
    description:
      "The key is shown only in this answer. Keys are managed with an admin key of tenant `default`.",
    recentLogin: true,
    body: { name: "CreateKey", schema: createKeyBody, required: true },
    answers: { 201: { description: "The new key", shape: createdKeyShape } },
    problems: [400, 413, 415],
    example: { tenant: "acme", scopes: ["run", "read"], name: "web frontend" },
    handle: async ({ body: { tenant, name, expiresAt, ...grants } }) => {
      const expiresAtMs = expiresAt === undefined ? undefined : Date.parse(expiresAt);
      if (expiresAtMs !== undefined && expiresAtMs <= clock.now())
        throw invalidInput("the request body does not fit", [
          {
            path: "/expiresAt",
            message: `expected a time in the future, got ${preview(expiresAt)}`,
          },
        ]);
      const secret = `ec_${randomSecret()}`;
      const key: ApiKey = {
        id: randomId(),
        tenant,
        scopes: [...new Set(grants.scopes)],
        ...(name === undefined ? undefined : { name }),
        createdAtMs: clock.now(),
        ...(expiresAtMs === undefined ? undefined : { expiresAtMs }),
      };
      await keys.add(key, sha256Hex(secret));
      const json = { ...keyView(key), key: secret };
      return { status: 201, json, headers: { "cache-control": "no-store" } };
    },
  });

const listKeys = ({ keys }: AppServices) =>
  operation({
    ...shared,
    id: "listKeys",
    method: "get",
    path: "/keys",
    summary: "List API keys",
    query: pageQuery,
    answers: {
      200: { description: "A page of keys, without their secrets", list: keyShape },
    },
    problems: [400],
    handle: async ({ query: { cursor, limit } }) => {
      const rows = await keys.list({ afterId: keyOfCursor(cursor), limit: limit + 1 });
      const json = pageOf(rows, limit, { item: keyView, cursor: ({ id }) => cursorAfter(id) });
      return { status: 200, json };
    },
  });

const deleteKey = ({ keys }: AppServices) =>
  operation({
    ...shared,
    id: "deleteKey",
    sample: { after: [{ operation: "createKey", givesId: true }] },
    method: "delete",
    path: "/keys/{id}",
    summary: "Delete an API key",
    description:
      "The key stops working with the next request; streams that are open with it end within a minute.",
    answers: { 204: { description: "Deleted" } },
    problems: [404],
    handle: async ({ params: { id = "" } }) => {
      if (await keys.delete(id)) return { status: 204 };
      throw new EngineError("not_found", `there is no key ${preview(id)}`);
    },
  });

function keyView({ createdAtMs, expiresAtMs, ...key }: ApiKey): KeyView {
  const expires = expiresAtMs === undefined ? undefined : { expiresAt: isoTime(expiresAtMs) };
  return { ...key, createdAt: isoTime(createdAtMs), ...expires };
}
