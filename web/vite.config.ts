import { defineConfig } from "vite";

// Relative addresses, no inline code: the server forbids it.
export default defineConfig({
  base: "./",
  build: { target: "es2022", assetsInlineLimit: 0, chunkSizeWarningLimit: 1200, modulePreload: { polyfill: false } },
});
