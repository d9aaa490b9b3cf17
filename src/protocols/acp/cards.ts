import { isJsonObject, type JsonValue } from "../../base/json.ts";
import type { PartHost } from "../../parts/part.ts";
import type { ExposedAgent } from "./exposed.ts";
import type { AcpSettings } from "./options.ts";
import { createAgentCard, type AgentCard, type AgentSkill } from "./task.ts";

/** Sources of a card. */
export type CardPlace = {
  readonly settings: Pick<AcpSettings, "name" | "version" | "description">;
  readonly host: Pick<PartHost, "basePath">;
  readonly request: Request;
};

const MAX_TEXT = 2_048;
const MAX_SKILLS = 64;

/** Returns the card of an exposed subject. */
export function cardOf({ key, info }: ExposedAgent, place: CardPlace): AgentCard {
  const { description } = info;
  const skills = info.skills.map((skill) => skillOf(skill.id, skill.description, skill.name));
  const { version } = place.settings;
  return createAgentCard({ name: key, description, skills, version, url: urlOf(place) });
}

/** Returns the card of the Worker, with all skills named in the code. */
export function workerCard(exposed: readonly ExposedAgent[], place: CardPlace): AgentCard {
  const {
    name,
    version,
    description = "Crews, agents and flows with durable runs",
  } = place.settings;
  const skills = exposed.flatMap((each) => cardOf(each, place).skills);
  return {
    ...createAgentCard({ name, description, skills, version, url: urlOf(place) }),
    authentication: { schemes: ["bearer", "basic", "apiKey"] },
  };
}

/** Reads the card of a remote agent, without its unknown values; undefined for an invalid one. */
export function readCard(
  value: JsonValue | undefined,
  about: { name: string; url: string },
): AgentCard | undefined {
  if (!isJsonObject(value) || !Array.isArray(value["skills"])) return undefined;
  const skills = (value["skills"] as JsonValue[]).slice(0, MAX_SKILLS).flatMap((skill) => {
    if (!isJsonObject(skill) || typeof skill["id"] !== "string") return [];
    const { id, name, description } = skill;
    return [skillOf(id.slice(0, MAX_TEXT), textIn(description, ""), textIn(name, id))];
  });
  const { description, version } = value;
  return createAgentCard({
    ...about,
    description: textIn(description, ""),
    version: textIn(version, "1.0.0"),
    skills,
  });
}

function skillOf(id: string, description: string, name = id): AgentSkill {
  return { id, name, description, inputModes: ["text"], outputModes: ["text"] };
}

function urlOf({ host: { basePath = "" }, request }: CardPlace): string {
  return `${new URL(request.url).origin}${basePath}/api/a2a`;
}

function textIn(value: JsonValue | undefined, other: string): string {
  return (typeof value === "string" ? value : other).slice(0, MAX_TEXT);
}
