import { cloudflareTest, readD1Migrations } from "@cloudflare/vitest-plugin";
import { defineConfig } from "vitest/config";

// Not as an import: Vite would bundle all that it reaches, once for each project, which takes longer than many a test.
const { decorators } = (await import(
  new URL("src/entry/vite.ts", import.meta.url).href
)) as typeof import("./src/entry/vite.ts");

// Tests that run inside workerd, beside real Durable Objects and a real D1.
export default defineConfig({
  plugins: [
    decorators(),
    cloudflareTest(async () => ({
      // Without this the suite asks for a Cloudflare login as soon as one remote-only binding exists.
      remoteBindings: false,
      wrangler: { configPath: "./test/objects/wrangler.toml" },
      miniflare: { bindings: { TEST_MIGRATIONS: await readD1Migrations("./migrations") } },
    })),
  ],
  test: {
    name: "objects",
    // Most of the time is waiting, for alarms and for objects to fall asleep.
    maxWorkers: 3,
    expect: { poll: { timeout: 30_000 } },
    testTimeout: 60_000,
    include: ["test/objects/**/*.test.ts"],
    setupFiles: ["./test/objects/setup.ts"],
  },
});
