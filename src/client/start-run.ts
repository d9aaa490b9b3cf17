import { sleep } from "../base/clock.ts";
import type { AgentKickoffBody } from "../agent/operations/agents.ts";
import type {
  ChangedMessageBody,
  ConversationKickoffBody,
} from "../conversation/operations/schemas.ts";
import type {
  ChatBody,
  KickoffBody,
  KickoffForEachBody,
  TestBody,
  TrainBody,
} from "../crew/operations/schemas.ts";
import type { FlowKickoffBody, TurnBody } from "../flow/operations/schemas.ts";
import { RemoteRun } from "./remote-run.ts";
import { backoffMs, mayRetry, type RequestOptions, type Transport } from "./transport.ts";

type StartBody =
  | AgentKickoffBody
  | ChangedMessageBody
  | ChatBody
  | ConversationKickoffBody
  | FlowKickoffBody
  | KickoffBody
  | KickoffForEachBody
  | TestBody
  | TrainBody
  | TurnBody;

const ATTEMPTS = 3;

/** Starts a run whose id is in the body. It is set before the first attempt, so that a retry cannot start a second run. */
export function startRun(transport: Transport, path: string, body: StartBody): Promise<RemoteRun> {
  return requestRun(transport, path, { json: { ...body, id: body.id ?? crypto.randomUUID() } });
}

/** Like `startRun`, for a body that is not the caller's to extend: the id is sent as `Idempotency-Key`. */
export function startKeyed(
  transport: Transport,
  path: string,
  { id = crypto.randomUUID(), ...request }: RequestOptions & { readonly id?: string | undefined },
): Promise<RemoteRun> {
  const headers = { ...request.headers, "idempotency-key": id };
  return requestRun(transport, path, { ...request, headers });
}

async function requestRun(
  transport: Transport,
  path: string,
  request: RequestOptions,
): Promise<RemoteRun> {
  for (let attempt = 1; ; attempt++) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- an attempt follows the one that failed
      const { id } = await transport.json<{ readonly id: string }>(path, {
        ...request,
        method: "POST",
      });
      return new RemoteRun(transport, id);
    } catch (error) {
      if (!mayRetry(error) || attempt === ATTEMPTS) throw error;
      // oxlint-disable-next-line no-await-in-loop -- as above
      await sleep(transport.clock, error.retryAfterMs ?? backoffMs(attempt));
    }
  }
}
