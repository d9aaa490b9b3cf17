// Tests a webhook with a delivery signed like its sender's, through the same code path.
import { toErrorRecord, type ErrorRecord } from "../base/error.ts";
import type { JsonValue } from "../base/json.ts";
import { signedAs } from "./sign-delivery.ts";
import { triggeredRun, type hookTestShape } from "./triggered-run.ts";
import type { OpenWebhook, Receipt } from "./webhook-receiver.ts";
import type { ViewOf } from "../parts/shape.ts";

/** Progress of a test delivery. Stages after a failed one are absent. */
export type WebhookTest = ViewOf<typeof hookTestShape>;

type Failed = { readonly ok: false; readonly error: ErrorRecord };

/** Returns the delivery in the form of its sender. */
export async function signedRequest(
  { definition, secrets }: OpenWebhook,
  {
    payload,
    event,
    headers = {},
    nowMs,
    id,
  }: {
    readonly payload: JsonValue;
    readonly event?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly nowMs: number;
    readonly id: string;
  },
): Promise<{ readonly request: Request; readonly signing: readonly string[] }> {
  const body = JSON.stringify(payload);
  const signed = await signedAs(definition, { body, secret: secrets[0] ?? "", nowMs, id, event });
  const all = new Headers({ "content-type": "application/json", ...headers });
  for (const [name, value] of Object.entries(signed)) all.set(name, value);
  const request = new Request("https://webhook.invalid/", { method: "POST", headers: all, body });
  return { request, signing: Object.keys(signed) };
}

export function testedStages(
  { stage, body, id = "", event, isHandshake = false, inputs = {}, run }: Receipt,
  { signing, error }: { readonly signing: readonly string[]; readonly error?: unknown },
): WebhookTest {
  const failed: Failed = { ok: false, error: toErrorRecord(error, "internal") };
  const isPast = (other: Receipt["stage"]): boolean =>
    STAGES.indexOf(stage) > STAGES.indexOf(other);
  const at = <Result>(which: Receipt["stage"], result: Result): Result | Failed | undefined =>
    isPast(which) ? result : stage === which ? failed : undefined;
  const read = at("body", {
    ok: true as const,
    bytes: body?.byteLength ?? 0,
    id,
    ...(event === undefined ? undefined : { event }),
    handshake: isHandshake,
  });
  const filled = isHandshake ? undefined : at("inputs", { ok: true as const, values: inputs });
  const begun =
    run === undefined ? at("run", failed) : at("run", { ok: true as const, ...triggeredRun(run) });
  return {
    ok: stage === "done",
    signature: at("signature", { ok: true as const, headers: signing }) ?? failed,
    ...(read === undefined ? undefined : { body: read }),
    ...(filled === undefined ? undefined : { inputs: filled }),
    ...(begun === undefined || isHandshake ? undefined : { run: begun }),
  };
}

const STAGES = ["signature", "body", "inputs", "run", "done"] as const;
