import { Crew, llm } from "../../../../src/index.ts";
import type { Kind } from "./kind.ts";
import { agentOf, passageOf, taskOf } from "./people.ts";

/** Words as they come: of an agent, a crew or a model. Throws where they are not the words of the answer. */
export const kind: Kind = {
  name: "stream",
  reasons: [],
  async run(bench) {
    const door = bench.random.pick(["agent", "crew", "model"]);
    if (door === "model") {
      const { model, ...settings } = bench.llm();
      let text = "";
      let finishReason: unknown;
      for await (const { type, data } of llm(model, settings).streamEvents(passageOf(bench).text)) {
        if (type === "llm_stream_chunk") text += data["chunk"] as string;
        finishReason = data["finishReason"] ?? finishReason;
      }
      return { text, finishReason };
    }
    const agent = agentOf(bench, { stream: true });
    const run =
      door === "agent"
        ? agent.start(passageOf(bench).text)
        : new Crew({ tasks: [taskOf(bench, agent)], stream: true }).start();
    let text = "";
    let lastAttempt = 0;
    for await (const event of run.events()) {
      if (event.type !== "llm_stream_chunk") continue;
      // A later attempt voids what was said before.
      if (event.attempt > lastAttempt || event.reset) text = "";
      lastAttempt = event.attempt;
      text += event.chunk;
    }
    const output = (await run.output()) as { readonly raw: string };
    if (text.trim() !== output.raw.trim())
      throw new Error(`streamed ${JSON.stringify(text)}, answered ${JSON.stringify(output.raw)}`);
    return output;
  },
};
