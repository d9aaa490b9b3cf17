// Checks a value against a compiled schema, within a budget.
//
//   JS1. Checks are counted, and the count is bounded by the size of the value: a schema cannot cause much work for a
//        small value.
//   JS2. Patterns run in linear time. A pattern without a linear form is not checked: stored schemas have no such
//        patterns (checkPatterns).
import { format as FORMATS } from "@cfworker/json-schema";
import { pointerPart } from "./json-pointer.ts";
import { preview } from "./json.ts";
import {
  isSchemaObject,
  unusable,
  type CompiledSchema,
  type Schema,
  type SchemaObject,
} from "./json-schema-compile.ts";
import {
  canonical,
  CHARACTERS_PER_STEP,
  isMultiple,
  isObject,
  isOfType,
  isRegExp,
  nodesOf,
  type Values,
} from "./json-schema-values.ts";
import { linearPattern } from "./linear-pattern.ts";

/** A violated keyword. */
export type Fault = {
  readonly path: string;
  readonly value: unknown;
  readonly keyword: string;
  /** The keyword's value in the schema. */
  readonly rule: unknown;
  /** Name of the property, for keywords about a property. */
  readonly property?: string;
};

/** Maximum number of collected faults. */
const MAX_FAULTS = 100;
const MAX_URL_LENGTH = 8_192;
/** Longer texts match no format: some patterns take more than linear time. */
const MAX_FORMAT_LENGTH = 4_096;
/** Measured number of steps of a pattern's program that take as long as one step here. */
const FOLLOWED_PER_STEP = 8;
const LEAST_STEPS = 200_000;
const STEPS_PER_NODE = 50;
const MOST_STEPS = 5_000_000;
const MAX_DEPTH = 1_000;

/** Properties and items already evaluated by successful subschemas. */
type Looked = Set<string | number> | undefined;
type Place = {
  readonly path: string;
  readonly depth: number;
  /** Properties and items evaluated so far by a schema for the whole value. */
  readonly looked?: Looked;
};

/**
 * Returns the faults of a value, innermost ones only. Throws `invalid_definition` for a schema that exceeds the budget.
 */
export function faultsOf(schema: CompiledSchema, value: unknown): readonly Fault[] {
  const check = new Check(schema, value);
  check.holds(schema.root, value, { path: "", depth: 0 });
  return check.faults;
}

class Check {
  faults: Fault[] = [];
  readonly #schema: CompiledSchema;
  #left: number;

  constructor(schema: CompiledSchema, value: unknown) {
    this.#schema = schema;
    this.#left = Math.min(
      MOST_STEPS,
      LEAST_STEPS + STEPS_PER_NODE * nodesOf(value, MOST_STEPS / STEPS_PER_NODE),
    );
  }

  holds(schema: Schema, value: unknown, at: Place): boolean {
    this.#spend(1);
    if (schema === true) return true;
    if (schema === false) return this.#fault(at, value, ["false", false]);
    if (!isSchemaObject(schema)) return true;
    if (at.depth > MAX_DEPTH) throw unusable(`it goes more than ${MAX_DEPTH} levels deep`);
    const own: Looked = this.#schema.hasUnevaluated ? new Set() : undefined;
    const inside = { path: at.path, depth: at.depth + 1, looked: own };
    const before = this.faults.length;
    let isHeld = this.#references(schema, value, inside);
    const { draft } = this.#schema;
    if (typeof schema["$ref"] === "string" && (draft === "4" || draft === "7")) return isHeld;
    isHeld = this.#any(schema, value, at) && isHeld;
    isHeld = this.#combined(schema, value, inside) && isHeld;
    if (typeof value === "string") isHeld = this.#text(schema, value, at) && isHeld;
    else if (typeof value === "number") isHeld = this.#number(schema, value, at) && isHeld;
    else if (Array.isArray(value)) isHeld = this.#array(schema, value, inside) && isHeld;
    else if (isObject(value)) isHeld = this.#object(schema, value, inside) && isHeld;
    if (isHeld) {
      this.faults.length = Math.min(this.faults.length, before);
      if (own !== undefined) for (const key of own) at.looked?.add(key);
    }
    return isHeld;
  }

  #spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw unusable("to check this value with it takes too many steps");
  }

  #fault(at: Place, value: unknown, [keyword, rule, property]: [string, unknown, string?]): false {
    if (this.faults.length < MAX_FAULTS)
      this.faults.push({
        path: at.path,
        value,
        keyword,
        rule,
        ...(property === undefined ? undefined : { property }),
      });
    return false;
  }

  /** Returns true if the schema holds, without collecting faults. */
  #quietly(schema: Schema, value: unknown, at: Place): boolean {
    const kept = this.faults;
    this.faults = [];
    const isHeld = this.holds(schema, value, at);
    this.faults = kept;
    return isHeld;
  }

  #references(schema: SchemaObject, value: unknown, at: Place): boolean {
    let isHeld = true;
    for (const keyword of ["$ref", "$recursiveRef"] as const)
      if (typeof schema[keyword] === "string")
        isHeld = this.holds(this.#schema.target(schema, keyword), value, at) && isHeld;
    return isHeld;
  }

  #any(schema: SchemaObject, value: unknown, at: Place): boolean {
    const { type, enum: options } = schema;
    let isHeld = true;
    const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
    if (types.length > 0 && !types.some((each) => isOfType(value, each)))
      isHeld = this.#fault(at, value, ["type", type]);
    if (schema["const"] !== undefined && !this.#isEqual(value, schema["const"]))
      isHeld = this.#fault(at, value, ["const", schema["const"]]);
    if (Array.isArray(options) && !options.some((each) => this.#isEqual(value, each)))
      isHeld = this.#fault(at, value, ["enum", options]);
    return isHeld;
  }

  #combined(schema: SchemaObject, value: unknown, at: Place): boolean {
    let isHeld = true;
    const { not, if: condition } = schema;
    const { path, depth } = at;
    if (not !== undefined && this.#quietly(not as Schema, value, { path, depth }))
      isHeld = this.#fault(at, value, ["not", not]);
    for (const each of listOf(schema["allOf"])) isHeld = this.holds(each, value, at) && isHeld;
    for (const keyword of ["anyOf", "oneOf"] as const) {
      const list = listOf(schema[keyword]);
      if (list.length === 0) continue;
      const before = this.faults.length;
      const holding = list.filter((each) => this.holds(each, value, at)).length;
      if (keyword === "anyOf" ? holding > 0 : holding === 1) this.faults.length = before;
      else {
        const inner = this.faults.splice(before);
        isHeld = this.#fault(at, value, [keyword, list]);
        this.faults.push(...inner);
      }
    }
    if (condition !== undefined) {
      const branch = this.#quietly(condition as Schema, value, at)
        ? schema["then"]
        : schema["else"];
      if (branch !== undefined) isHeld = this.holds(branch as Schema, value, at) && isHeld;
    }
    return isHeld;
  }

  #text(schema: SchemaObject, value: string, at: Place): boolean {
    const { minLength, maxLength, pattern, format } = schema;
    let isHeld = true;
    if (isNumber(minLength) || isNumber(maxLength)) {
      this.#spend(Math.ceil(value.length / 1_000));
      const length = Array.from(value).length;
      if (isNumber(minLength) && length < minLength)
        isHeld = this.#fault(at, value, ["minLength", minLength]);
      if (isNumber(maxLength) && length > maxLength)
        isHeld = this.#fault(at, value, ["maxLength", maxLength]);
    }
    if (typeof pattern === "string" && !this.#matches(pattern, value))
      isHeld = this.#fault(at, value, ["pattern", pattern]);
    if (typeof format === "string" && !this.#isOfFormat(value, format))
      isHeld = this.#fault(at, value, ["format", format]);
    return isHeld;
  }

  #matches(pattern: string, text: string): boolean {
    const linear = linearPattern(pattern);
    if (linear !== undefined) {
      this.#spend(1);
      return linear.test(text, (followed) => this.#spend(followed / FOLLOWED_PER_STEP));
    }
    if (!isRegExp(pattern)) throw unusable(`pattern ${preview(pattern)} is no regular expression`);
    return true;
  }

  #isOfFormat(text: string, name: string): boolean {
    // The library's pattern for URLs backtracks without an end.
    if (name === "url") return text.length <= MAX_URL_LENGTH && URL.canParse(text);
    const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (format === undefined) return true;
    this.#spend(Math.ceil(text.length / CHARACTERS_PER_STEP));
    return text.length <= MAX_FORMAT_LENGTH && format(text);
  }

  #number(schema: SchemaObject, value: number, at: Place): boolean {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
    const rules: ReadonlyArray<readonly [string, unknown, (limit: number) => boolean]> = [
      ["minimum", minimum, (limit) => (exclusiveMinimum === true ? value > limit : value >= limit)],
      ["maximum", maximum, (limit) => (exclusiveMaximum === true ? value < limit : value <= limit)],
      ["exclusiveMinimum", exclusiveMinimum, (limit) => value > limit],
      ["exclusiveMaximum", exclusiveMaximum, (limit) => value < limit],
      ["multipleOf", multipleOf, (step) => isMultiple(value, step)],
    ];
    let isHeld = true;
    for (const [keyword, rule, isWithin] of rules)
      if (isNumber(rule) && !isWithin(rule)) isHeld = this.#fault(at, value, [keyword, rule]);
    return isHeld;
  }

  #array(schema: SchemaObject, value: readonly unknown[], at: Place): boolean {
    const { minItems, maxItems, uniqueItems, items, additionalItems, contains } = schema;
    const { looked } = at;
    let isHeld = true;
    if (isNumber(minItems) && value.length < minItems)
      isHeld = this.#fault(at, value, ["minItems", minItems]);
    if (isNumber(maxItems) && value.length > maxItems)
      isHeld = this.#fault(at, value, ["maxItems", maxItems]);
    if (uniqueItems === true && !this.#areUnique(value))
      isHeld = this.#fault(at, value, ["uniqueItems", true]);
    const first = listOf(schema["prefixItems"] ?? items);
    const rest = Array.isArray(items) ? additionalItems : items;
    for (const [index, item] of value.entries()) {
      const own = index < first.length ? first[index] : (rest as Schema | undefined);
      if (own === undefined) continue;
      looked?.add(index);
      isHeld = this.holds(own, item, placeIn(at, String(index))) && isHeld;
    }
    if (contains !== undefined) isHeld = this.#contains(schema, value, at) && isHeld;
    const { unevaluatedItems } = schema;
    if (unevaluatedItems !== undefined)
      for (const [index, item] of value.entries()) {
        if (looked?.has(index) === true) continue;
        looked?.add(index);
        isHeld = this.holds(unevaluatedItems as Schema, item, placeIn(at, String(index))) && isHeld;
      }
    return isHeld;
  }

  #contains(schema: SchemaObject, value: readonly unknown[], at: Place): boolean {
    const { looked } = at;
    const { contains, minContains = 1, maxContains } = schema;
    let found = 0;
    for (const [index, item] of value.entries()) {
      if (!this.#quietly(contains as Schema, item, placeIn(at, String(index)))) continue;
      found++;
      looked?.add(index);
    }
    if (isNumber(minContains) && found < minContains)
      return this.#fault(
        at,
        value,
        schema["minContains"] === undefined ? ["contains", contains] : ["minContains", minContains],
      );
    if (isNumber(maxContains) && found > maxContains)
      return this.#fault(at, value, ["maxContains", maxContains]);
    return true;
  }

  #object(schema: SchemaObject, value: Values, at: Place): boolean {
    const { required, minProperties, maxProperties, propertyNames } = schema;
    const keys = Object.keys(value);
    this.#spend(keys.length);
    let isHeld = true;
    for (const name of Array.isArray(required) ? (required as unknown[]) : [])
      if (typeof name === "string" && !Object.hasOwn(value, name))
        isHeld = this.#fault(at, value, ["required", required, name]);
    if (isNumber(minProperties) && keys.length < minProperties)
      isHeld = this.#fault(at, value, ["minProperties", minProperties]);
    if (isNumber(maxProperties) && keys.length > maxProperties)
      isHeld = this.#fault(at, value, ["maxProperties", maxProperties]);
    if (propertyNames !== undefined)
      for (const key of keys)
        isHeld = this.holds(propertyNames as Schema, key, placeIn(at, key)) && isHeld;
    isHeld = this.#dependencies(schema, value, at) && isHeld;
    return this.#properties(schema, { value, keys }, at) && isHeld;
  }

  #dependencies(schema: SchemaObject, value: Values, at: Place): boolean {
    let isHeld = true;
    for (const keyword of ["dependentRequired", "dependentSchemas", "dependencies"] as const)
      for (const [key, rule] of Object.entries(objectOf(schema[keyword]))) {
        if (!Object.hasOwn(value, key)) continue;
        if (!Array.isArray(rule)) {
          isHeld = this.holds(rule as Schema, value, at) && isHeld;
          continue;
        }
        for (const name of rule as unknown[])
          if (typeof name === "string" && !Object.hasOwn(value, name))
            isHeld = this.#fault(at, value, ["required", rule, name]);
      }
    return isHeld;
  }

  #properties(
    schema: SchemaObject,
    { value, keys }: { readonly value: Values; readonly keys: readonly string[] },
    at: Place,
  ): boolean {
    const { looked } = at;
    const properties = objectOf(schema["properties"]);
    const patterns = Object.entries(objectOf(schema["patternProperties"]));
    const { additionalProperties, unevaluatedProperties } = schema;
    let isHeld = true;
    for (const key of keys) {
      const place = placeIn(at, key);
      const rules: Schema[] = [];
      if (Object.hasOwn(properties, key)) rules.push(properties[key] as Schema);
      for (const [pattern, rule] of patterns)
        if (this.#matches(pattern, key)) rules.push(rule as Schema);
      if (rules.length === 0 && additionalProperties !== undefined)
        rules.push(additionalProperties as Schema);
      if (rules.length > 0) looked?.add(key);
      else if (unevaluatedProperties !== undefined && looked?.has(key) !== true) {
        looked?.add(key);
        rules.push(unevaluatedProperties as Schema);
      }
      for (const rule of rules) isHeld = this.holds(rule, value[key], place) && isHeld;
    }
    return isHeld;
  }

  #areUnique(value: readonly unknown[]): boolean {
    const seen = new Set<string>();
    for (const item of value) {
      const text = canonical(item);
      this.#spend(1 + Math.ceil(text.length / 64));
      seen.add(text);
    }
    return seen.size === value.length;
  }

  #isEqual(one: unknown, other: unknown): boolean {
    this.#spend(1);
    if (one === other) return true;
    if (Array.isArray(one))
      return (
        Array.isArray(other) &&
        one.length === other.length &&
        one.every((item, index) => this.#isEqual(item, other[index]))
      );
    if (!isObject(one) || !isObject(other)) return false;
    const keys = Object.keys(one);
    return (
      keys.length === Object.keys(other).length &&
      keys.every((key) => Object.hasOwn(other, key) && this.#isEqual(one[key], other[key]))
    );
  }
}

function placeIn({ path, depth }: Place, key: string): Place {
  return { path: `${path}/${pointerPart(key)}`, depth };
}

function isNumber(value: unknown): value is number {
  return typeof value === "number";
}

function listOf(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? (value as Schema[]) : [];
}

function objectOf(value: unknown): Values {
  return isObject(value) ? value : {};
}
