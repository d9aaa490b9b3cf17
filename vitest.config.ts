import { defineConfig } from "vitest/config";
import { decorators } from "./src/vite.ts";

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
          name: "unit",
          include: ["test/unit/**/*.test.ts"],
          testTimeout: 30_000, // tests over every crash point take seconds, and longer on a busy machine
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
          include: ["test/integration/**/*.test.ts"],
          fileParallelism: false,
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
