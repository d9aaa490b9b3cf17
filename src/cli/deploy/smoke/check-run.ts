import type { JsonObject } from "../../../base/json.ts";
import {
  askWorker,
  detailOf,
  failed,
  textOr,
  until,
  USUAL_TRIES,
  type Check,
  type SmokeTest,
} from "./ask-worker.ts";

const CREW = "edgecrew-smoke";

const SMOKE_CREW: JsonObject = {
  agents: {
    probe: {
      role: "Probe",
      goal: "Say that runs work",
      backstory: "You answer with one sentence.",
      llm: "offline/echo",
    },
  },
  tasks: [
    {
      name: "probe",
      description: "Say that it works.",
      expectedOutput: "A sentence",
      agent: "probe",
    },
  ],
};

/** Stores a crew, runs it on the built-in model, reads its events, and deletes all of it. */
export const checkRun: Check = async (test) => {
  if (test.key === undefined && !test.isOpen) return "no key";
  const stored = await askWorker(test, `/crews/${CREW}`, { method: "PUT", body: SMOKE_CREW });
  if (stored.status === 404) return "this Worker has no crews";
  if (stored.status === 403) return "the key is not allowed to store a crew (admin)";
  if (stored.status >= 300)
    throw failed(`PUT /crews/${CREW}: got ${stored.status} ${detailOf(stored)}`);
  let id: string | undefined;
  try {
    const started = await askWorker(test, `/crews/${CREW}/kickoff`, {
      method: "POST",
      body: { inputs: {} },
    });
    id = textOr(started.json["id"], "");
    if (started.status !== 202 || id === "")
      throw failed(
        `POST /crews/${CREW}/kickoff: expected 202, got ${started.status} ${detailOf(started)}`,
      );
    const path = `/runs/${id}`;
    const fault = await until(test, USUAL_TRIES, async () => {
      const { json } = await askWorker(test, path);
      if (json["status"] === "completed") return undefined;
      if (json["status"] === "failed")
        throw failed(`its run failed: ${JSON.stringify(json["error"])}`);
      return `its run is ${textOr(json["status"], "without a status")} after a minute`;
    });
    if (fault !== undefined) throw failed(fault, "edgecrew logs --errors");
    await checkEvents(test, path);
  } finally {
    const remove = { method: "DELETE" };
    if (id !== undefined && id !== "")
      await askWorker(test, `/runs/${id}`, remove).catch(() => undefined);
    await askWorker(test, `/crews/${CREW}`, remove).catch(() => undefined);
  }
  return undefined;
};

/** Compares the whole stream with one after its first event: no event is missing or repeated. */
async function checkEvents(test: SmokeTest, path: string): Promise<void> {
  const headers = { accept: "text/event-stream" };
  const whole = idsIn((await askWorker(test, `${path}/events`, { headers })).text);
  if (whole.last !== "run_completed")
    throw failed(
      `the event stream ended before the run did: after ${whole.ids.length} events, with ${whole.last ?? "none"}`,
    );
  const [first = ""] = whole.ids;
  const again = { ...headers, "last-event-id": first };
  const rest = idsIn((await askWorker(test, `${path}/events`, { headers: again })).text);
  if ([first, ...rest.ids].join() !== whole.ids.join())
    throw failed(
      `the event stream does not go on after event ${first}: expected ${whole.ids.length - 1} events, got ${rest.ids.length}`,
    );
}

function idsIn(stream: string): {
  readonly ids: readonly string[];
  readonly last: string | undefined;
} {
  const blocks = stream.split(/\r?\n\r?\n/).filter((block) => /^id:/m.test(block));
  const last = blocks.at(-1);
  return {
    ids: blocks.map((block) => field(block, "id")),
    last: last === undefined ? undefined : field(last, "event"),
  };
}

function field(block: string, name: string): string {
  return new RegExp(`^${name}: ?(.*)$`, "m").exec(block)?.[1] ?? "";
}
