import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { memberName } from "../../names.ts";

/** An expert as data: of a library, of a saved group, or invented by a model. */
export type Expert = {
  /** Unique in its group. */
  readonly name: string;
  /** Purpose of the expert. */
  readonly description: string;
  readonly systemMessage: string;
  /** Names of tools in the library. @default [] */
  readonly tools?: readonly string[];
};

/** The experts of a group. */
export type ExpertGroup = readonly Expert[];

/** Maximum length of a text invented by a model. */
const MAX_TEXT = 8_000;

/** Throws `invalid_definition` for experts that cannot form a group. */
export function checkExperts(experts: unknown, field: string): void {
  if (!Array.isArray(experts) || experts.length === 0)
    throw invalidDefinition(`${field} must be a list of experts, got ${preview(experts)}`);
  const names = new Set<string>();
  for (const [index, expert] of experts.entries()) {
    const read = readExpert(expert as JsonValue);
    if (read === undefined || read.systemMessage.trim() === "")
      throw invalidDefinition(
        `${field}[${index}] must have a name, a description and a systemMessage, got ${preview(expert)}`,
      );
    if (names.has(read.name))
      throw invalidDefinition(`${field} has two experts named ${preview(read.name)}`);
    names.add(read.name);
  }
}

/**
 * Reads the experts of an answer: each name once, without reserved names. Experts of a library are taken from there.
 */
export function readExperts(
  answer: JsonObject,
  {
    library,
    tools,
    taken,
    most,
  }: {
    readonly library: ExpertGroup;
    /** Names of tools. */
    readonly tools: readonly string[];
    readonly taken: readonly string[];
    readonly most: number;
  },
): ExpertGroup {
  const { experts } = answer;
  const group = new Map<string, Expert>();
  for (const each of Array.isArray(experts) ? experts : []) {
    const read = readExpert(each);
    if (read === undefined || taken.includes(read.name) || group.has(read.name)) continue;
    const known = library.find(({ name }) => name === read.name);
    if (known === undefined && read.systemMessage.trim() === "") continue;
    const { name, description, systemMessage, tools: wanted = [] } = known ?? read;
    group.set(name, {
      name,
      description: description.trim() === "" ? name : description,
      systemMessage,
      tools: known === undefined ? wanted.filter((tool) => tools.includes(tool)) : wanted,
    });
  }
  return [...group.values()].slice(0, most);
}

/** Reads groups stored as data. */
export function readGroups(kept: JsonValue | undefined): Readonly<Record<string, ExpertGroup>> {
  return isJsonObject(kept) ? (kept as unknown as Record<string, ExpertGroup>) : {};
}

function readExpert(value: JsonValue): Expert | undefined {
  if (!isJsonObject(value)) return undefined;
  const { tools } = value;
  const name = memberName(textOf(value["name"]));
  if (name === "") return undefined;
  return {
    name,
    description: textOf(value["description"]),
    systemMessage: textOf(value["systemMessage"]),
    tools: Array.isArray(tools) ? tools.filter((each) => typeof each === "string") : [],
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value.slice(0, MAX_TEXT) : "";
}
