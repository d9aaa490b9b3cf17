import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

const folder = fileURLToPath(new URL(".", import.meta.url));

// Built by scripts/console-pages.ts. `vite console` serves the pages and passes API requests to `npm start`.
export default defineConfig({
  root: folder,
  base: "/console/",
  plugins: [react()],
  build: {
    outDir: fileURLToPath(new URL("../dist/console-root/console", import.meta.url)),
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0, // the pages' policy blocks data: addresses of scripts and styles
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 700,
    manifest: "manifest.json",
  },
  server: {
    proxy: { "^/(?!console)": { target: "http://127.0.0.1:8787", ws: true } },
  },
});
