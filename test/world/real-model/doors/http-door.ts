import { randomUUID } from "node:crypto";
import { StatedFailure, type Door, type Visit } from "./door.ts";
import type { FinishedRun } from "./door-worker.ts";
import { EventReader, type WireEvent } from "./run-events.ts";
import { resultOf } from "./door.ts";
import { framesOf } from "./sse.ts";

/** Path and body of a kickoff. */
export function kickoffOf({ subject, name, text }: Pick<Visit, "subject" | "name" | "text">): {
  readonly path: string;
  readonly body: object;
} {
  const kind = subject.split("/")[0];
  return {
    path: `/${kind}s/${name}/kickoff`,
    body: { id: randomUUID(), ...(kind === "agent" ? { messages: text } : { inputs: { text } }) },
  };
}

/** A kickoff that waits for its run. */
export const waiting: Door = async (visit) => {
  const { path, body } = kickoffOf(visit);
  const response = await visit.worker.post(path, body, { prefer: "wait=60" });
  const run = (await response.json()) as FinishedRun;
  if (run.error !== undefined) throw new StatedFailure(run.error);
  if (response.status !== 200) throw new Error(`${response.status}: ${JSON.stringify(run)}`);
  return { answer: resultOf(run) };
};

/** A kickoff that answers with the events of its run. */
export const events: Door = async (visit) => {
  const { path, body } = kickoffOf(visit);
  const response = await visit.worker.post(path, body, { accept: "text/event-stream" });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const reader = new EventReader();
  for await (const { data } of framesOf(response)) reader.read(JSON.parse(data) as WireEvent);
  return reader.end({ isStreamed: visit.subject !== "flow/sorted" });
};

/** A run whose events come over a socket, which is opened after the kickoff. */
export const socket: Door = async (visit) => {
  const { path, body } = kickoffOf(visit);
  const response = await visit.worker.post(path, body);
  const { id } = (await response.json()) as { readonly id: string };
  const reader = new EventReader();
  const address = `${visit.worker.url.replace("http", "ws")}/runs/${id}/events`;
  await new Promise<void>((resolve, reject) => {
    const webSocket = new WebSocket(address);
    webSocket.addEventListener("error", () => reject(new Error("the socket failed")));
    webSocket.addEventListener("close", ({ code, reason }) =>
      reader.hasEnded ? resolve() : reject(new Error(`closed with ${code} ${reason}`)),
    );
    webSocket.addEventListener("message", ({ data }) => {
      try {
        reader.read(JSON.parse(String(data)) as WireEvent);
        if (reader.hasEnded) webSocket.close();
      } catch (error) {
        webSocket.close();
        reject(error);
      }
    });
  });
  return reader.end({ isStreamed: visit.subject !== "flow/sorted" });
};
