// Values for a JSON Schema, taken from texts: arguments of tools, and answers as JSON.
//
//   - The result is valid: types, required fields, enums, bounds, lengths and formats are kept. The exception is a
//     `pattern` that no text and no sample below fits.
//   - A value named in the texts (a JSON key, a `Label: value` line) wins over a guessed one.
//   - Optional fields are filled only if the texts name them; without required fields, all are.
import { keyOfPart } from "../../base/json-pointer.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import { isJsonObject } from "../../base/json.ts";
import { factKey, factsOf } from "./facts.ts";
import { numbersIn } from "../../text/index.ts";
import { fillNumber } from "./fill-number.ts";
import { fillString } from "./fill-string.ts";
import type { Source } from "./source.ts";
import { overlap, sentencesOf, stemSet } from "./words.ts";

const MAX_DEPTH = 6;
const MAX_ITEMS = 5;
/** Limit of the recursion: a schema that requires itself within itself has no valid value. */
const MAX_NESTING = 50;

export function fillSchema(schema: JsonObject, source: Source): JsonValue {
  return new Filler(schema, source).make(schema, { name: "", depth: 0 });
}

export function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema["properties"]) ? schema["properties"] : {};
}

export function requiredOf(schema: JsonObject): string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** `name` of the field being filled; `knownValue` if the texts state its value. */
type Place = { readonly name: string; readonly depth: number; readonly knownValue?: JsonValue };

class Filler {
  readonly #root: JsonObject;
  readonly #source: Source;
  readonly #usedNumbers = new Set<string>();

  constructor(root: JsonObject, source: Source) {
    this.#root = root;
    this.#source = source;
  }

  make(unresolved: JsonValue, place: Place): JsonValue {
    if (place.depth > MAX_NESTING) return null;
    const schema = this.#resolve(unresolved, 0);
    if (schema["const"] !== undefined) return schema["const"];
    if (Array.isArray(schema["enum"])) return this.#choose(schema["enum"], schema, place);
    const alternatives = schema["anyOf"] ?? schema["oneOf"];
    if (Array.isArray(alternatives)) return this.#alternative(alternatives, place);
    switch (this.#typeOf(schema, place)) {
      case "object":
        return this.#object(schema, place);
      case "array":
        return this.#array(schema, place);
      case "integer":
      case "number":
        return fillNumber(schema, { ...place, source: this.#source, used: this.#usedNumbers });
      case "boolean":
        return this.#boolean(schema, place);
      case "null":
        return null;
      default:
        return fillString(schema, {
          name: place.name,
          knownValue: place.knownValue,
          source: this.#source,
        });
    }
  }

  /** Follows `$ref`s within the document and lays the parts of `allOf` over each other. */
  #resolve(schema: JsonValue, hops: number): JsonObject {
    if (!isJsonObject(schema) || hops > MAX_DEPTH) return {};
    if (typeof schema["$ref"] === "string")
      return this.#resolve(this.#at(schema["$ref"]), hops + 1);
    if (!Array.isArray(schema["allOf"])) return schema;
    const parts = [schema, ...schema["allOf"].map((part) => this.#resolve(part, hops + 1))];
    return {
      ...Object.assign({}, ...parts.toReversed()),
      allOf: null,
      properties: Object.assign({}, ...parts.map(propertiesOf)) as JsonObject,
      required: [...new Set(parts.flatMap(requiredOf))],
    };
  }

  #at(reference: string): JsonValue {
    let current: JsonValue = this.#root;
    for (const segment of reference
      .replace(/^#\/?/, "")
      .split("/")
      .filter((part) => part !== "")) {
      current = isJsonObject(current) ? (current[keyOfPart(segment)] ?? {}) : {};
    }
    return current;
  }

  #typeOf(schema: JsonObject, { knownValue }: Place): string {
    const { type } = schema;
    if (typeof type === "string") return type;
    if (Array.isArray(type)) {
      const types = type.filter((name) => typeof name === "string");
      const isUnknown = knownValue === undefined && this.#source.purpose === "answer";
      return isUnknown && types.includes("null")
        ? "null"
        : (types.find((name) => name !== "null") ?? "null");
    }
    if (schema["properties"] !== undefined || schema["additionalProperties"] !== undefined)
      return "object";
    if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
    return schema["minimum"] !== undefined || schema["maximum"] !== undefined ? "number" : "string";
  }

  #alternative(alternatives: readonly JsonValue[], place: Place): JsonValue {
    const schemas = alternatives.map((alternative) => this.#resolve(alternative, 0));
    const nothing = schemas.find((schema) => schema["type"] === "null");
    if (
      nothing !== undefined &&
      place.knownValue === undefined &&
      (this.#source.purpose === "answer" || place.depth > 2)
    )
      return null;
    const fitting = schemas.find(
      (schema) => place.knownValue !== undefined && schema["type"] === jsonType(place.knownValue),
    );
    return this.make(fitting ?? schemas.find((schema) => schema !== nothing) ?? {}, {
      ...place,
      depth: place.depth + 1,
    });
  }

  /** Returns the option named in the text, else the default, else the first. */
  #choose(
    options: readonly JsonValue[],
    schema: JsonObject,
    { name, knownValue }: Place,
  ): JsonValue {
    if (knownValue !== undefined && options.includes(knownValue)) return knownValue;
    const places = [
      typeof knownValue === "string" ? knownValue : "",
      this.#source.ask,
      ...this.#source.texts,
    ];
    for (const text of this.#source.purpose === "answer"
      ? [places[0] ?? "", ...places.slice(2)]
      : places) {
      const stems = stemSet(text);
      const said = options.filter(
        (option) =>
          isText(option) &&
          stemSet(option).size > 0 &&
          [...stemSet(option)].every((stem) => stems.has(stem)),
      );
      if (said[0] !== undefined) return said[0];
    }
    const near = options.filter((option) => isText(option) && this.#coworkerFits(name, option));
    return (
      near[0] ??
      (options.includes(schema["default"] ?? null)
        ? (schema["default"] ?? null)
        : (options[0] ?? null))
    );
  }

  #coworkerFits(name: string, option: string): boolean {
    return name === "coworker" && overlap(stemSet(this.#source.ask), option) > 0;
  }

  #object(schema: JsonObject, { name, depth, knownValue }: Place): JsonObject {
    const properties = propertiesOf(schema);
    const required = requiredOf(schema);
    const isNamed = isJsonObject(knownValue);
    const facts = isNamed ? factsOf([JSON.stringify(knownValue)]) : this.#source.facts;
    const fillsAll = required.length === 0 && depth < 2;
    const filled = Object.entries(properties).flatMap(([key, property]) => {
      const known = facts.get(factKey(key))?.value;
      if (!required.includes(key) && known === undefined && !fillsAll) return [];
      if (!required.includes(key) && depth >= MAX_DEPTH) return [];
      return [
        [
          key,
          this.make(property, {
            name: key,
            depth: depth + 1,
            ...(known === undefined ? {} : { knownValue: known }),
          }),
        ] as const,
      ];
    });
    const missing = required
      .filter((key) => !(key in properties))
      .map((key) => [key, this.make({}, { name: key, depth: depth + 1 })] as const);
    return {
      ...this.#record(schema, { name, depth, ...(isNamed ? { knownValue } : {}) }),
      ...Object.fromEntries([...filled, ...missing]),
    };
  }

  /** Fills free keys, if the schema declares their type and the texts hold an object for this place. */
  #record(schema: JsonObject, { knownValue, depth }: Place): JsonObject {
    const { additionalProperties, properties } = schema;
    if (
      properties !== undefined ||
      !isJsonObject(additionalProperties) ||
      !isJsonObject(knownValue)
    )
      return {};
    return Object.fromEntries(
      Object.entries(knownValue).map(([key, value]) => [
        key,
        this.make(additionalProperties, { name: key, depth: depth + 1, knownValue: value }),
      ]),
    );
  }

  #array(schema: JsonObject, { name, depth, knownValue }: Place): JsonValue[] {
    const prefix = Array.isArray(schema["prefixItems"]) ? schema["prefixItems"] : [];
    if (prefix.length > 0) return prefix.map((item) => this.make(item, { name, depth: depth + 1 }));
    const items =
      schema["items"] === undefined || typeof schema["items"] === "boolean" ? {} : schema["items"];
    const atLeast = wholeNumber(schema["minItems"], 0);
    const atMost = wholeNumber(schema["maxItems"], Number.POSITIVE_INFINITY);
    const sources = Array.isArray(knownValue)
      ? knownValue
      : this.#itemSources(this.#resolve(items, 0), {
          name,
          depth,
          ...(knownValue === undefined ? {} : { knownValue }),
        });
    const isUnique = schema["uniqueItems"] === true;
    const filled: JsonValue[] = [];
    for (let index = 0; filled.length < atMost; index++) {
      if (
        index >= sources.length &&
        (filled.length >= atLeast || index > sources.length + 2 * atLeast)
      )
        break;
      const source = sources[index];
      const item = this.make(items, {
        name,
        depth: depth + 1,
        ...(source === undefined ? {} : { knownValue: source }),
      });
      filled.push(isUnique && includesEqual(filled, item) ? varied(item, index) : item);
    }
    return filled;
  }

  /** Returns the sources of the items: sentences for texts, numbers for numbers, one object per sentence. */
  #itemSources(items: JsonObject, { name, depth, knownValue }: Place): JsonValue[] {
    if (depth > 3) return [];
    if (typeof knownValue === "string")
      return knownValue.split(/[,;]\s+|\n/).map((part) => part.trim());
    const { purpose, ask, texts, answer } = this.#source;
    if (purpose === "arguments")
      return items["type"] === "number" || items["type"] === "integer"
        ? numbersIn(ask).map(Number)
        : [ask];
    if (items["type"] === "number" || items["type"] === "integer")
      return numbersIn(texts.join("\n")).slice(0, MAX_ITEMS).map(Number);
    const sentences = sentencesOf(answer).slice(0, MAX_ITEMS);
    if (items["type"] !== "object" && items["properties"] === undefined) return sentences;
    return sentences
      .slice(0, 3)
      .map((sentence) => ({ ...this.#sentenceFacts(items, sentence), [name]: sentence }));
  }

  /** Uses a sentence as the value of the first required text field of an object. */
  #sentenceFacts(items: JsonObject, sentence: string): JsonObject {
    const properties = Object.entries(propertiesOf(items));
    const key = properties.find(
      ([, property]) =>
        isJsonObject(property) && property["type"] === "string" && property["enum"] === undefined,
    )?.[0];
    return key === undefined ? {} : { [key]: sentence };
  }

  #boolean(schema: JsonObject, { name, knownValue }: Place): boolean {
    if (typeof knownValue === "boolean") return knownValue;
    if (typeof knownValue === "string") return /^(?:yes|true|y|on)\b/i.test(knownValue);
    if (typeof schema["default"] === "boolean") return schema["default"];
    return this.#isSaid(name);
  }

  /** True if the texts mention the field's name: `wantsRefund` is true if they mention a refund. */
  #isSaid(name: string): boolean {
    const stems = [...stemSet(name)].filter((stem) => !AUXILIARY.has(stem));
    const said = stemSet(
      ...(this.#source.purpose === "answer" ? this.#source.texts : [this.#source.ask]),
    );
    return stems.length > 0 && stems.every((stem) => said.has(stem));
  }
}

const AUXILIARY: ReadonlySet<string> = stemSet(
  "wants want needs need has is asks mentions contains includes should",
);

function isText(option: JsonValue): option is string {
  return typeof option === "string";
}

function jsonType(value: JsonValue): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function wholeNumber(value: JsonValue | undefined, fallback: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : fallback;
}

function includesEqual(items: readonly JsonValue[], item: JsonValue): boolean {
  const text = JSON.stringify(item);
  return items.some((other) => JSON.stringify(other) === text);
}

/** Returns a varied copy of the value, for lists without repetition. */
function varied(item: JsonValue, index: number): JsonValue {
  if (typeof item === "number") return item + index;
  return typeof item === "string" ? `${item} ${index + 1}` : item;
}
