// Which operation a request asks for: the first whose method and path it has.
import type { Operation } from "../parts/operation.ts";

/** All that is left of a path. A dot would end at a line break, which paths may have as `%0A`. */
const REST = "[^]+";

type Route = { readonly operation: Operation; readonly method: string; readonly pattern: RegExp };

export type FoundRoute = {
  readonly operation: Operation;
  readonly params: Readonly<Record<string, string>>;
};

export class Routes {
  readonly #routes: readonly Route[];

  constructor(operations: readonly Operation[]) {
    this.#routes = operations.map((operation) => ({
      operation,
      method: operation.method.toUpperCase(),
      pattern: pathPattern(operation.path),
    }));
  }

  /** `path` as `pathOf` gives it. `HEAD` asks for what `GET` answers. */
  find(asked: string, path: string): FoundRoute | undefined {
    const wanted = asked === "HEAD" ? "GET" : asked;
    for (const { operation, method, pattern } of this.#routes) {
      const groups = method === wanted ? pattern.exec(path) : null;
      if (groups === null) continue;
      const params = Object.entries({ ...groups.groups }).map(
        ([name, value]) => [name, decoded(value, decodeURIComponent)] as const,
      );
      return { operation, params: Object.fromEntries(params) };
    }
    return undefined;
  }

  /** The methods that a path takes. */
  methodsOf(path: string): ReadonlySet<string> {
    const methods = this.#routes.flatMap(({ method, pattern }) =>
      pattern.test(path) ? method : [],
    );
    return new Set(methods);
  }
}

/** The path of a request, decoded but for what its parts are separated by. A percent sign stays `%25`. */
export function pathOf({ url }: Pick<Request, "url">): string {
  return new URL(url).pathname.replaceAll(/(?:%(?!25)[\dA-Fa-f]{2})+/g, (text) =>
    decoded(text, decodeURI),
  );
}

/** `/runs/{id}/files/{+path}` as a pattern of decoded paths, with or without a slash at the end. */
export function pathPattern(path: string): RegExp {
  const pattern = path
    .replaceAll(".", "\\.")
    .replace(/\{\+(\w+)\}$/, `(?<$1>${REST})`)
    .replaceAll(/\{(\w+)\}/g, "(?<$1>[^/]+)");
  return new RegExp(`^${pattern}/?$`);
}

/** A text of which some is not encoded as it should be keeps that as it is. */
function decoded(text: string, decode: (text: string) => string): string {
  try {
    return decode(text);
  } catch {
    return text.replaceAll(/(?:%[\dA-Fa-f]{2})+/g, (part) =>
      part === text ? part : decoded(part, decode),
    );
  }
}
