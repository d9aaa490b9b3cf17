import { expect, it } from "vitest";
import { toBase64 } from "../../../../../src/base/bytes.ts";
import { bedrockInvokeAgent } from "../../../../../src/tools/catalog/aws/bedrock-invoke-agent.ts";
import { awsFrame, awsFrameOf } from "../../../../support/aws-frames.ts";
import { cutAfterEveryWrite } from "../../../../support/cut-off.ts";
import { callOf, toolSubject } from "../../../../support/tool-world.ts";
import { toolContract } from "../../../../support/tool-contract.suite.ts";

const encoder = new TextEncoder();

/** A frame as AWS sends it, with a header that is no text. */
function frame(headers: Record<string, string>, payload: object): Uint8Array {
  const texts = awsFrame(headers, "").subarray(12, -4);
  const number = Uint8Array.from([4, ...encoder.encode("size"), 4, 0, 0, 0, 9]);
  return awsFrameOf(Buffer.concat([texts, number]), JSON.stringify(payload));
}

function chunk(bytes: Uint8Array): Uint8Array {
  const headers = { ":event-type": "chunk", ":message-type": "event" };
  return frame(headers, { bytes: toBase64(bytes) });
}

function stream(...frames: readonly Uint8Array[]): Response {
  return new Response(Uint8Array.from(frames.flatMap((each) => [...each])));
}

/** A text whose pieces end within a letter. */
const TEA = encoder.encode("Grüner Tee, drei Minuten.");
const trace = frame({ ":event-type": "trace", ":message-type": "event" }, { trace: { step: 1 } });
const variables = {
  BEDROCK_AGENT_ID: "AGENT12345",
  BEDROCK_AGENT_ALIAS_ID: "ALIAS12345",
  AWS_REGION: "us-west-2",
  AWS_DEFAULT_REGION: "us-west-2",
};
const keys = {
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "secret-01234567",
};

toolContract(bedrockInvokeAgent, {
  variables,
  input: { query: "How long?" },
  success: [stream(chunk(TEA.subarray(0, 3)), trace, chunk(TEA.subarray(3)))],
  requests: [
    {
      method: "POST",
      url: "https://bedrock-agent-runtime.us-west-2.amazonaws.com/agents/AGENT12345/agentAliases/ALIAS12345/sessions/run-1/text",
      body: { inputText: "How long?", enableTrace: false, endSession: false },
    },
  ],
  text: "Grüner Tee, drei Minuten.",
  data: { text: "Grüner Tee, drei Minuten.", traces: [{ trace: { step: 1 } }] },
});

it("fails as the agent does, in the middle of its answer", async () => {
  const exception = frame(
    { ":exception-type": "validationException", ":message-type": "exception" },
    { message: "the alias is not prepared" },
  );
  const { failure } = await callOf(
    bedrockInvokeAgent(),
    { query: "How long?" },
    { answers: [stream(chunk(TEA), exception)], variables: { ...variables, ...keys } },
  );
  expect(failure).toMatchObject({ code: "failed", message: /validationException: the alias/ });
});

it.each([
  ["a truncated end", chunk(TEA).subarray(0, 30)],
  ["a wrong length", Uint8Array.from([0xff, 0xff, 0xff, 0xff, ...chunk(TEA).subarray(4)])],
  [
    "a wrong length of headers",
    Uint8Array.from([...chunk(TEA).subarray(0, 12), 200, ...chunk(TEA).subarray(13)]),
  ],
  ["a length of 0", Uint8Array.from([0, 0, 0, 0, ...chunk(TEA).subarray(4)])],
])("fails on an answer with %s", async (_, bytes) => {
  const { failure } = await callOf(
    bedrockInvokeAgent(),
    { query: "How long?" },
    { answers: [stream(bytes)], variables: { ...variables, ...keys } },
  );
  expect(failure?.code).toBe("bad_response");
});

it("asks the agent once, even if the run's process dies", async () => {
  const { cut } = await cutAfterEveryWrite(() =>
    toolSubject(
      bedrockInvokeAgent(),
      { query: "How long?" },
      { answers: [stream(chunk(TEA))], variables: { ...variables, ...keys } },
    ),
  );
  for (const { run, calls } of cut) {
    expect(run.status).toBe("completed");
    expect(calls.length).toBeLessThanOrEqual(1);
  }
});
