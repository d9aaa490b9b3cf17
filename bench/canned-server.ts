// The peer of all benches, in a process of its own: answers chat completions from ready-made bytes. The model's name says
// how many tool round trips there are (`rounds-10`); the conversation says how many are done.
//
// After `rounds-10-ask` round trips comes a call of the tool `ask`. `rounds-10-slow` takes 40 ms for each answer. `stream-20` says 20 words,
// one each 2 ms. GET answers how many requests there were; `/times` when the last one came and when its first word left, in milliseconds of
// the clock that all processes of the machine share.
//
//   node bench/canned-server.ts        prints its address as one line of JSON
import { createServer, type ServerResponse } from "node:http";
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

const piece = (delta: object, finishReason: string | null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

/** Milliseconds of the machine's monotonic clock. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

let requests = 0;
const times = { cameAt: 0, spokeAt: 0 };

function speak(response: ServerResponse, words: number): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
  let said = 0;
  const timer = setInterval(() => {
    if (said === 0) times.spokeAt = now();
    response.write(piece({ content: `word${said} ` }, null));
    if (++said < words) return;
    clearInterval(timer);
    response.end(`${piece({}, "stop")}data: [DONE]\n\n`);
  }, 2);
}

const server = createServer((request, response) => {
  if (request.method === "GET")
    return response.end(request.url === "/times" ? JSON.stringify(times) : String(requests));
  requests++;
  times.cameAt = now();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const body = Buffer.concat(chunks).toString();
    const [, words] = /"model":"stream-(\d+)"/.exec(body) ?? [];
    if (words !== undefined) return speak(response, Number(words));
    const [, rounds = 0, ask] = /"model":"rounds-(\d+)(-ask)?(?:-slow)?"/.exec(body) ?? [];
    const done = body.split('"role":"tool"').length - 1;
    response.writeHead(200, { "content-type": "application/json" });
    const asks = ask !== undefined && done === Number(rounds);
    const text =
      done < Number(rounds) ? toolCall(done, "lookup") : asks ? toolCall(done, "ask") : answer;
    if (body.includes('-slow"')) setTimeout(() => response.end(text), 40);
    else response.end(text);
    return undefined;
  });
  return undefined;
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
  console.log(
    JSON.stringify({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }),
  );
});
