// Initial text of the editor: the stored text, a copy from the code, or a small sample.
import { EngineError } from "../../../src/client/index.ts";
import type { Json, TargetDetails, TargetKind } from "../../api-types.ts";
import { targetsOf, transport } from "../../api.ts";
import { definitions, type Source } from "../definitions/requests.ts";
import { copiedCrew } from "./copied.ts";
import { toYaml } from "./yaml-text.ts";

/** A text and its version; version 0 if no text is stored yet. */
export type Begin = Source & { readonly version: number };

const YAML = "application/yaml";

export async function readStored(kind: TargetKind, name: string): Promise<Begin> {
  const { version = 0, definition = {} } = await targetsOf(kind).get(name);
  try {
    const { source, mediaType } = await definitions.version(kind, name, version);
    return { text: pretty({ text: source, mediaType }), mediaType, version };
  } catch (error) {
    if (!EngineError.is(error) || error.code !== "not_found") throw error;
    return { text: toYaml(definition), mediaType: YAML, version }; // stored before there were versions
  }
}

/** Indents JSON of a single line. */
function pretty({ text, mediaType }: Source): string {
  if (mediaType !== "application/json" || text.trim().includes("\n")) return text;
  try {
    return `${JSON.stringify(JSON.parse(text), undefined, 2)}\n`;
  } catch {
    return text;
  }
}

export function copyOf(target: TargetDetails): Begin {
  return { text: copiedCrew(target), mediaType: YAML, version: 0 };
}

/** The text of a template as a new definition. */
export function beginOf(template: string | undefined): Begin | undefined {
  return template === undefined ? undefined : { text: template, mediaType: YAML, version: 0 };
}

type Described = {
  readonly paths: Readonly<
    Record<
      string,
      {
        readonly put?: {
          readonly requestBody?: {
            readonly content: Readonly<Record<string, { readonly example?: Json }>>;
          };
        };
      }
    >
  >;
};

/** The example of the API's description. */
export async function readSample(kind: TargetKind): Promise<Begin> {
  const { paths } = await transport.json<Described>("/openapi.json");
  const content = paths[`/${kind}s/{name}`]?.put?.requestBody?.content;
  return {
    text: toYaml(content?.["application/json"]?.example ?? {}),
    mediaType: YAML,
    version: 0,
  };
}
