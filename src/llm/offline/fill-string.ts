// A text for a field, by its name, format and description.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Source } from "./source.ts";
import { overlap, plain, sentencesOf, stemSet } from "./words.ts";

type StringRequest = {
  readonly name: string;
  readonly knownValue: JsonValue | undefined;
  readonly source: Source;
};

/** Existing days, except for 29 February. */
const REAL_DATE =
  /\d{4}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)(?!\d)/;
const REAL_TIME = /(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)/;

/** Form of such a text by name or format, and a fallback sample. */
const SHAPES: readonly {
  readonly names: RegExp;
  readonly shape: RegExp;
  readonly sample: string;
}[] = [
  {
    names: /^(?:e?-?mail|email_?address|from|sender|recipient)$/i,
    shape: /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/,
    sample: "nobody@example.com",
  },
  {
    names: /^(?:uri|url|link|href|website|page)$/i,
    shape: /https?:\/\/[^\s<>"')\]]+/,
    sample: "https://example.com/",
  },
  {
    names: /^(?:date-time|datetime|timestamp)$/i,
    shape: new RegExp(`${REAL_DATE.source}T${REAL_TIME.source}`),
    sample: "2000-01-01T00:00:00Z",
  },
  { names: /date|^(?:day|when|due|deadline|start|end)$/i, shape: REAL_DATE, sample: "2000-01-01" },
  { names: /^time$/i, shape: REAL_TIME, sample: "00:00:00Z" },
  { names: /^time_?zone$/i, shape: /\b[A-Z][a-z]+\/[A-Z][A-Za-z_]+|\bUTC\b/, sample: "UTC" },
  {
    names: /^uuid$/i,
    shape: /[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/i,
    sample: "00000000-0000-0000-0000-000000000000",
  },
  { names: /^(?:ipv4|ip)$/i, shape: /\b\d{1,3}(?:\.\d{1,3}){3}\b/, sample: "127.0.0.1" },
  {
    names: /^(?:path|file|file_?name)$/i,
    shape: /[\w./-]{0,100}[\w-]\.[A-Za-z]\w{0,5}\b/,
    sample: "",
  },
  { names: /version/i, shape: /\bv?\d+\.\d+(?:\.\d+)?(?:-[\w.]+)?\b/, sample: "" },
  { names: /expression|formula/i, shape: /[\d(][\d\s.()+*/^%×÷-]{0,200}[\d)%]/, sample: "" },
  {
    names: /order|ticket|invoice|customer_?id|reference|^(?:id|number|key)$/i,
    shape: /#?\b(?=[A-Z-]{0,8}\d)[A-Z]{1,6}-?\d[\d-]{2,20}\b|#\d+/,
    sample: "",
  },
];
/** Fields for a whole text, not a phrase of it. */
const PERSON =
  /^(?:customer|client|sender|author|person|contact|recipient|user)(?:_?name)?$|^(?:full_?|first_?)?name$/i;
const WHOLE_TEXT =
  /^(?:text|log|git_?log|content|contents|body|mail|email_?text|message|document|input|source|data|markdown|html|transcript|context|diff|code)$/i;
const ANSWER_TEXT =
  /^(?:text|content|body|answer|result|output|report|markdown|reply|response|summary|message|final_?answer|notes)$/i;
const TITLE = /^(?:title|headline|subject|heading|name)$/i;
const QUERY = /^(?:q|query|queries|question|search|topic|keywords?|term|prompt|task)$/i;
const UNDER_MAIL =
  /\b(?:regards|best|thanks|thank you|cheers|sincerely|greetings|yours|wishes)\b[^\n]{0,20}\n+[ \t]*(\p{Lu}[\p{L}'-]+(?: \p{Lu}[\p{L}'.-]+){0,2})[ \t]*(?:\n|$)/imu;
const HEAD_OF_MAIL = /^From: *"?([^<"\n]{2,60}?)"? *(?:<|$)/im;
const SAMPLES = [
  "a",
  "A1",
  "0",
  "example",
  "text",
  "AAA",
  "ABC-1234",
  "abc",
  "1.0.0",
  "+10000000000",
  "00:00:00",
  "#000000",
];

export function fillString(schema: JsonObject, wanted: StringRequest): string {
  const candidates = candidatesFor(schema, wanted);
  const { pattern } = schema;
  const isMatch = typeof pattern === "string" ? matcher(pattern) : () => true;
  const atLeast = typeof schema["minLength"] === "number" ? schema["minLength"] : 0;
  const atMost =
    typeof schema["maxLength"] === "number" ? schema["maxLength"] : Number.POSITIVE_INFINITY;
  const fitting = candidates.find(
    (candidate) =>
      candidate !== "" && hasLength(candidate, { atLeast, atMost }) && isMatch(candidate),
  );
  return (
    fitting ?? resized(candidates.find((candidate) => candidate !== "") ?? "", { atLeast, atMost })
  );
}

function candidatesFor(schema: JsonObject, { name, knownValue, source }: StringRequest): string[] {
  const fallback = typeof schema["default"] === "string" ? [schema["default"]] : [];
  const own =
    knownValue === undefined || knownValue === null
      ? []
      : [typeof knownValue === "string" ? knownValue : JSON.stringify(knownValue)];
  const format = typeof schema["format"] === "string" ? schema["format"] : undefined;
  const shape = SHAPES.find(({ names }) =>
    format === undefined ? names.test(name) : names.test(format),
  );
  const searched =
    source.purpose === "answer"
      ? [...own, ...source.texts, source.ask]
      : [...own, source.ask, ...source.texts];
  const shaped =
    shape === undefined ? [] : searched.flatMap((text) => shape.shape.exec(text)?.[0].trim() ?? []);
  if (format !== undefined && shape !== undefined)
    return [...shaped, ...fallback, shape.sample, ...patterned(schema, searched)];
  return [
    ...own,
    ...shaped,
    ...fallback,
    ...named(schema, { name, knownValue, source }),
    ...patterned(schema, searched),
  ];
}

/** Returns likely values by the field's name. */
function named(schema: JsonObject, { name, source }: StringRequest): string[] {
  const description = typeof schema["description"] === "string" ? schema["description"] : "";
  const { purpose, ask, title, texts, answer } = source;
  const quoted = [ask, ...(purpose === "answer" ? texts : [])].flatMap(
    (text) => /["“「『]([^"“”「」『』\n]{1,200})["”」』]/.exec(text)?.[1] ?? [],
  );
  const closest = closestSentence(`${name} ${description}`, source);
  if (purpose === "answer") {
    if (PERSON.test(name))
      return [
        ...signatures(texts),
        ...(TITLE.test(name) && title !== undefined ? [title] : []),
        ...closest,
        ...sentencesOf(answer),
        ask,
      ];
    if (TITLE.test(name))
      return [
        ...headings([answer, ...texts]),
        ...(title === undefined ? [] : [title]),
        ...closest,
        sentencesOf(ask)[0] ?? ask,
      ];
    return ANSWER_TEXT.test(name) ? [answer] : [...closest, ...sentencesOf(answer), answer, ask];
  }
  if (WHOLE_TEXT.test(name)) return [...texts, ask];
  if (QUERY.test(name)) return [...quoted, withoutOrder(ask)];
  return [...quoted, ...closest, withoutOrder(ask)];
}

/** Returns the sentence with most words in common with the field's name and description. */
function closestSentence(about: string, { ask, texts, purpose }: Source): string[] {
  const stems = stemSet(about);
  let closest: { sentence: string; shared: number } | undefined;
  for (const sentence of (purpose === "answer" ? texts : [ask, ...texts]).flatMap(sentencesOf)) {
    const shared = overlap(stems, sentence);
    if (shared > (closest?.shared ?? 0)) closest = { sentence, shared };
  }
  return closest === undefined ? [] : [closest.sentence];
}

/** The names under, and at the head of, mails. */
export function signatures(texts: readonly string[]): string[] {
  return texts.flatMap((text) =>
    [UNDER_MAIL.exec(text)?.[1], HEAD_OF_MAIL.exec(text)?.[1]].filter((name) => name !== undefined),
  );
}

function headings(texts: readonly string[]): string[] {
  return texts.flatMap((text) => /^#{1,3}\s+(.+)$/m.exec(text)?.[1] ?? []).map(plain);
}

/** `Find facts about tea. …` → `facts about tea` */
function withoutOrder(ask: string): string {
  const [first = ask] = sentencesOf(ask);
  const phrase = first
    .replace(
      /^(?:please\s+)?(?:search|find|look up|look for|research|investigate|explore|get|gather|tell me|answer)\s+(?:for\s+|out\s+)?/i,
      "",
    )
    .replace(/[.?!。？！؟।]$/, "");
  return phrase === "" ? first : phrase;
}

/** Returns candidates for a schema with a pattern: pieces of the texts, then samples. */
function patterned(schema: JsonObject, texts: readonly string[]): string[] {
  if (typeof schema["pattern"] !== "string") return [];
  return [
    ...texts.flatMap((text) => text.split(/\s+/).slice(0, 500)),
    ...SAMPLES,
    ...SHAPES.map(({ sample }) => sample),
  ];
}

function matcher(pattern: string): (text: string) => boolean {
  try {
    const compiled = new RegExp(pattern, "u");
    return (text) => compiled.test(text);
  } catch {
    return () => true;
  }
}

function hasLength(
  text: string,
  { atLeast, atMost }: { atLeast: number; atMost: number },
): boolean {
  if (atLeast === 0 && atMost >= text.length) return true;
  const { length } = Array.from(text);
  return length >= atLeast && length <= atMost;
}

/** Lengths are counted in code points, as JSON Schema does. */
function resized(text: string, { atLeast, atMost }: { atLeast: number; atMost: number }): string {
  const characters = Array.from(text);
  const cut = characters.slice(0, atMost);
  return cut.join("") + ".".repeat(Math.max(0, atLeast - cut.length));
}
