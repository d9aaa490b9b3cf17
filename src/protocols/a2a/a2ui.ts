// A2UI: user interfaces as data, in parts with a media type of their own.
//
//   AU1. Only callers with the activated extension receive such parts.
//   AU2. Invalid messages are left out, and unlisted components are removed from the others.
import { isJsonObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { A2UI_COMPONENTS, A2UI_TYPE, A2UI_URI, type A2UIVersion } from "./a2ui-catalog.ts";
import { mediaTypeOf } from "./media-types.ts";
import type { Part } from "./schema.ts";

/** Filter of user interfaces. */
export type A2UIServerOptions = {
  /** Permitted components. @default those of the standard catalog */
  readonly components?: readonly string[];
  /** Catalog of the components. @default the standard one */
  readonly catalogId?: string;
  /** @default both */
  readonly versions?: readonly A2UIVersion[];
};

const VERSIONS: readonly A2UIVersion[] = ["v0.9", "v0.8"];
/** Message types by their only member. The value is the member with the components. */
const MESSAGES: Readonly<Record<string, string | undefined>> = {
  beginRendering: undefined,
  surfaceUpdate: "components",
  dataModelUpdate: undefined,
  deleteSurface: undefined,
  createSurface: undefined,
  updateComponents: "components",
  updateDataModel: undefined,
};

/** Returns the extensions for the card. */
export function a2uiExtensions({ versions = VERSIONS, catalogId }: A2UIServerOptions): readonly {
  readonly uri: string;
  readonly description: string;
  readonly params?: JsonObject;
}[] {
  return versions.map((version) => ({
    uri: A2UI_URI + version,
    description: "Answers may hold user interfaces",
    ...(catalogId === undefined ? undefined : { params: { catalogId } }),
  }));
}

/** Returns the parts for a caller with these extensions. */
export function shownA2ui(
  parts: readonly Part[],
  extensions: readonly string[],
  options: A2UIServerOptions | undefined,
): readonly Part[] {
  const isActive = options !== undefined && extensions.some((uri) => uri.startsWith(A2UI_URI));
  return parts.flatMap((part) => {
    if (mediaTypeOf(part) !== A2UI_TYPE) return [part];
    const data = isActive ? shownMessages(part.data, options) : undefined;
    return data === undefined ? [] : [{ ...part, data }];
  });
}

function shownMessages(
  data: JsonValue | undefined,
  options: A2UIServerOptions,
): JsonValue | undefined {
  const { components = A2UI_COMPONENTS } = options;
  const names: ReadonlySet<string> = new Set(components);
  const messages = Array.isArray(data) ? (data as readonly JsonValue[]) : [data];
  const shown = messages.flatMap((message) => {
    const [[kind, body] = [], another] = Object.entries(
      isJsonObject(message) ? message : {},
    ).filter(([name]) => name !== "version");
    if (kind === undefined || another !== undefined || !Object.hasOwn(MESSAGES, kind)) return [];
    if (body === undefined || !isJsonObject(body)) return [];
    const list = MESSAGES[kind];
    if (list === undefined) return [message as JsonObject];
    const all = body[list];
    if (!Array.isArray(all)) return [];
    const allowed = (all as readonly JsonValue[]).filter((each) => {
      const name = componentOf(each);
      return name !== undefined && names.has(name);
    });
    return [{ ...(message as JsonObject), [kind]: { ...body, [list]: allowed } }];
  });
  if (shown.length === 0) return undefined;
  return Array.isArray(data) ? shown : shown[0];
}

/** Returns the name of a component: a text in v0.9, the only member of an object in v0.8. */
function componentOf(entry: JsonValue): string | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { component } = entry;
  if (typeof component === "string") return component;
  const [name, another] = Object.keys(
    component !== undefined && isJsonObject(component) ? component : {},
  );
  return another === undefined ? name : undefined;
}
