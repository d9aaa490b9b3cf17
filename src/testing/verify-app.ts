// A Worker that checks this code against another Worker's runs. `edgecrew deploy` starts it on the local machine.
import { EngineError, errorMessage } from "../base/error.ts";
import type { ExportedRun } from "../runtime/export-run.ts";
import { verifyRun, type VerifyPorts } from "./verify-run.ts";

/** An app's ports for driving runs, and its versioned definitions. */
export type VerifiableApp = VerifyPorts & {
  /** Definitions by kind and name; those of `versions()` list `all`. */
  readonly versioned: Readonly<Record<string, Readonly<Record<string, object>> | undefined>>;
};

/** The class of an app's runs, as in `app.durableObjects`. */
export type VerifiableRuns = { readonly verifiable: (env: never) => VerifiableApp };

/** Versions of a definition, as the code lists them. */
export type ListedVersions = {
  readonly kind: string;
  readonly name: string;
  readonly current: string;
  readonly all: readonly string[];
};

/** Makes the main module of a Worker for replaying received runs. It calls no other service. */
export function verifyApp(runs: VerifiableRuns): {
  readonly fetch: (request: Request, env: unknown) => Promise<Response>;
} {
  return {
    fetch: async (request, env) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/healthz") return Response.json({ status: "ok" });
      const app = runs.verifiable(env as never);
      if (pathname === "/versions") return Response.json(listedVersions(app));
      try {
        return Response.json(await verifyRun(JSON.parse(await request.text()) as ExportedRun, app));
      } catch (error) {
        const isInput = EngineError.is(error) && error.code === "invalid_input";
        return Response.json({ message: errorMessage(error) }, { status: isInput ? 400 : 500 });
      }
    },
  };
}

function listedVersions({ versioned }: VerifiableApp): readonly ListedVersions[] {
  return Object.entries(versioned).flatMap(([kind, definitions = {}]) =>
    Object.entries(definitions).flatMap(([name, definition]) => {
      const { current, all } = definition as { readonly current?: unknown; readonly all?: unknown };
      return typeof current === "string" && all instanceof Map
        ? [{ kind, name, current, all: [...all.keys()] as string[] }]
        : [];
    }),
  );
}
