// Checks of an agent's smaller options.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { RemoteAgentEntry } from "./agent-offer.ts";
import type { McpEntry } from "./mcp-entry.ts";

/** Checks settings of remote agents, or values that connect to them: one, or a list. */
export function checkA2a(
  a2a: RemoteAgentEntry | readonly RemoteAgentEntry[] | undefined,
  role: string,
): readonly RemoteAgentEntry[] {
  const entries: readonly unknown[] = Array.isArray(a2a) ? a2a : a2a === undefined ? [] : [a2a];
  for (const [index, entry] of entries.entries()) {
    if (typeof entry === "object" && entry !== null && !Array.isArray(entry)) continue;
    throw invalidDefinition(
      `agent "${role}": a2a[${index}] must be remoteAgent(...) or settings such as { endpoint: "https://..." }, got ${preview(entry)}`,
    );
  }
  return entries as readonly RemoteAgentEntry[];
}

const SLUG = /^(?:crewai-amp:)?[A-Za-z0-9][A-Za-z0-9_-]*(?:#[^#\s]+)?$/;

const TEMPLATES = {
  systemTemplate: "System",
  promptTemplate: "Prompt",
  responseTemplate: "Response",
} as const;

export type TemplateName = keyof typeof TEMPLATES;

/** Splits a template around its placeholder: `{{ .System }}`, `{{ .Prompt }}`, `{{ .Response }}`. */
export function splitTemplate(
  name: TemplateName,
  template: string,
): readonly [string, string] | undefined {
  const found = new RegExp(`\\{\\{\\s*\\.${TEMPLATES[name]}\\s*\\}\\}`).exec(template);
  if (found === null) return undefined;
  return [template.slice(0, found.index), template.slice(found.index + found[0].length)];
}

/** Refuses a template without a place for its text, which would leave the text out of every prompt. */
export function checkTemplate(
  name: TemplateName,
  template: string | undefined,
  role: string,
): string | undefined {
  if (template === undefined) return undefined;
  if (typeof template === "string" && splitTemplate(name, template) !== undefined) return template;
  throw invalidDefinition(
    `agent "${role}": ${name} must be a text with {{ .${TEMPLATES[name]} }} in it, got ${preview(template)}`,
  );
}

/** `app`, or `app/action`. Each once. */
export function checkApps(apps: readonly string[] | undefined, role: string): readonly string[] {
  for (const [index, app] of (apps ?? []).entries()) {
    if (typeof app === "string" && /^[^/\s]+(?:\/[^/\s]+)?$/.test(app)) continue;
    throw invalidDefinition(
      `agent "${role}": apps[${index}] must be the name of an app, or app/action, got ${preview(app)}`,
    );
  }
  return [...new Set(apps)];
}

/** Reason for the refusal of a server started by a command, with the alternative. */
export const NO_PROCESSES =
  '"MCPServerStdio" is not available here: a Worker starts no processes. Start the server elsewhere, or in a container, and name its address: { url: "https://…" } (MCPServerHTTP)';

/**
 * Checks URLs that begin with `https://`, slugs of known servers (`notion`, `notion#search`), settings, or values.
 * `owner` names the owner in errors.
 */
export function checkMcps(
  mcps: readonly McpEntry[] | undefined,
  owner: string,
): readonly McpEntry[] {
  const entries: unknown = mcps ?? [];
  if (!Array.isArray(entries))
    throw invalidDefinition(`${owner}: mcps must be a list of servers, got ${preview(entries)}`);
  for (const [index, mcp] of (entries as unknown[]).entries()) {
    const where = `${owner}: mcps[${index}]`;
    if (typeof mcp === "object" && mcp !== null) {
      if ("command" in mcp) throw invalidDefinition(`${where}: ${NO_PROCESSES}`);
      continue;
    }
    if (typeof mcp === "string" && (isHttpsUrl(mcp) || SLUG.test(mcp))) continue;
    throw invalidDefinition(
      `${where} must be a URL that begins with https://, a name such as "notion" or "notion#search", or settings, got ${preview(mcp)}`,
    );
  }
  return mcps ?? [];
}

function isHttpsUrl(text: string): boolean {
  return text.startsWith("https://") && URL.canParse(text);
}
