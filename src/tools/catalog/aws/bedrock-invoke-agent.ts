import * as z from "zod";
import { fromBase64 } from "../../../base/bytes.ts";
import { isJsonObject, type JsonValue } from "../../../base/json.ts";
import { toolResult } from "../../tool-result.ts";
import { catalogTool } from "../base/catalog-tool.ts";
import { decodeJson } from "../base/decode-json.ts";
import { badResponse, serviceFailure } from "../base/service-failure.ts";
import { AWS_VARIABLES, awsAccess } from "./aws-access.ts";
import { awsSignature } from "./aws-signature.ts";
import { streamEvents } from "./event-stream.ts";

const SERVICE = "Amazon Bedrock";

/** Asks an agent of Amazon Bedrock, which may act. */
export const bedrockInvokeAgent = catalogTool({
  className: "BedrockInvokeAgentTool",
  displayName: "Bedrock Agent Invoke Tool",
  group: "automation",
  service: SERVICE,
  effectClass: "X",
  description: "Has an agent of Amazon Bedrock do something, and gives its answer.",
  input: () => z.object({ query: z.string().min(1).describe("What the agent is to do or tell") }),
  options: () =>
    z.object({
      sessionId: z
        .string()
        .regex(/^[0-9a-zA-Z._:-]{2,100}$/)
        .optional(),
      enableTrace: z.boolean().default(false),
      endSession: z.boolean().default(false),
    }),
  env: [
    {
      name: "BEDROCK_AGENT_ID",
      description: "the id of the agent",
      option: "agentId",
      isPlain: true,
    },
    {
      name: "BEDROCK_AGENT_ALIAS_ID",
      description: "the id of the agent's alias",
      option: "agentAliasId",
      isPlain: true,
    },
    ...AWS_VARIABLES,
  ],
  hosts: ["*.amazonaws.com"],
  timeoutMs: 180_000,
  run: async ({ query: inputText }, { sessionId, enableTrace, endSession }, io) => {
    const access = awsAccess(io);
    // One conversation for each run, unless the definition names one.
    const session = sessionId ?? io.context.runId;
    const places = [
      ["agents", io.value("BEDROCK_AGENT_ID") ?? ""],
      ["agentAliases", io.value("BEDROCK_AGENT_ALIAS_ID") ?? ""],
      ["sessions", session],
    ] as const;
    const path = places.map(([name, id]) => `${name}/${encodeURIComponent(id)}`).join("/");
    const { bytes } = await io.send({
      url: `https://bedrock-agent-runtime.${access.region}.amazonaws.com/${path}/text`,
      body: { inputText, enableTrace, endSession },
      expects: "bytes",
      maxBytes: 8 << 20,
      sign: awsSignature(access, "bedrock"),
    });
    const decoder = new TextDecoder();
    const traces: JsonValue[] = [];
    let text = "";
    for (const { headers, payload } of streamEvents(bytes, SERVICE)) {
      const json = new TextDecoder().decode(payload) || "null";
      const data = decodeJson(json, () => badResponse(SERVICE));
      if (headers[":message-type"] !== "event") throw exceptionOf(headers, data);
      if (!isJsonObject(data)) continue;
      const { bytes: piece } = data;
      if (headers[":event-type"] === "chunk" && typeof piece === "string")
        text += decoder.decode(fromBase64(piece), { stream: true });
      if (headers[":event-type"] === "trace") traces.push(data);
    }
    const answer = text + decoder.decode();
    if (answer === "") throw badResponse(SERVICE, "an answer without text");
    const data = { text: answer, ...(traces.length === 0 ? undefined : { traces }) };
    return toolResult({ text: answer, data, untrusted: [SERVICE] });
  },
});

/** Returns the failure in a frame. */
function exceptionOf(headers: Readonly<Record<string, string>>, data: JsonValue): Error {
  const type = headers[":exception-type"] ?? headers[":error-code"] ?? "an error";
  const said = isJsonObject(data) ? data["message"] : headers[":error-message"];
  return serviceFailure({
    code: /throttl/i.test(type) ? "rate_limited" : "failed",
    message: `The agent of ${SERVICE} ended with ${type}${typeof said === "string" ? `: ${said}` : ""}`,
  });
}
