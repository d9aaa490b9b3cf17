import { pieces } from "./model-server-openai.ts";
import type { ServedReply, ServedRequest } from "./model-server.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A whole `response`. */
export function responsesAnswer(request: ServedRequest, reply: ServedReply): Fields {
  const { promptTokens = 10, completionTokens = 5, cachedTokens = 0, reasoningTokens = 0 } = reply;
  const incomplete = reply.stopReason !== undefined;
  return {
    id: `resp_${request.index}`,
    object: "response",
    created_at: 1_780_000_000,
    model: request.model,
    status: incomplete ? "incomplete" : "completed",
    error: null,
    incomplete_details: incomplete ? { reason: reply.stopReason } : null,
    output: items(request, reply),
    usage: {
      input_tokens: promptTokens,
      input_tokens_details: {
        cached_tokens: cachedTokens,
        cache_write_tokens: reply.cacheCreationTokens ?? 0,
      },
      output_tokens: completionTokens,
      output_tokens_details: { reasoning_tokens: reasoningTokens },
      total_tokens: promptTokens + completionTokens,
    },
  };
}

/** The same as server-sent events: the last of them holds the whole response. */
export function responsesEvents(request: ServedRequest, reply: ServedReply): readonly string[] {
  const response = responsesAnswer(request, reply);
  const events: Fields[] = [
    { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
    ...items(request, reply).flatMap(itemEvents),
    { type: `response.${String(response["status"])}`, response },
  ];
  return events.map(
    (event, sequence_number) =>
      `event: ${String(event["type"])}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`,
  );
}

function itemEvents(item: Fields, output_index: number): Fields[] {
  return [
    { type: "response.output_item.added", output_index, item: { ...item, arguments: "" } },
    ...deltas(item).map((delta) => ({ ...delta, output_index, item_id: item["id"] })),
    { type: "response.output_item.done", output_index, item },
  ];
}

function deltas(item: Fields): Fields[] {
  switch (item["type"]) {
    case "message": {
      const [{ text = "" }] = item["content"] as [{ text?: string }];
      return pieces(text).map((delta) => ({ type: "response.output_text.delta", delta }));
    }
    case "reasoning": {
      const [{ text }] = item["summary"] as [{ text: string }];
      return pieces(text).map((delta) => ({
        type: "response.reasoning_summary_text.delta",
        delta,
      }));
    }
    case "function_call": {
      const json = String(item["arguments"]);
      const middle = Math.ceil(json.length / 2);
      return [json.slice(0, middle), json.slice(middle)].map((delta) => ({
        type: "response.function_call_arguments.delta",
        delta,
      }));
    }
    default:
      return [];
  }
}

function items({ index: request }: ServedRequest, reply: ServedReply): Fields[] {
  const { text = "", toolCalls = [], thinking, parts = [] } = reply;
  return [
    ...(thinking
      ? [
          {
            type: "reasoning",
            id: `rs_${request}`,
            summary: [{ type: "summary_text", text: thinking.text }],
            encrypted_content: thinking.signature,
          },
        ]
      : []),
    ...(parts as Fields[]),
    ...(text === "" && reply.refusal === undefined
      ? []
      : [
          {
            type: "message",
            id: `msg_${request}`,
            role: "assistant",
            status: "completed",
            content: [
              reply.refusal === undefined
                ? { type: "output_text", text, annotations: [] }
                : { type: "refusal", refusal: reply.refusal },
            ],
          },
        ]),
    ...toolCalls.map((call, index) => ({
      type: "function_call",
      id: `fc_${request}_${index}`,
      call_id: call.id ?? `call_${request}_${index}`,
      name: call.name,
      arguments:
        typeof call.arguments === "string" ? call.arguments : JSON.stringify(call.arguments),
      status: "completed",
    })),
  ];
}
