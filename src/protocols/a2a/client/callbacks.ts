// Callbacks: a remote agent with a long task calls this Worker, and the waiting run continues.
//
//   AXB1. A callback's address holds its wait and the required proof, encrypted. It cannot be forged and shows a reader
//         no data. A callback without the proof gets the answer of an unknown address.
//   AXB2. A required signature is an HMAC-SHA256 over `timestamp.body`, made within the tolerance. Tokens and
//         signatures are compared in constant time.
//   AXB3. A callback before its wait is open is delayed for a while, and refused with 503 if the wait does not open. A
//         callback after its wait's end changes nothing and gets the same answer as the first. Updates that do not end
//         a wait are recorded only.
import * as z from "zod";
import { fromBase64, toBase64Url } from "../../../base/bytes.ts";
import { sleep } from "../../../base/clock.ts";
import { EngineError } from "../../../base/error.ts";
import { parsedObject } from "../../../base/json.ts";
import { randomBytes } from "../../../base/system.ts";
import type { PartHost } from "../../../parts/part.ts";
import { isTerminal } from "../../../runtime/run.ts";
import { boundedBody, utf8Text } from "../../../security/bounded-body.ts";
import { SecretBox } from "../../../security/secret-box.ts";
import { updateOf, type WireUpdate } from "./callback-body.ts";
import { isSettled, TaskSoFar } from "./remote-task.ts";

/** Wait of a callback, and its required proof. */
export type CallbackPlace = {
  readonly tenant: string;
  readonly runId: string;
  /** The wait's key; later waits of the same task have the suffixes `~2`, `~3`. */
  readonly key: string;
  /** Value of `X-A2A-Notification-Token`, if the header is present. */
  readonly token: string;
  /** True if the header is required. */
  readonly needsToken: boolean;
  readonly signature?: {
    readonly secret: string;
    readonly toleranceSeconds: number;
    readonly header: string;
    readonly timestampHeader: string;
  };
};

/** Makes addresses for callbacks. */
export interface CallbackAddresses {
  /** Makes an address, for the API at `baseUrl`. Fails with `unavailable` without an encryption key. */
  address(place: CallbackPlace, baseUrl: string): Promise<string>;
}

const OWNER = "a2a-callback";
const PATH = "/a2a/callbacks/";
const MAX_BODY_BYTES = 4 * 1024 * 1024;
const RETRY_MS = [50, 200, 750, 2_000, 5_000] as const;
/** Page size of the journal in the search for a finished wait. */
const PAGE = 500;
const MAX_PAGES = 20;
const MAX_TOKEN_LENGTH = 4_096;

const placeSchema = z.object({
  tenant: z.string(),
  runId: z.string(),
  key: z.string(),
  token: z.string(),
  needsToken: z.boolean(),
  signature: z
    .object({
      secret: z.string(),
      toleranceSeconds: z.number(),
      header: z.string(),
      timestampHeader: z.string(),
    })
    .optional(),
});

/** Makes addresses encrypted with `EDGECREW_SECRETS_KEY`. */
export function callbackAddresses(secretsKey: string | undefined): CallbackAddresses {
  const box = new SecretBox(secretsKey, randomBytes);
  return {
    address: async (place, baseUrl) => {
      const sealed = await box.seal(JSON.stringify(place), OWNER);
      const token = toBase64Url(new TextEncoder().encode(sealed));
      return `${baseUrl.replace(/\/+$/, "")}${PATH}${token}`;
    },
  };
}

/** Handles a callback. Fails with `not_found` for an unproven one (AXB1), and with `unavailable` for an early one. */
export async function takeCallback(
  token: string,
  request: Request,
  host: Pick<PartHost, "runs" | "clock" | "variables">,
): Promise<void> {
  const place = await openPlace(token, host.variables["EDGECREW_SECRETS_KEY"]);
  const bytes = (await boundedBody(request, MAX_BODY_BYTES)) ?? new Uint8Array();
  if (
    place === undefined ||
    !(await isShown(request.headers, bytes, { place, nowMs: host.clock.now() }))
  )
    throw new EngineError("not_found", "there is no callback at this address");
  const update = updateOf(parsedObject(utf8Text(bytes)));
  if (update === undefined)
    throw new EngineError(
      "invalid_input",
      "the body must be a task, a message or an update of a task, as JSON of A2A 1.0 or 0.3",
    );
  if (!isSettled(new TaskSoFar().take(update).answer)) return;
  await deliver(place, update, host);
}

async function deliver(
  { tenant, runId, key }: CallbackPlace,
  update: WireUpdate,
  { runs, clock }: Pick<PartHost, "runs" | "clock">,
): Promise<void> {
  for (const pauseMs of [...RETRY_MS, undefined]) {
    const run = await runs.get(tenant, runId);
    if (isTerminal(run.status)) return;
    const wait = run.waits.find((each) => each.key === key || each.key.startsWith(`${key}~`));
    if (wait !== undefined) {
      try {
        await runs.resume(tenant, runId, { key: wait.key, value: { update }, by: "a2a callback" });
        return;
      } catch (error) {
        if (!EngineError.is(error) || error.code !== "conflict") throw error;
      }
    } else if (await isOver({ tenant, runId, key }, runs)) return;
    if (pauseMs !== undefined) await sleep(clock, pauseMs);
  }
  throw new EngineError(
    "unavailable",
    "the run is not waiting for this callback yet: send it again",
    {
      retryable: true,
    },
  );
}

/** True for a wait that was opened and has ended. */
async function isOver(
  { tenant, runId, key }: Pick<CallbackPlace, "tenant" | "runId" | "key">,
  runs: PartHost["runs"],
): Promise<boolean> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextCursor } = await runs.steps(tenant, runId, {
      cursor,
      limit: PAGE,
      values: false,
    });
    if (items.some((step) => step.key === key && step.state === "done")) return true;
    if (nextCursor === undefined) return false;
    cursor = nextCursor;
  }
  return false;
}

async function openPlace(
  token: string,
  key: string | undefined,
): Promise<CallbackPlace | undefined> {
  if (token.length > MAX_TOKEN_LENGTH || key === undefined) return undefined;
  try {
    const sealed = new TextDecoder().decode(
      fromBase64(token.replaceAll("-", "+").replaceAll("_", "/")),
    );
    const opened = await new SecretBox(key, randomBytes).open(sealed, OWNER);
    const { signature, ...place } = placeSchema.parse(JSON.parse(opened));
    return signature === undefined ? place : { ...place, signature };
  } catch {
    return undefined;
  }
}

async function isShown(
  headers: Headers,
  body: Uint8Array,
  { place, nowMs }: { readonly place: CallbackPlace; readonly nowMs: number },
): Promise<boolean> {
  const { token, needsToken, signature } = place;
  const shown = headers.get("x-a2a-notification-token");
  if (shown === null ? needsToken : !(await isSame(shown, token))) return false;
  return signature === undefined || isSigned(headers, body, { signature, nowMs });
}

async function isSigned(
  headers: Headers,
  body: Uint8Array,
  {
    signature,
    nowMs,
  }: { readonly signature: NonNullable<CallbackPlace["signature"]>; readonly nowMs: number },
): Promise<boolean> {
  const { secret, toleranceSeconds, header, timestampHeader } = signature;
  const time = headers.get(timestampHeader);
  const shown = (headers.get(header) ?? "").replace(/^sha256=/i, "");
  if (time === null || !/^\d{1,15}(?:\.\d{1,9})?$/.test(time)) return false;
  const offBy = Math.abs(nowMs / 1000 - Number(time));
  const prefix = new TextEncoder().encode(`${time}.`);
  const signed = new Uint8Array(prefix.length + body.length);
  signed.set(prefix);
  signed.set(body, prefix.length);
  const key = await crypto.subtle.importKey(
    "raw",
    new TextEncoder().encode(secret),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["verify"],
  );
  const isValid = /^[0-9a-f]{64}$/i.test(shown)
    ? await crypto.subtle.verify("HMAC", key, hexBytes(shown), signed)
    : false;
  return isValid && offBy <= toleranceSeconds;
}

/** Compares two texts by their digests, so the duration reveals nothing about them. */
async function isSame(a: string, b: string): Promise<boolean> {
  const [x, y] = await Promise.all(
    [a, b].map(
      async (text) =>
        new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))),
    ),
  );
  let difference = 0;
  for (const [index, byte] of (x ?? new Uint8Array()).entries())
    difference |= byte ^ (y?.[index] ?? 0);
  return difference === 0;
}

function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
