import type { OperationAnswer, OperationRequest } from "../parts/operation.ts";
import type { PartHost } from "../parts/part.ts";
import { invalidInput } from "../parts/problem.ts";
import { answerStarted, wantsEvents } from "../parts/start-run.ts";
import { requestedRunId } from "../parts/started-run.ts";
import { beginFork, type PreparedFork } from "./begin-start.ts";
import type { ForkFields } from "./start-fields.ts";

/** Forks a run, and answers as a kickoff does. `prepare` finds the other run and the place in its record. */
export function answerFork(
  host: PartHost,
  request: Pick<OperationRequest<object, ForkFields>, "tenant" | "raw" | "scopes" | "body">,
  prepare: () => Promise<PreparedFork["fork"]>,
): Promise<OperationAnswer> {
  const { tenant, raw, body: fields } = request;
  const id = requestedRunId(fields.id, raw) ?? host.randomId();
  const traceparent = raw.headers.get("traceparent");
  return beginFork(
    host,
    { tenant, id, fields, traceparent, wantsWords: wantsEvents(raw) },
    {
      prepare: async () => {
        const fork = await prepare();
        if (fork.of !== id) return { fork };
        throw invalidInput("the new run needs an id of its own", [
          { path: "/id", message: `expected an id other than the run's own, got "${id}"` },
        ]);
      },
      answer: ({ same, begin }) =>
        answerStarted(host, request, {
          id,
          begin: async (settleMs) => same(await begin(settleMs)),
        }),
    },
  );
}
