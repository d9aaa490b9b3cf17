// Models that ask a remote agent some things in turn, whatever the process that they are called in.
import type { Script } from "../../src/llm/scripted/scripted-model.ts";
import { calling } from "./crew-harness.ts";

/** Sends these messages with the tool, one after the answer to the other, and then gives its answer. */
export function askingInTurn(
  messages: readonly string[],
  { tool = "ask_weather_bot", answer = "It will rain" } = {},
): Script {
  return ({ messages: said }) => {
    const answered = said.filter(({ role }) => role === "tool").length;
    const message = messages[answered];
    return message === undefined ? answer : calling(tool, { message });
  };
}
