// OpenAI's own client with its defaults, retries among them.
import OpenAI from "openai";
import type { Door, Visit } from "./door.ts";

const clientOf = ({ worker }: Visit): OpenAI =>
  new OpenAI({ baseURL: `${worker.url}/v1`, apiKey: "none" });

export const chat: Door = async (visit) => {
  const client = clientOf(visit);
  const messages = [{ role: "user", content: visit.text }] as const;
  const asked = { model: visit.subject, messages: [...messages] };
  if (!visit.isStream) {
    const { choices } = await client.chat.completions.create(asked);
    const [choice] = choices;
    return { answer: choice?.message.content ?? "", finishReason: choice?.finish_reason };
  }
  let streamed = "";
  let finishReason: string | undefined;
  for await (const { choices } of await client.chat.completions.create({
    ...asked,
    stream: true,
  })) {
    const [choice] = choices;
    streamed += choice?.delta.content ?? "";
    finishReason = choice?.finish_reason ?? finishReason;
  }
  if (finishReason === undefined) throw new Error("the stream ended without a finish reason");
  return { streamed, finishReason };
};

export const responses: Door = async (visit) => {
  const client = clientOf(visit);
  const asked = { model: visit.subject, input: visit.text };
  if (!visit.isStream) {
    const response = await client.responses.create(asked);
    return { answer: response.output_text, finishReason: finishOf(response) };
  }
  let streamed = "";
  let last: OpenAI.Responses.Response | undefined;
  for await (const event of await client.responses.create({ ...asked, stream: true })) {
    if (event.type === "response.output_text.delta") streamed += event.delta;
    if (event.type === "response.failed") throw new Error(event.response.error?.message);
    if (event.type === "response.completed" || event.type === "response.incomplete")
      last = event.response;
  }
  if (last === undefined) throw new Error("the stream ended without its response");
  return { streamed, answer: textOf(last), finishReason: finishOf(last) };
};

function textOf({ output }: OpenAI.Responses.Response): string {
  const message = output.findLast((item) => item.type === "message");
  return (message?.content ?? [])
    .map((part) => (part.type === "output_text" ? part.text : ""))
    .join("");
}

function finishOf({ status, incomplete_details: details }: OpenAI.Responses.Response): string {
  return status === "incomplete" && details?.reason === "max_output_tokens" ? "length" : "stop";
}
