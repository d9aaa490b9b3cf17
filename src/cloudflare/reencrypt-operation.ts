import * as z from "zod";
import { randomBytes } from "../base/system.ts";
import { operation, type Operation } from "../parts/operation.ts";
import type { PartHost } from "../parts/part.ts";
import { cursor } from "../parts/schemas.ts";
import { cursorAfterPlace, placeOfCursor } from "../runtime/page.ts";
import { keyCount, SecretBox } from "../security/secret-box.ts";
import { D1SealedSecrets } from "./stores/d1-sealed-secrets.ts";
import { shape, type ViewOf } from "../parts/shape.ts";

const body = z.strictObject({
  cursor: cursor.optional(),
  limit: z.number().int().min(1).max(200).default(50),
});

export const reencryptedShape = shape("Reencrypted", () =>
  z.strictObject({
    moved: z.number().describe("Secrets encrypted again"),
    unreadable: z.number().describe("Secrets that no key can decrypt"),
    keys: z.number().describe("Number of keys that the Worker decrypts with"),
    nextCursor: z.string().optional(),
  }),
);

/** Response of `POST /admin/reencrypt`. */
export type Reencrypted = ViewOf<typeof reencryptedShape>;

export function reencryptOperation({ env, variables }: PartHost): Operation {
  return operation({
    id: "reencrypt",
    group: "Service",
    method: "post",
    path: "/admin/reencrypt",
    scope: "admin",
    operatorOnly: true,
    summary: "Encrypt stored secrets with the new key",
    description:
      "A page of rows of all tenants; the next one with `nextCursor`. Secrets within runs stay as they are until the runs are gone.",
    body: { name: "Reencrypt", schema: body, required: false },
    answers: { 200: { description: "Result for the page", shape: reencryptedShape } },
    problems: [400, 413, 415, 503],
    example: {},
    ...(variables["EDGECREW_SECRETS_KEY"]?.trim()
      ? undefined
      : { sample: { needs: "the secret `EDGECREW_SECRETS_KEY`" } }),
    handle: async ({ body: { cursor: from, limit } }) => {
      const key = variables["EDGECREW_SECRETS_KEY"];
      const secrets = new D1SealedSecrets(env.DB, new SecretBox(key, randomBytes));
      const [at, after] =
        from === undefined ? [0, "[]"] : placeOfCursor(from, ["number", "string"]);
      const place = { at, after: JSON.parse(after) as readonly string[] };
      const { next, ...sum } = await secrets.moveOn(place, limit);
      const json: Reencrypted = {
        ...sum,
        keys: keyCount(key),
        ...(next === undefined
          ? undefined
          : { nextCursor: cursorAfterPlace([next.at, JSON.stringify(next.after)]) }),
      };
      return { status: 200, json };
    },
  });
}
