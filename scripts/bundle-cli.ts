// The command line as one file: what it uses is no dependency of projects. What the package has in dist/src is not bundled a second time.
// With the argument `create` for the package create-edgecrew.
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";

const isCreate = process.argv[2] === "create";
const name = isCreate ? "create-edgecrew" : "edgecrew";
const root = fileURLToPath(new URL("..", import.meta.url));

/** The builder of definitions is in the package already, with all of the engine that it reads definitions by. */
const builder: Plugin = {
  name: "builder",
  setup: (bundling) => {
    bundling.onResolve({ filter: /\/build\/build-definitions\.ts$/ }, () => ({
      path: "../src/build/build-definitions.js",
      external: true,
    }));
  },
};

/** `npm create edgecrew` carries the one command that it has. */
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

await build({
  absWorkingDir: root,
  entryPoints: [`src/cli/${name}.ts`],
  outfile: isCreate ? `create/dist/${name}.js` : `dist/cli/${name}.js`,
  bundle: true,
  minify: true,
  platform: "node",
  format: "esm",
  target: "node20", // an older Node has to understand it to say that it is too old
  banner: { js: REQUIRE },
  mainFields: ["module", "main"], // jsonc-parser has a UMD build that no bundler can read
  plugins: isCreate ? [builder, oneCommand] : [builder],
  legalComments: "eof",
});
