import * as z from "zod";
import { operation, type Operation } from "../../parts/operation.ts";
import type { PartHost } from "../../parts/part.ts";
import { invalidInput } from "../../parts/problem.ts";
import { followFields } from "../../parts/schemas.ts";
import { CHANGED } from "../../parts/documented-runs.ts";
import { changedAnswer } from "../../parts/start-run.ts";
import { runIdIn } from "../../parts/started-run.ts";
import { ag2Answer, ag2Stream } from "../runs/ag2-frames.ts";

const ag2Query = z.strictObject({
  format: z.literal("ag2").optional().describe("The events as AG2's"),
  ...followFields,
});

/** Events of a conversation in AG2's form, and the answers to its questions. */
export function ag2StreamOperations({ runs }: Pick<PartHost, "runs">): readonly Operation[] {
  const shared = { group: "Conversations", path: "/conversations/runs/{id}/events" } as const;
  return [
    operation({
      ...shared,
      id: "conversationEvents",
      sample: { run: { id: "example-run" } },
      method: "get",
      scope: "read",
      summary: "Follow a conversation",
      description:
        "As GET /runs/{id}/events; `?format=ag2` sends AG2's events, with `event` their type and `data` `{ type, content }`, after `Last-Event-ID` or `?after=`.",
      headers: ["Last-Event-ID"],
      query: ag2Query,
      answers: {
        200: { description: "Server-sent events", types: ["text/event-stream"] },
        204: { description: "The run has ended, and no event is left" },
      },
      problems: [400, 404],
      handle: async ({ tenant, params, raw, query }) => {
        const id = runIdIn(params);
        const { format, follow = "" } = query;
        if (format === undefined) return runs.events(tenant, id, raw);
        if (raw.headers.has("upgrade")) throw wrongFormat("ag2 is sent as server-sent events only");
        const asked = Number(raw.headers.get("last-event-id") ?? query.after ?? 0);
        const after = Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
        const from = (seq: number): Promise<Response> =>
          runs.events(tenant, id, new Request(`https://run/events?after=${seq}&follow=${follow}`));
        if (after > 0) {
          const rest = await from(after);
          await rest.body?.cancel();
          if (rest.body === null) return rest; // no event is left
        }
        return ag2Stream(await from(0), after);
      },
    }),
    operation({
      ...shared,
      id: "answerConversation",
      method: "post",
      scope: "run",
      summary: "Answer a question of a conversation",
      description: "`id` is that of the `input_request`. As POST /runs/{id}/resume.",
      body: { name: "Ag2InputResponse", schema: ag2Answer, required: true },
      sample: { needs: "a run that asks a person, and the id of its question" },
      example: { type: "input_response", id: "chat/turn:1:user/person", value: "Go on." },
      answers: { 200: CHANGED },
      problems: [400, 404, 409],
      handle: async ({ tenant, params, body: { id: key, value: feedback }, scopes, by }) => {
        const answer = { key, feedback, ...(by === undefined ? undefined : { by }) };
        return changedAnswer(await runs.resume(tenant, runIdIn(params), answer), { scopes });
      },
    }),
  ];
}

function wrongFormat(message: string): Error {
  return invalidInput("the query does not fit", [{ path: "/format", message }]);
}
