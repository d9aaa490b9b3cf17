import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

// Not as an import: Vite would bundle all that it reaches, once for each project, which takes longer than many a test.
const { decorators } = (await import(
  new URL("src/entry/vite.ts", import.meta.url).href
)) as typeof import("./src/entry/vite.ts");

// Programs that tests start, many of them again and again, are compiled once.
process.env["NODE_COMPILE_CACHE"] ??= fileURLToPath(
  new URL("node_modules/.cache/edgecrew/compiled", import.meta.url),
);

/** Unit tests of the engine: docs/design/engine.md. */
const ENGINE = ["base", "journal", "events", "runtime", "parts"].map(
  (folder) => `test/unit/${folder}/**/*.test.ts`,
);

// Tests that run in Node. Those that run inside workerd have vitest.objects.config.ts.
export default defineConfig({
  plugins: [decorators()],
  test: {
    environment: "node",
    expect: { poll: { timeout: 30_000 } }, // a busy machine may be late; what holds is seen at once
    maxWorkers: "100%", // one for each core, those of the runner being idle most of the time
    projects: [
      {
        extends: true,
        test: {
          name: "engine",
          include: ENGINE,
          isolate: false, // as below
          testTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          exclude: ENGINE,
          isolate: false, // half of the time went into loading the same modules in a process for each file
          unstubEnvs: true,
          testTimeout: 90_000, // tests over every crash point take seconds, and longer on a busy machine
        },
      },
      {
        extends: true,
        test: {
          name: "architecture",
          include: ["test/architecture/**/*.test.ts"],
          testTimeout: 120_000,
        },
      },
      {
        extends: true,
        test: {
          name: "integration",
          include: ["test/integration/**/*.test.ts"], // beside each other: most of their time is waiting for servers
          testTimeout: 60_000,
          hookTimeout: 180_000, // servers that start beside others on a busy machine
        },
      },
      {
        extends: true,
        test: {
          name: "conformance",
          include: ["test/conformance/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 240_000,
          hookTimeout: 90_000,
        },
      },
      {
        extends: true,
        test: {
          name: "browser",
          include: ["test/browser/**/*.test.ts"],
          globalSetup: ["test/support/console-pages-setup.ts"],
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 240_000,
        },
      },
      {
        extends: true,
        test: {
          name: "crash",
          include: ["test/crash/**/*.test.ts"],
          fileParallelism: false,
          testTimeout: 180_000,
          hookTimeout: 180_000, // servers that start beside others on a busy machine
        },
      },
    ],
  },
});
