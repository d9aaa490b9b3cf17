import { decorators, definitions } from "edgecrew/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({
  plugins: [decorators(), definitions()],
  test: { include: ["test/**/*.test.ts"] },
});
