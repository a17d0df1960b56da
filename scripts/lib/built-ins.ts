// How ES modules load what Node.js has built in: by `process.getBuiltinModule`. Bundlers of others leave that call as it
// is, where they refuse, rename or stub `require` and imports of `node:`.
import { builtinModules } from "node:module";

const NAMES = new Set(builtinModules);

export const builtInsAtRunTime: import("esbuild").Plugin = {
  name: "built-ins-at-run-time",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[a-z_:/0-9]+$/ }, ({ path, kind }) => {
      const name = path.replace(/^node:/, "");
      if (!path.startsWith("node:") && !NAMES.has(name)) return undefined;
      const namespace = kind === "require-call" ? "required" : "imported";
      return { path: `node:${name}`, namespace, sideEffects: false };
    });
    onLoad({ filter: /.*/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = ${builtIn(path)};`,
    }));
    onLoad({ filter: /.*/, namespace: "imported" }, ({ path }) => ({ contents: moduleOf(path) }));
  },
};

const builtIn = (path: string) => `process.getBuiltinModule(${JSON.stringify(path)})`;

/** Its names one by one, so that each one that nothing uses is left out. */
function moduleOf(path: string) {
  const names = Object.keys(process.getBuiltinModule(path) ?? {}).filter((name) => name !== "default");
  return [
    `const of = (name) => ${builtIn(path)}[name];`,
    `export default /* @__PURE__ */ ${builtIn(path)};`,
    ...names.map((name) => `const $${name} = /* @__PURE__ */ of("${name}"); export { $${name} as ${name} };`),
  ].join("\n");
}
