// Skills: know-how in texts, mostly read by an agent only on demand.
//
//   SK1. Level 1 shows a skill's name and purpose, level 2 its instructions, level 3 names its resources as well.
//   SK2. Texts come with the code: a run reads no disk and fetches no text.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { isJsonObject, preview, typeName } from "../../base/json.ts";
import { readYaml } from "../../base/yaml.ts";

/** Amount of a skill in the prompt from the start. */
export type DisclosureLevel = 1 | 2 | 3;

/** Written know-how for an agent, with further texts. */
export type Skill = {
  /** Lower-case letters, digits and single hyphens, such as `monthly-report`. At most 64 characters. */
  readonly name: string;
  /** Purpose of the skill, by which the agent chooses it. At most 1024 characters. */
  readonly description: string;
  /** The instructions, in Markdown. */
  readonly instructions: string;
  readonly license?: string;
  /** Requirements of the skill. At most 500 characters. */
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** Names of the tools used by the skill; shown to the agent, not enforced. */
  readonly allowedTools?: readonly string[];
  /** Further texts, by their path in the instructions: `references/style.md`. */
  readonly resources?: Readonly<Record<string, string>>;
  /** Distinguishes skills with the same name: `finance/report` and `sales/report`. */
  readonly folder?: string;
  /** Amount of the skill in the prompt from the start. @default 1 */
  readonly disclosureLevel?: DisclosureLevel;
};

/** A skill, or the text of a SKILL.md, which stands in the prompt from the start (level 2). */
export type SkillSource = Skill | string;

/** Options of a skill besides the text of its SKILL.md. */
export type SkillOptions = Pick<Skill, "resources" | "folder" | "disclosureLevel">;

const FRONT_MATTER = /^---[ \t]*\r?\n([^]*?)\r?\n---[ \t]*(?:\r?\n|$)([^]*)$/;

const MAX_NAME = 64;
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const MAX_DESCRIPTION = 1024;
const MAX_COMPATIBILITY = 500;

/**
 * Reads the text of a SKILL.md: YAML between two lines of `---`, then the instructions.
 * Throws `invalid_definition` and names the missing or wrong field.
 */
export function readSkill(markdown: string, options: SkillOptions = {}): Skill {
  const parts = FRONT_MATTER.exec(markdown.replace(/^\uFEFF/, ""));
  if (parts === null)
    throw invalidDefinition("a skill's text must begin with front matter between two lines of ---");
  const [, head = "", body = ""] = parts;
  const { value: front } = readYaml(head, (reason, { line, column }) =>
    invalidDefinition(`a skill's front matter must be YAML: ${line + 1}:${column}: ${reason}`),
  );
  if (!isJsonObject(front))
    throw invalidDefinition(`a skill's front matter must be a mapping, got ${typeName(front)}`);
  const { name, description, license, compatibility, metadata } = front;
  const allowed = front["allowed-tools"] ?? front["allowedTools"];
  return checkSkill({
    name,
    description,
    instructions: body.trim(),
    ...(license == null ? undefined : { license }),
    ...(compatibility == null ? undefined : { compatibility }),
    ...(metadata == null ? undefined : { metadata: textsOf(metadata) }),
    ...(allowed == null ? undefined : { allowedTools: words(allowed) }),
    ...options,
  });
}

/** Throws if a value is not a skill; the message names the field. Throws `invalid_definition`. */
export function checkSkill(input: unknown): Skill {
  if (!isJsonObject(input))
    throw invalidDefinition(`a skill must be an object, got ${typeName(input)}`);
  const { name, description, instructions, license, compatibility, metadata } = input;
  checkText("name", name, MAX_NAME);
  if (!NAME.test(name as string))
    throw invalidDefinition(
      `name must be lower-case letters and digits, with single hyphens between them, got ${preview(name)}`,
    );
  const named = `skill "${name as string}"`;
  checkText(`${named}: description`, description, MAX_DESCRIPTION);
  if (typeof instructions !== "string")
    throw invalidDefinition(`${named}: instructions must be a text, got ${preview(instructions)}`);
  if (license !== undefined) checkText(`${named}: license`, license, Infinity);
  if (compatibility !== undefined)
    checkText(`${named}: compatibility`, compatibility, MAX_COMPATIBILITY);
  if (metadata !== undefined) checkTexts(`${named}: metadata`, metadata);
  const { resources, allowedTools, folder, disclosureLevel } = input;
  if (resources !== undefined) checkTexts(`${named}: resources`, resources);
  if (folder !== undefined) checkText(`${named}: folder`, folder, Infinity);
  if (
    allowedTools !== undefined &&
    !(Array.isArray(allowedTools) && allowedTools.every((each) => typeof each === "string"))
  )
    throw invalidDefinition(
      `${named}: allowedTools must be a list of names, got ${preview(allowedTools)}`,
    );
  if (disclosureLevel !== undefined && ![1, 2, 3].some((level) => level === disclosureLevel))
    throw invalidDefinition(
      `${named}: disclosureLevel must be 1, 2 or 3, got ${preview(disclosureLevel)}`,
    );
  return input as Skill;
}

function checkText(name: string, value: unknown, maxLength: number): void {
  if (typeof value !== "string" || value.trim() === "")
    throw invalidDefinition(`${name} must be a text that is not empty, got ${preview(value)}`);
  if (value.length > maxLength)
    throw invalidDefinition(
      `${name} must have at most ${maxLength} characters, got ${value.length}`,
    );
}

function checkTexts(name: string, value: unknown): void {
  if (isJsonObject(value) && Object.values(value).every((each) => typeof each === "string")) return;
  throw invalidDefinition(`${name} must be an object of texts, got ${preview(value)}`);
}

/** YAML reads `version: 1.0` as a number; metadata is texts. */
function textsOf(metadata: unknown): unknown {
  if (!isJsonObject(metadata)) return metadata;
  return Object.fromEntries(
    Object.entries(metadata).map(([key, value]) => [
      key,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
  );
}

function words(value: unknown): unknown {
  return typeof value === "string" ? value.split(/\s+/).filter((word) => word !== "") : value;
}
