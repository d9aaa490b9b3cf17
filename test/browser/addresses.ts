// Every page of the console, by the routes that there are, with what is in its views.
import { router } from "../../console/shell/router.tsx";

/** What stands in an address for its parameters: by name, or by route where a name has several meanings. */
export type AddressValues = Readonly<Record<string, string>>;

/** Views of pages that are not the first one. */
const VIEWS: Readonly<Record<string, readonly string[]>> = {
  "/runs/$id": [
    "?tab=conversation",
    "?tab=graph",
    "?tab=timeline",
    "?tab=usage",
    "?tab=raw",
    "?step=$step",
  ],
  "/runs": ["?status=failed", "?q=nothing-at-all"],
  "/crews/$name": ["?tab=run", "?tab=edit", "?tab=versions", "?tab=evaluations"],
  "/flows/$name": ["?tab=run"],
  "/triggers": ["?schedule=$schedule", "?hook=$hook"],
  "/compare": ["?left=$id&right=$other"],
  "/evaluations": ["?crew=$name&left=$left&right=$right"],
  "/usage": ["?group=model&by=month&show=tokens"],
  "/settings": ["?tab=keys", "?tab=access", "?tab=about"],
};

/** The path of every route below `/console`. */
export const routePaths = (): readonly string[] =>
  Object.keys(router.routesByPath).map((path) => (path === "/" ? path : path.replace(/\/$/, "")));

/** An address of every page, and of each of its views. */
export function consoleAddresses(values: AddressValues): readonly string[] {
  return [...new Set(routePaths())].flatMap((path) =>
    ["", ...(VIEWS[path] ?? [])].map((view) => filled(path, values) + filledView(view, values)),
  );
}

/** Parameters that may be left out are left out. */
function filled(path: string, values: AddressValues): string {
  return path
    .replace(/\/\{-\$\w+\}/g, "")
    .replaceAll(/\$(\w+)/g, (_, name: string) =>
      encodeURIComponent(values[`${path} ${name}`] ?? values[name] ?? name),
    );
}

function filledView(view: string, values: AddressValues): string {
  return view.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(values[name] ?? name));
}
