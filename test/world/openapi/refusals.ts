// Refusals of requests that fit their schema: which operations refuse which field, and the rule that no schema says.
import { isJsonObject, type JsonValue } from "../../../src/base/json.ts";
import { asText } from "../../../src/llm/wire.ts";
import type { Found } from "./report.ts";

/** A rule of some operations. Every fault that the answer names has to be one of its fields. */
type Refusal = {
  /** Method and path, of one operation or of several. */
  readonly operations: RegExp;
  readonly status: number;
  /** The problem's `code`; undefined for answers in a form that has none. */
  readonly code: string | undefined;
  /** Each of the `errors`: its pointer, with indexes as `N`, and its message; or, where the answer names no field, its text. */
  readonly names: RegExp;
  readonly because: string;
};

const invalid = { status: 400, code: "invalid_input" } as const;
/** Refusals of protocols whose errors have a text alone. */
const plain = { status: 400, code: undefined } as const;

export const REFUSALS: readonly Refusal[] = [
  {
    ...invalid,
    operations: /^GET \/|^POST \/admin\/(reencrypt|reindex)$/,
    names: /^\/cursor expected (a|the) nextCursor |^cursor must be the nextCursor /,
    because: "a cursor is the nextCursor of an earlier page",
  },
  {
    ...invalid,
    operations: /^POST \/(crews|compat)\/\{name\}\/(kickoff|kickoff-for-each|test|train)$/,
    names: /^\/inputs(\/N)?\/[^/ ]+ is needed by the crew's texts/,
    because: "the crew's texts name an input that was not sent",
  },
  {
    operations: /^POST \/compat\/\{name\}\/kickoff$/,
    status: 422,
    code: "missing_inputs",
    names: /^/,
    because: "the crew's texts name an input that was not sent",
  },
  {
    ...invalid,
    operations: /^GET \/(runs|stats|usage)$/,
    names: /^\/(from|to) expected (a (day or a )?time|at most \d+ days)/,
    because: "a day that its month has, `from` before `to`, and no more days than that",
  },
  {
    ...invalid,
    operations: /^POST \/runs\/\{id\}\/(fork|replay|retry)$/,
    names:
      /^\/id expected an id other than|^the request body does not fit: expected either fromTask/,
    because: "a new run needs an id of its own, and one point to begin at",
  },
  {
    ...invalid,
    operations: /^POST \//,
    names: /^\/id expected "[^"]*", as in Idempotency-Key/,
    because: "an id in the body and one in a header are equal",
  },
  {
    ...invalid,
    operations: /^(PUT|POST) \//,
    names: /^\/if-none-match expected \*/,
    because: "the header is `*`, as its pattern has it; the kit sends other values as well",
  },
  {
    ...invalid,
    operations: /^POST \/knowledge\/\{collection\}\/query$/,
    names: /^the request body does not fit: expected either query or queries/,
    because: "`query` and `queries` exclude each other, and one is needed",
  },
  {
    ...invalid,
    operations: /^POST \/keys$/,
    names: /^\/expiresAt expected a time in the future/,
    because: "a key ends in the future",
  },
  {
    ...invalid,
    operations: /^POST \/((crews|flows|agents|conversations)\/\{name\}|runs\/\{id\})\//,
    names: /^\/(llm|trained) /,
    because: "the app has the model, and something was trained under the name",
  },
  {
    ...invalid,
    operations: /^(POST|PUT) \//,
    names: /^\/webhooks\/N\/(url|events\/N|secret) /,
    because:
      "events are sent to addresses that are not private, without passwords in them, of types that there are",
  },
  {
    status: 400,
    code: "400",
    operations: /^POST \/a2a\/\{name\}\//,
    names: /expected exactly one of text, raw, url, data/,
    because: "a part has content of one kind",
  },
  {
    ...invalid,
    operations: /^POST \/(crews|agents|flows|conversations)\/\{name\}\//,
    names: /^\/inputFiles\/N inputFiles\.\d+ must have one of source, /,
    because: "a file says where its content is",
  },
  {
    ...invalid,
    operations: /^PUT \/hooks\/\{name\}$/,
    names: /^\/\w+ expected nothing, because the scheme /,
    because: "the schemes of known senders have headers of their own",
  },
  {
    ...invalid,
    operations: /^(GET|POST|PUT|DELETE) \/memory/,
    names: /^scope must be a path /,
    because: "a scope is a path without control characters",
  },
  {
    ...invalid,
    operations: /\/files\/\{path\}$/,
    names: /is no path of a file in a workspace$/,
    because: "a workspace has files under paths without control characters",
  },
  {
    ...invalid,
    operations: /^POST \/schedules$/,
    names: /^\/(target\/name|timeZone|cron) /,
    because: "a schedule starts something that is there, in slots and a time zone that there are",
  },
  {
    ...invalid,
    operations: /^POST \/tokens$/,
    names: /^\/(runs expected either runs or target|scopes expected kickoff with a target only)/,
    because: "`runs` and `target` exclude each other, and `kickoff` needs a target",
  },
  {
    operations: /^(GET|DELETE) \/mcp$/,
    status: 405,
    code: "-32600",
    names: /^this server keeps no sessions/,
    because: "streams of sessions belong to an older revision, which this Worker does not speak",
  },
  {
    ...invalid,
    operations: /^POST \/(crews|flows|agents|conversations)\/\{name\}\//,
    names: /^\/version expected nothing, because /,
    because: "only stored definitions have versions",
  },
  {
    status: 400,
    code: "invalid_definition",
    operations: /^PUT \/(crews|flows|conversations)\/\{name\}$/,
    names: /^/,
    because:
      "a definition is built before it is stored: its names lead to something, and its options go together",
  },
  {
    status: 400,
    code: "400",
    operations: /^GET \/a2a\/\{name\}\/(v1\/card|extendedAgentCard)$/,
    names: /^this agent has no extended card$/,
    because: "A2A has 400 for an extended card that an agent lacks",
  },
  {
    status: 400,
    code: "400",
    operations: /^GET \/a2a\/\{name\}\/(v1\/)?tasks$/,
    names: /^the cursor is not valid/,
    because: "a page token is that of an earlier page",
  },
  {
    ...plain,
    operations: /^POST \/api\/(a2a|acp)\//,
    names: /must hold a text that is not empty$/,
    because: "parts without any text are no message",
  },
  {
    ...plain,
    operations: /^POST \/api\/(a2a\/tasks\/send|acp\/\w+)$/,
    names:
      /^name an agent or a skill, got (both|neither)$|^Missing required fields: agent, message$/,
    because: "a task goes to an agent or to one with a skill",
  },
  {
    ...invalid,
    operations: /^POST \/(conversations|crews)\/\{name\}\/(kickoff|chat)$/,
    names: /^\/messages? (the last message must be|expected `message` or `messages`)/,
    because: "a conversation begins with a message of the user, in one field of two",
  },
  {
    ...invalid,
    operations: /^POST \/agents\/\{name\}\/kickoff$/,
    names: /^\/messages\/N\/content\/N must have a url, or data in base64 and its mediaType/,
    because: "a part that is no text has its content here or at an address",
  },
  {
    ...plain,
    operations: /^POST \/api\/a2a\/agents\/register$/,
    names: /^url must /,
    because: "an agent elsewhere has an address that can be one, and is not private",
  },
  {
    operations: /^GET \/files\/\{id\}\/content$/,
    status: 416,
    code: "invalid_input",
    names: /^the range must begin within the file/,
    because: "a range is within the file",
  },
  {
    ...invalid,
    operations: /^POST \/runs\/\{id\}\/resume$/,
    names: /^\/feedback expected feedback, value or approve, got none/,
    because: "an answer says something",
  },
  {
    ...invalid,
    operations: /^GET \/runs\/\{id\}\/events$/,
    names: /^\/types expected event types, such as /,
    because: "the types of events are those of the app's parts",
  },
  {
    ...invalid,
    operations: /^GET \/runs\/\{id\}\/journal$/,
    names: /^\/around expected no cursor beside it/,
    because: "`around` and `cursor` exclude each other",
  },
  {
    ...invalid,
    operations: /^POST \/files$/,
    names: /^the body is no complete multipart\/form-data: /,
    because: "a body that calls itself a form is one",
  },
  {
    ...invalid,
    operations: /^POST \/knowledge\/\{collection\}\/sources$/,
    names:
      /^(\/N)?\/(url|path|base64|name) |(^\/N |: )expected one of text, url, path and base64|^the body must be the document, got nothing$/,
    because: "a document has one source, which can be read, and a name of its own",
  },
  {
    ...plain,
    operations: /^POST \/api\/acp\/tasks\/\{id\}\/resume$/,
    names: /^message or state is required: the task waits for an answer$/,
    because: "a task that waits for an answer needs one",
  },
  {
    ...plain,
    operations: /^POST \/v1\/responses$/,
    names: /^(conversation|previous_response_id)$/,
    because: "`conversation` and `previous_response_id` exclude each other",
  },
];

/** The rule behind a refusal; undefined for one that no row explains. */
export function refusalOf({ operation, status, answer }: Found): Refusal | undefined {
  const { code, names } = saidBy(answer);
  return REFUSALS.find(
    (rule) =>
      rule.operations.test(operation) &&
      rule.status === status &&
      rule.code === code &&
      names.length > 0 &&
      names.every((name) => rule.names.test(name)),
  );
}

function saidBy(answer: JsonValue): {
  readonly code: string | undefined;
  readonly names: readonly string[];
} {
  if (!isJsonObject(answer)) return { code: undefined, names: [] };
  const { code, detail, errors, error } = answer;
  const inner = isJsonObject(error ?? null) ? (error as { [name: string]: JsonValue }) : undefined;
  const said = code ?? inner?.["code"];
  const fields = Array.isArray(errors)
    ? errors.flatMap((each) =>
        isJsonObject(each) && typeof each["path"] === "string" && each["path"] !== ""
          ? [`${each["path"].replaceAll(/\/\d+(?=\/|$)/g, "/N")} ${asText(each["message"])}`]
          : [],
      )
    : [];
  const texts = [inner?.["param"], inner?.["message"], error, detail].filter(
    (text) => typeof text === "string",
  );
  return {
    code: typeof said === "string" || typeof said === "number" ? String(said) : undefined,
    names: fields.length > 0 ? fields : texts.slice(0, 1),
  };
}
