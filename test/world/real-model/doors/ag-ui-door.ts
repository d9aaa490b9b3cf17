// AG-UI's official client, which verifies the order of events.
import { randomUUID } from "node:crypto";
import { HttpAgent } from "@ag-ui/client";
import type { Door } from "./door.ts";

export const agUiDoor: Door = async ({ worker, name, text }) => {
  const agent = new HttpAgent({
    url: `${worker.url}/ag-ui/${name}`,
    threadId: randomUUID(),
    initialMessages: [{ id: randomUUID(), role: "user", content: text }],
  });
  let failure: string | undefined;
  let hasEnded = false;
  await agent.runAgent(
    {},
    {
      onRunErrorEvent: ({ event }) => void (failure = event.message),
      onRunFinishedEvent: () => void (hasEnded = true),
    },
  );
  if (failure !== undefined) throw new Error(failure);
  if (!hasEnded) throw new Error("the stream ended before its run");
  const said = agent.messages.findLast(({ role }) => role === "assistant");
  return { streamed: typeof said?.content === "string" ? said.content : "" };
};
