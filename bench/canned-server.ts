// The peer of all benches, in a process of its own: answers chat completions from ready-made bytes. The model's name says
// how many tool round trips there are (`rounds-10`); the conversation says how many are done.
//
// After `rounds-10-ask` round trips comes a call of the tool `ask`. GET answers how many requests there were.
//
//   node bench/canned-server.ts        prints its address as one line of JSON
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function completion(message: object, finishReason: string): string {
  const choices = [{ index: 0, message, finish_reason: finishReason, logprobs: null }];
  return JSON.stringify({
    id: "c",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices,
    usage,
  });
}

const answer = completion({ role: "assistant", content: "The answer.", refusal: null }, "stop");
const toolCall = (round: number, name: string): string =>
  completion(
    {
      role: "assistant",
      content: null,
      refusal: null,
      tool_calls: [
        {
          id: `call_${round}`,
          type: "function",
          function: { name, arguments: `{"word":"w${round}"}` },
        },
      ],
    },
    "tool_calls",
  );

let requests = 0;

const server = createServer((request, response) => {
  if (request.method === "GET") return response.end(String(requests));
  requests++;
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    const [, rounds = 0, ask] = /"model":"rounds-(\d+)(-ask)?"/.exec(body) ?? [];
    const done = body.split('"role":"tool"').length - 1;
    response.writeHead(200, { "content-type": "application/json" });
    if (done < Number(rounds)) response.end(toolCall(done, "lookup"));
    else
      response.end(ask !== undefined && done === Number(rounds) ? toolCall(done, "ask") : answer);
  });
  return undefined;
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
});
