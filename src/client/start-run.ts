import type { JsonValue } from "../base/json.ts";
import type { StartedRun } from "../parts/started-run.ts";
import { clientId } from "./client-id.ts";
import { withUploads, type Inputs } from "./input-files.ts";
import { RemoteRun } from "./remote-run.ts";
import type { StartOptions } from "./start-options.ts";
import type { RequestOptions, Transport } from "./transport.ts";

/** Body of a request whose inputs may contain files. */
export type WithInputs<Body> = {
  readonly [Field in keyof Body]: Field extends "inputs"
    ? Body[Field] extends readonly unknown[] | undefined
      ? readonly Inputs[]
      : Inputs
    : Field extends keyof StartOptions
      ? StartOptions[Field]
      : Body[Field];
};

const ATTEMPTS = 3;

/**
 * Starts a run with the id in the body. The id is set before the first attempt, so a retry cannot start a second run.
 */
export async function startRun<Output = JsonValue>(
  transport: Transport,
  path: string,
  body?: StartOptions & Readonly<Record<string, unknown>>,
): Promise<RemoteRun<Output>> {
  const json = await withUploads(transport, { ...body, id: body?.id ?? clientId() });
  return requestRun(transport, path, { json });
}

/** Like `startRun`, but sends the id as `Idempotency-Key`, for bodies without an id field. */
export function startKeyed<Output = JsonValue>(
  transport: Transport,
  path: string,
  { id = clientId(), ...request }: RequestOptions & { readonly id?: string | undefined },
): Promise<RemoteRun<Output>> {
  return requestRun(transport, path, {
    ...request,
    headers: { ...request.headers, "idempotency-key": id },
  });
}

async function requestRun<Output>(
  transport: Transport,
  path: string,
  request: RequestOptions,
): Promise<RemoteRun<Output>> {
  const started = await transport.json<StartedRun>(path, {
    method: "POST",
    ...request,
    attempts: ATTEMPTS,
  });
  return new RemoteRun(transport, started);
}
