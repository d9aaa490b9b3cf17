import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The page is written into dist/, which wrangler serves. */
export default defineConfig({
  plugins: [react()],
  build: { outDir: "../dist", emptyOutDir: true },
  logLevel: "warn",
});
