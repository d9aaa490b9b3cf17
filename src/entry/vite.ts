// For projects built or tested with Vite: it parses TC39 decorators but does not compile them for engines.
import type * as Esbuild from "esbuild";

/** Required subset of a Vite plugin; Vite's own type would be a dependency of all users. */
export type DecoratorPlugin = {
  readonly name: string;
  readonly enforce: "pre";
  transform(code: string, id: string): Promise<{ code: string; map: string } | undefined>;
};

const SOURCE = /\.[cm]?[jt]sx?$/;
/** A decorator as formatters write it: at the start of a line, or behind `export`. */
const DECORATOR = /^\s*(?:export\s+(?:default\s+)?)?@[A-Za-z_$(]/m;

/** Lowers decorators in the project's own sources: `plugins: [decorators()]`. wrangler needs no plugin. */
export function decorators(): DecoratorPlugin {
  return {
    name: "edgecrew:decorators",
    enforce: "pre",
    async transform(code, id) {
      const file = id.split("?")[0] ?? id;
      if (!SOURCE.test(file) || file.includes("/node_modules/") || !DECORATOR.test(code))
        return undefined;
      const { transform } = await esbuild();
      return transform(code, {
        loader: loaderOf(file),
        target: "es2024",
        sourcemap: true,
        sourcefile: file,
        tsconfigRaw: { compilerOptions: { target: "es2024", useDefineForClassFields: true } },
      });
    },
  };
}

/** Loaded on demand: installed with wrangler, and no longer with Vite. */
async function esbuild(): Promise<typeof Esbuild> {
  try {
    return await import("esbuild");
  } catch (cause) {
    throw new Error("edgecrew/vite needs esbuild: npm install --save-dev esbuild", { cause });
  }
}

function loaderOf(file: string): "ts" | "tsx" | "js" | "jsx" {
  const isJsx = file.endsWith("x");
  if (/\.[cm]?tsx?$/.test(file)) return isJsx ? "tsx" : "ts";
  return isJsx ? "jsx" : "js";
}

/** Required subset of a Vite plugin. */
export type DefinitionsPlugin = {
  readonly name: string;
  configResolved(config: { readonly root: string }): Promise<void>;
  watchChange(file: string): Promise<void>;
};

/** Writes `.edgecrew/definitions.ts` before tests run and when a definition changes, as `edgecrew build` does for wrangler. */
export function definitions(): DefinitionsPlugin {
  let folder = "";
  const build = async (): Promise<void> => {
    // Loaded on demand: it reads all kinds of definitions, and decorators need no such code.
    const { buildDefinitions } = await import("../build/build-definitions.ts");
    const { faults } = buildDefinitions(folder);
    if (faults.length > 0) throw new Error(faults.map(({ message }) => message).join("\n"));
  };
  return {
    name: "edgecrew:definitions",
    async configResolved({ root }) {
      folder = root;
      await build();
    },
    async watchChange(file) {
      const path = file.replaceAll("\\", "/");
      if (["crews", "flows", "skills"].some((name) => path.startsWith(`${folder}/${name}/`)))
        await build();
    },
  };
}
