import { defineConfig } from "vite";

// The names of assets have a hash of their content, so that a browser may keep them for good.
export default defineConfig({
  base: "/",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: {
    target: "es2022",
    modulePreload: false,
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        entryFileNames: "assets/console-[hash].js",
        assetFileNames: "assets/console-[hash][extname]",
      },
    },
  },
  server: { proxy: { "/api": { target: "http://127.0.0.1:7333", ws: true, changeOrigin: true } } },
});
