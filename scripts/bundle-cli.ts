// Bundles the command line with its packages, so projects do not depend on them. Files of dist/src are not bundled again.
// Each command is a file of its own, loaded when it runs. All files are in one folder: they find the package by their
// own place.
// With the argument `create` it bundles the package create-edgecrew.
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const isCreate = process.argv[2] === "create";
const name = isCreate ? "create-edgecrew" : "edgecrew";
const root = fileURLToPath(new URL("..", import.meta.url));

/** The package already contains the builder of definitions, with the engine it reads them by. */
const builder: Plugin = {
  name: "builder",
  setup: (bundling) => {
    bundling.onResolve({ filter: /\/build\/build-definitions\.ts$/ }, () => ({
      path: "../src/build/build-definitions.js",
      external: true,
    }));
  },
};

/** `npm create edgecrew` contains its one command alone. */
const oneCommand: Plugin = {
  name: "one-command",
  setup: (bundling) => {
    bundling.onLoad({ filter: /\/src\/cli\/command-table\.ts$/ }, () => ({
      contents: `export const COMMANDS = [{
        name: "create",
        about: "make a project of your own",
        load: async () => (await import("./commands/create.ts")).create,
      }];`,
      loader: "ts",
    }));
  },
};

/** CommonJS inside a bundle that is ESM asks for `require`. */
const REQUIRE = `import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);`;

const folder = isCreate ? "create/dist" : "dist/cli";
rmSync(`${root}${folder}`, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [`src/cli/${name}.ts`],
  outdir: folder,
  bundle: true,
  splitting: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20", // an older Node must parse it to report its version
  banner: { js: REQUIRE },
  mainFields: ["module", "main"], // bundlers cannot read the UMD build of jsonc-parser
  plugins: isCreate ? [builder, oneCommand] : [builder],
  legalComments: "eof",
});
