// What providers refuse in a request, as their documentation and their errors say it.
import type { ServedRequest } from "./model-server.ts";

type Fields = Readonly<Record<string, unknown>>;

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** What the provider would refuse; empty for a request that it takes. */
export function refusals(request: ServedRequest): readonly string[] {
  switch (request.dialect) {
    case "openai":
      return chatRefusals(request);
    case "responses":
      return responsesRefusals(request);
    case "gemini":
      return geminiRefusals(request);
    case "bedrock":
      return bedrockRefusals(request);
    default:
      return anthropicRefusals(request);
  }
}

function chatRefusals({ messages, body }: ServedRequest): readonly string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [index, message] of (messages as readonly Fields[]).entries()) {
    const { role, content, name, tool_calls: calls } = message;
    if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (!open.includes(id)) faults.push(`${index}: a result of no call: ${id}`);
      open = open.filter((each) => each !== id);
      continue;
    }
    if (open.length > 0) faults.push(`${index}: calls without a result: ${open.join(", ")}`);
    open = idsOf(calls);
    if (role === "assistant" && open.length === 0 && (content ?? "") === "")
      faults.push(`${index}: an assistant without content`);
    if (role === "user" && typeof content !== "string" && !Array.isArray(content))
      faults.push(`${index}: a user without content`);
    if (name !== undefined && !/^[^\s<|\\/>]{1,64}$/.test(name as string))
      faults.push(`${index}: name ${JSON.stringify(name)}`);
    faults.push(...callFaults(calls).map((fault) => `${index}: ${fault}`));
  }
  if (open.length > 0) faults.push(`calls without a result: ${open.join(", ")}`);
  const tools = (body["tools"] ?? []) as ReadonlyArray<{ readonly function: Fields }>;
  return [...faults, ...nameFaults(tools.map((each) => each.function["name"]))];
}

function idsOf(calls: unknown): string[] {
  return ((calls ?? []) as readonly Fields[]).map(({ id }) => String(id));
}

function callFaults(calls: unknown): readonly string[] {
  const ids = idsOf(calls);
  const named = (calls ?? []) as ReadonlyArray<{ readonly function: Fields }>;
  return [
    ...(new Set(ids).size < ids.length ? ["two calls of one id"] : []),
    ...nameFaults(named.map((each) => each.function["name"])),
  ];
}

function nameFaults(names: readonly unknown[]): readonly string[] {
  return names.flatMap((name) =>
    TOOL_NAME.test(name as string) ? [] : [`tool ${JSON.stringify(name)}`],
  );
}

function responsesRefusals({ messages, body }: ServedRequest): readonly string[] {
  const items = messages as readonly Fields[];
  const idsOfType = (type: string): readonly string[] =>
    items.filter((item) => item["type"] === type).map((item) => String(item["call_id"]));
  const calls = idsOfType("function_call");
  const results = idsOfType("function_call_output");
  const tools = (body["tools"] ?? []) as readonly Fields[];
  return [
    ...calls.flatMap((id) => (results.includes(id) ? [] : [`no tool output for ${id}`])),
    ...results.flatMap((id) => (calls.includes(id) ? [] : [`no tool call for ${id}`])),
    ...(new Set(results).size < results.length ? ["two outputs of one call"] : []),
    ...nameFaults([
      ...items.filter(({ type }) => type === "function_call").map(({ name }) => name),
      ...tools.map(({ name }) => name),
    ]),
    ...(items.length === 0 ? ["no input"] : []),
  ];
}

function anthropicRefusals({ messages, body }: ServedRequest): readonly string[] {
  const faults: string[] = [];
  let last: unknown;
  let open: readonly string[] = [];
  let hasToolBlocks = false;
  for (const [index, { role, content }] of messages.entries()) {
    const blocks = blocksOf(content);
    if (role === last) faults.push(`${index}: two turns of ${role} in a row`);
    last = role;
    const results = blocks.filter(({ type }) => type === "tool_result");
    const answered = results.map((block) => String(block["tool_use_id"]));
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0)
      faults.push(`${index}: tool_use without tool_result: ${missing.join()}`);
    const orphans = answered.filter((id) => !open.includes(id));
    if (orphans.length > 0)
      faults.push(`${index}: tool_result without tool_use: ${orphans.join()}`);
    if (blocks.slice(0, results.length).some(({ type }) => type !== "tool_result"))
      faults.push(`${index}: a tool_result behind other content`);
    const uses = blocks.filter(({ type }) => type === "tool_use");
    open = uses.map(({ id }) => String(id));
    hasToolBlocks ||= uses.length > 0 || results.length > 0;
    if (open.some((id) => !/^[a-zA-Z0-9_-]+$/.test(id)))
      faults.push(`${index}: the id of a tool_use`);
    if (blocks.length === 0) faults.push(`${index}: no content`);
    if (blocks.some(({ type, text }) => type === "text" && String(text).trim() === ""))
      faults.push(`${index}: a text without text`);
    faults.push(...nameFaults(uses.map(({ name }) => name)));
  }
  const tools = (body["tools"] ?? []) as readonly Fields[];
  return [
    ...faults,
    ...(messages[0]?.role === "user" ? [] : ["the first turn is not the user's"]),
    ...(last === "user" ? [] : ["the last turn is not the user's"]),
    ...(hasToolBlocks && tools.length === 0 ? ["tool blocks, and no tools"] : []),
    ...thinkingFaults({ messages, body }),
    ...nameFaults(tools.map(({ name }) => name)),
  ];
}

/** Of a model that thinks, the turn whose calls have just been answered begins with what it thought. */
function thinkingFaults({
  messages,
  body,
}: Pick<ServedRequest, "messages" | "body">): readonly string[] {
  const { type } = (body["thinking"] ?? {}) as Fields;
  if (type !== "enabled") return [];
  const [first] = blocksOf(messages.findLast(({ role }) => role === "assistant")?.content);
  const answers = blocksOf(messages.at(-1)?.content).some(
    (block) => block["type"] === "tool_result",
  );
  return !answers || first === undefined || String(first["type"]).endsWith("thinking")
    ? []
    : [`expected thinking, found ${String(first["type"])}`];
}

function blocksOf(content: unknown): readonly Fields[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return (content ?? []) as readonly Fields[];
}

/** Gemini: results follow their calls at once, one for each, in their order; from Gemini 3 on, calls are signed. */
function geminiRefusals({ messages, model, body }: ServedRequest): readonly string[] {
  const faults: string[] = [];
  let open: readonly Fields[] = [];
  for (const [index, { role, ...rest }] of messages.entries()) {
    const parts = ((rest as Fields)["parts"] ?? []) as readonly Fields[];
    const results = parts.flatMap((part): readonly Fields[] =>
      "functionResponse" in part ? [part["functionResponse"] as Fields] : [],
    );
    const asked = open.map(({ name, id }) => `${String(name)}/${String(id)}`).join();
    const given = results.map(({ name, id }) => `${String(name)}/${String(id)}`).join();
    if (asked !== given) faults.push(`${index}: results ${given} of calls ${asked}`);
    const calls = parts.filter((part) => "functionCall" in part);
    open = calls.map((part) => part["functionCall"] as Fields);
    if (role === "model" && open.length > 0 && messages[index - 1]?.role !== "user")
      faults.push(`${index}: calls that follow no turn of the user`);
    if (/gemini-3/.test(model) && calls.length > 0 && !calls[0]?.["thoughtSignature"])
      faults.push(`${index}: a call that is not signed`);
    if (parts.length === 0) faults.push(`${index}: no parts`);
    if (parts.some((part) => part["text"] === "" && !("thoughtSignature" in part)))
      faults.push(`${index}: a text without text`);
    faults.push(...nameFaults(open.map(({ name }) => name)));
  }
  const tools = (body["tools"] ?? []) as ReadonlyArray<{
    readonly functionDeclarations: readonly Fields[];
  }>;
  return [
    ...faults,
    ...(open.length > 0 ? ["calls without results"] : []),
    ...(messages[0]?.role === "user" ? [] : ["the first turn is not the user's"]),
    ...(messages.at(-1)?.role === "user" ? [] : ["the last turn is not the user's"]),
    ...nameFaults(tools.flatMap((each) => each.functionDeclarations.map(({ name }) => name))),
  ];
}

/** Bedrock's Converse, by the rules of Anthropic's models on it: its blocks in the form of theirs. */
function bedrockRefusals({ messages, body, ...request }: ServedRequest): readonly string[] {
  const { toolConfig, additionalModelRequestFields: more } = body as Readonly<
    Record<string, Fields | undefined>
  >;
  const tools = ((toolConfig?.["tools"] ?? []) as ReadonlyArray<{ readonly toolSpec: Fields }>).map(
    ({ toolSpec }) => toolSpec,
  );
  const empty = tools.filter(({ description }) => description === "").map(() => "no description");
  return [
    ...anthropicRefusals({
      ...request,
      body: { tools, thinking: more?.["thinking"] },
      messages: messages.map(({ role, content }) => ({
        ...(role === undefined ? {} : { role }),
        content: blocksOf(content)
          .filter((block) => !("cachePoint" in block))
          .map(asAnthropic),
      })),
    }),
    ...empty,
  ];
}

function asAnthropic(block: Fields): Fields {
  const { toolUse, toolResult, reasoningContent } = block as Readonly<
    Record<string, Fields | undefined>
  >;
  if (toolUse) return { type: "tool_use", id: toolUse["toolUseId"], name: toolUse["name"] };
  if (toolResult) return { type: "tool_result", tool_use_id: toolResult["toolUseId"] };
  if (reasoningContent) return { type: "thinking" };
  return { type: "text", ...block };
}
