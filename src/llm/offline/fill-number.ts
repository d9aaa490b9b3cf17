// Number for a field: the one named in the texts, else one near the field's name, else the lowest the schema allows
// from 0 on.
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { foldText, numbersIn } from "../../text/index.ts";
import type { Source } from "./source.ts";
import { overlap, sentencesOf, stemSet } from "./words.ts";

type NumberRequest = {
  readonly name: string;
  readonly knownValue?: JsonValue;
  readonly source: Source;
  /** Numbers already used by other fields. */
  readonly used: Set<string>;
};

export function fillNumber(schema: JsonObject, wanted: NumberRequest): number {
  const { knownValue } = wanted;
  const known = typeof knownValue === "string" ? Number(numbersIn(knownValue)[0]) : knownValue;
  const fallback = typeof schema["default"] === "number" ? schema["default"] : guess(wanted);
  return bounded(typeof known === "number" && Number.isFinite(known) ? known : fallback, schema);
}

const MONEY_FIELD = /amount|price|total|cost|sum|budget|fee/i;
const MONEY =
  /[$€£¥₩₹฿₽]\s?(\d[\d.,']*)|(?<![\d.,])(\d[\d.,']*)\s?(?:[$€£¥₩₹฿₽]|EUR|USD|GBP|JPY|CNY|KRW|INR|dollars|euros|円|元|원|บาท|रुपये|руб|ريال|שקל)/i;

function guess({ name, source, used }: NumberRequest): number {
  const { purpose, ask, texts } = source;
  const stems = stemSet(name);
  const money = MONEY_FIELD.test(name) ? MONEY.exec(foldText([ask, ...texts].join("\n"))) : null;
  const sum = Number(numbersIn(money?.[1] ?? money?.[2] ?? "")[0]);
  if (Number.isFinite(sum)) return sum;
  const near = [ask, ...texts]
    .flatMap(sentencesOf)
    .find((sentence) => overlap(stems, sentence) > 0 && numbersIn(sentence).length > 0);
  const candidates = [...numbersIn(near ?? ""), ...(purpose === "arguments" ? numbersIn(ask) : [])];
  const unused = candidates.find((number) => !used.has(number));
  if (unused === undefined) return 0;
  used.add(unused);
  return Number(unused);
}

/** Returns the nearest number allowed by the schema's bounds, step and type. */
function bounded(value: number, schema: JsonObject): number {
  const step =
    typeof schema["multipleOf"] === "number" && schema["multipleOf"] > 0
      ? schema["multipleOf"]
      : schema["type"] === "integer"
        ? 1
        : undefined;
  const unit = step ?? 1e-6;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = Math.max(
    limit(minimum, -Infinity),
    typeof exclusiveMinimum === "number" ? exclusiveMinimum + unit : -Infinity,
  );
  const high = Math.min(
    limit(maximum, Infinity),
    typeof exclusiveMaximum === "number" ? exclusiveMaximum - unit : Infinity,
  );
  const clamped = Math.min(high, Math.max(low, value));
  if (step === undefined) return clamped;
  const rounded = Math.round(clamped / step) * step;
  const inside =
    rounded > high
      ? Math.floor(high / step) * step
      : rounded < low
        ? Math.ceil(low / step) * step
        : rounded;
  return Number(inside.toPrecision(12));
}

function limit(value: JsonValue | undefined, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
