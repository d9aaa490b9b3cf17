// A2UI over A2A: declarative user interfaces, as structured parts of messages.
//
//   AXU1. Messages of other versions, and messages with invalid content, are left out.
//   AXU2. Components outside the permitted ones are removed from updates; an empty update is left out.
import { definitionOptions, refuseUnknownOptions } from "../../../base/unknown-options.ts";
import * as z from "zod";
import { invalidDefinition } from "../../../base/invalid-definition.ts";
import { isJsonObject, preview, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { A2UI_COMPONENTS, A2UI_TYPE, A2UI_URI, type A2UIVersion } from "../a2ui-catalog.ts";
import type { A2AClientExtension, A2AExtensionResponse } from "./client-extension.ts";

/** Options of `a2ui()`. */
export type A2UIOptions = {
  /** @default the standard catalog */
  readonly catalogId?: string;
  /**
   * Permitted components of received messages. @default all of the standard catalog; with a `catalogId` of your own,
   * any
   */
  readonly allowedComponents?: readonly string[];
  /** @default "v0.8" */
  readonly version?: A2UIVersion;
};

const surface = z.looseObject({ surfaceId: z.string().min(1) });
const contents = z.looseObject({ surfaceId: z.string().min(1), contents: z.json().optional() });
const oldComponents = z.looseObject({
  surfaceId: z.string().min(1),
  components: z.array(
    z.looseObject({ id: z.string().min(1), component: z.record(z.string(), z.json()) }),
  ),
});
const newComponents = z.looseObject({
  surfaceId: z.string().min(1),
  components: z.array(z.looseObject({ id: z.string().min(1), component: z.string().min(1) })),
});

const MESSAGES: Readonly<Record<string, Readonly<Record<string, z.ZodType>>>> = {
  "v0.8": {
    beginRendering: z.looseObject({ surfaceId: z.string().min(1), root: z.string().min(1) }),
    surfaceUpdate: oldComponents,
    dataModelUpdate: contents,
    deleteSurface: surface,
  },
  "v0.9": {
    createSurface: z.looseObject({ surfaceId: z.string().min(1) }),
    updateComponents: newComponents,
    updateDataModel: contents,
    deleteSurface: surface,
  },
};

const OPTIONS = definitionOptions<A2UIOptions>("a2ui()", {
  catalogId: true,
  allowedComponents: true,
  version: true,
});

/** Lets a remote agent answer with user interfaces. Fails with `invalid_definition` for invalid options. */
export function a2ui(options: A2UIOptions = {}): A2AClientExtension {
  refuseUnknownOptions(options, OPTIONS);
  const { catalogId, allowedComponents, version = "v0.8" } = options;
  const messages = MESSAGES[version];
  if (messages === undefined)
    throw invalidDefinition(`a2ui: version must be "v0.8" or "v0.9", got ${preview(version)}`);
  if (allowedComponents !== undefined && !isTexts(allowedComponents))
    throw invalidDefinition(
      `a2ui: allowedComponents must be a list of names, got ${preview(allowedComponents)}`,
    );
  const allowed = new Set<string>(
    allowedComponents ?? (catalogId === undefined ? A2UI_COMPONENTS : []),
  );
  const allows = (name: string): boolean =>
    allowed.has(name) || (allowedComponents === undefined && catalogId !== undefined);
  return {
    uri: `${A2UI_URI}${version}`,
    prepareMessageMetadata: () => ({
      a2uiClientCapabilities: {
        supportedCatalogIds: catalogId === undefined ? [] : [catalogId],
        ...(allowedComponents === undefined ? undefined : { allowedComponents }),
      },
    }),
    processResponse: (response): A2AExtensionResponse => ({
      ...response,
      data: response.data.flatMap((part) => {
        if (part.mediaType !== A2UI_TYPE) return [part];
        const kept = keptMessages(part.value, { messages, allows });
        return kept === undefined ? [] : [{ ...part, value: kept }];
      }),
    }),
  };
}

type Rule = {
  readonly messages: Readonly<Record<string, z.ZodType>>;
  readonly allows: (component: string) => boolean;
};

/** Returns a message, or a list of them, without invalid content; undefined if the result is empty. */
function keptMessages(value: JsonValue, rule: Rule): JsonValue | undefined {
  if (!Array.isArray(value)) return keptMessage(value, rule);
  const kept = (value as readonly JsonValue[]).flatMap((each) => {
    const message = keptMessage(each, rule);
    return message === undefined ? [] : [message];
  });
  return kept.length === 0 ? undefined : kept;
}

function keptMessage(value: JsonValue, { messages, allows }: Rule): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const names = Object.keys(value).filter((name) => Object.hasOwn(messages, name));
  const [name] = names;
  if (name === undefined || names.length !== 1) return undefined;
  const body = value[name];
  if (messages[name]?.safeParse(body).success !== true || !isJsonObject(body)) return undefined;
  const { components } = body;
  if (!Array.isArray(components)) return value;
  const left = (components as readonly JsonObject[]).filter((each) =>
    componentNames(each).every((component) => allows(component)),
  );
  return left.length === 0 ? undefined : { ...value, [name]: { ...body, components: left } };
}

/** v0.8 writes `{ component: { Text: { … } } }`, v0.9 `{ component: "Text", … }`. */
function componentNames({ component }: JsonObject): readonly string[] {
  if (typeof component === "string") return [component];
  const names = isJsonObject(component) ? Object.keys(component) : [];
  return names.length === 0 ? [""] : names;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}
