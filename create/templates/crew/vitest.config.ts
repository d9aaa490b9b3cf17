import { definitions } from "edgecrew/vite";
import { defineConfig } from "vitest/config";

export default defineConfig({ plugins: [definitions()], test: { include: ["test/**/*.test.ts"] } });
