import { withIgnored } from "../parts/ignored-header.ts";
import type { StartAnswer } from "../parts/documented-runs.ts";
import type { OperationRequest } from "../parts/operation.ts";
import type { PartHost } from "../parts/part.ts";
import { checkScope, seesEarlier } from "../parts/rights.ts";
import { answerStarted, wantsEvents } from "../parts/start-run.ts";
import { requestedRunId } from "../parts/started-run.ts";
import { beginStart, type AskedRun, type PreparedFork, type PreparedStart } from "./begin-start.ts";
import type { StartFields } from "./start-fields.ts";

type StartRequest = Pick<
  OperationRequest<object, StartFields>,
  "tenant" | "raw" | "scopes" | "via" | "wish" | "body"
>;

/** Starts or forks a run for a request of the API, and answers it. */
export function answerStart(
  host: PartHost,
  request: StartRequest,
  prepare: (asked: AskedRun) => Promise<PreparedStart | PreparedFork>,
): Promise<StartAnswer> {
  const { tenant, raw, body: fields } = request;
  const id = requestedRunId(fields.id, raw) ?? host.randomId();
  const wantsWords = wantsEvents(raw) || request.wish?.follows === true;
  let takes = false;
  return beginStart(
    host,
    { tenant, id, fields, wantsWords, traceparent: raw.headers.get("traceparent") },
    {
      prepare,
      admit: async (takesOver) => {
        takes = !seesEarlier(request) && (await takesOver());
        if (takes && fields.webhooks !== undefined)
          checkScope(request, "read", "a webhook of a run that takes over earlier contents");
      },
      answer: async ({ same, ignored, ...run }) =>
        withIgnored(
          await answerStarted(host, request, {
            id: run.id,
            takesOver: takes,
            begin: async (settleMs) => same(await run.begin(settleMs)),
          }),
          ignored,
        ),
    },
  );
}
