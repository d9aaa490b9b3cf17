import * as z from "zod";
import { digestHex } from "../../../base/bytes.ts";
import { errorMessage } from "../../../base/error.ts";
import { checkWebhookSecret, webhookHeaders } from "../../../security/webhook.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import type { CatalogVariable } from "../base/entry.ts";
import { serviceFailure } from "../base/service-failure.ts";

const SECRET = {
  name: "WEBHOOK_SECRET",
  description: "signs what webhook_post sends: whsec_ and base64, or any text of at least 16 bytes",
  option: "secret",
} as const satisfies CatalogVariable;

const MAX_SHOWN = 2000;

/**
 * Posts JSON to an address of the deployment, signed according to Standard Webhooks. Each attempt has the same id, so
 * receivers can drop repeats and a call is repeated after a crash.
 */
export const webhookPost = catalogTool({
  className: "WebhookPostTool",
  otherNames: ["webhook_post"],
  displayName: "webhook_post",
  group: "automation",
  service: "The webhook",
  effectClass: "X",
  effect: "idempotent",
  description: "Posts data as JSON to the team's webhook.",
  input: () => z.object({ body: z.record(z.string(), z.json()).describe("The data to post") }),
  options: () => z.object({ url: z.url({ protocol: /^https?$/ }) }),
  takes: { payload: "body", data: "body" },
  env: [SECRET],
  hosts: ({ url }) => [new URL(url).host],
  hostOptions: ["url"],
  run: async ({ body }, { url }, io) => {
    const secret = checkedSecret(io.value(SECRET.name) ?? "");
    const { idempotencyKey } = io.context;
    const id = `msg_${(await digestHex(new TextEncoder().encode(idempotencyKey))).slice(0, 32)}`;
    const text = JSON.stringify(body);
    const { clock } = io.scope;
    const { status, body: answer } = await io.send({
      method: "POST",
      url,
      body: text,
      contentType: "application/json",
      expects: "text",
      sign: () => webhookHeaders({ id, url, body: text, secret }, clock.now()),
    });
    const said = typeof answer === "string" ? answer.trim().slice(0, MAX_SHOWN) : "";
    return toolResult({
      text: said === "" ? `Delivered (${status}).` : `Delivered (${status}). It answered:\n${said}`,
      data: { id, status },
      ...(said === "" ? undefined : { untrusted: [new URL(url).host] }),
    });
  },
});

function checkedSecret(secret: string): string {
  try {
    checkWebhookSecret(secret, SECRET.name);
    return secret;
  } catch (error) {
    throw serviceFailure({ code: "unauthorized", message: `${errorMessage(error)}.` });
  }
}
