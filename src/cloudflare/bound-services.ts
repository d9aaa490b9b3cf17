// Bindings of the Worker for tools: databases by name, and a browser.
import type { DatabaseBinding, SqliteBinding } from "../tools/catalog/sql/database.ts";
import type { Browser } from "../tools/catalog/web/browser.ts";

/** Finds databases among the bindings by name: D1 databases and Hyperdrives. */
export function boundDatabases(env: object): (name: string) => DatabaseBinding | undefined {
  return (name) => {
    const binding = bindingOf(env, name);
    if (isD1(binding)) return { kind: "d1", database: binding };
    const { connectionString } = (binding ?? {}) as { readonly connectionString?: unknown };
    return typeof connectionString === "string"
      ? { kind: "hyperdrive", connectionString }
      : undefined;
  };
}

/** Returns the binding `BROWSER` if it is a browser. */
export function boundBrowser(env: object): Browser | undefined {
  const binding = bindingOf(env, "BROWSER");
  const { quickAction } = (binding ?? {}) as Partial<Browser>;
  return typeof quickAction === "function" ? (binding as Browser) : undefined;
}

function bindingOf(env: object, name: string): unknown {
  const binding: unknown = Object.hasOwn(env, name)
    ? (env as Readonly<Record<string, unknown>>)[name]
    : undefined;
  return typeof binding === "object" && binding !== null ? binding : undefined;
}

function isD1(binding: unknown): binding is SqliteBinding {
  const { prepare, batch } = (binding ?? {}) as {
    readonly prepare?: unknown;
    readonly batch?: unknown;
  };
  return typeof prepare === "function" && typeof batch === "function";
}
