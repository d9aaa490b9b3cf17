// What an agent's smaller options may say.
import { invalidDefinition } from "../../base/invalid-definition.ts";
import { preview } from "../../base/json.ts";
import type { ToolSource } from "../../tools/tool-source.ts";
import type { RemoteAgentEntry } from "./agent-offer.ts";

/** Settings of agents elsewhere, or values that connect to them: one, or a list. */
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

/** An external server of tools, by its settings. */
export type McpServer = Readonly<Record<string, unknown>>;

const SLUG = /^(?:crewai-amp:)?[A-Za-z0-9][A-Za-z0-9_-]*(?:#[^#\s]+)?$/;

const TEMPLATES = {
  systemTemplate: "System",
  promptTemplate: "Prompt",
  responseTemplate: "Response",
} as const;

export type TemplateName = keyof typeof TEMPLATES;

/** A template around the place that its text goes into: `{{ .System }}`, `{{ .Prompt }}`, `{{ .Response }}`. */
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

/** URLs that begin with `https://`, slugs of known servers (`notion`, `notion#search`), or settings. */
export function checkMcps(
  mcps: ReadonlyArray<string | McpServer | ToolSource> | undefined,
  role: string,
): ReadonlyArray<string | McpServer | ToolSource> {
  for (const [index, mcp] of (mcps ?? []).entries()) {
    const fits =
      typeof mcp === "string"
        ? isHttpsUrl(mcp) || SLUG.test(mcp)
        : typeof mcp === "object" && mcp !== null;
    if (typeof mcp === "object" && mcp !== null && "command" in mcp) {
      throw invalidDefinition(
        `agent "${role}": mcps[${index}] is a server that is started by a command (${preview(mcp.command)}), which needs a machine to run on: start it elsewhere, and name its address as { url: "https://…" }`,
      );
    }
    if (!fits) {
      throw invalidDefinition(
        `agent "${role}": mcps[${index}] must be a URL that begins with https://, a name such as "notion" or "notion#search", or settings, got ${preview(mcp)}`,
      );
    }
  }
  return mcps ?? [];
}

function isHttpsUrl(text: string): boolean {
  return text.startsWith("https://") && URL.canParse(text);
}
