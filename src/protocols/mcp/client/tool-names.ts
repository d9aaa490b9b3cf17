// Names of a server's tools for models.
import { sanitizeToolName } from "../../../wire/tool-name.ts";

/** Derives the name of a server without one: `docs.example.com/mcp` gives `docs_example_com_mcp`. */
export function serverNameOf(url: string): string {
  const { host, pathname } = new URL(url);
  const path = pathname.split("/").filter((part) => part !== "");
  return [host.replaceAll(".", "_"), ...path].join("_");
}

/** Returns `<server>_<tool>`, in a spelling accepted by every provider. */
export function exposedName(server: string, tool: string): string {
  return sanitizeToolName(`${server}_${tool}`);
}

/** Returns an address for events and messages: without its query, because some services have keys in it. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
