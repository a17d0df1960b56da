// How the code of others gets into the library: only what we need of it, and small.
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { root } from "./paths.mjs";

/**
 * The parts of undici that `src/http` imports, each from its own file. The index of undici also loads fetch, web
 * sockets and caches, which would double the size of the library and its load time.
 */
const UNDICI_PARTS = {
  Agent: "undici/lib/dispatcher/agent.js",
  Pool: "undici/lib/dispatcher/pool.js",
  ProxyAgent: "undici/lib/dispatcher/proxy-agent.js",
  buildConnector: "undici/lib/core/connect.js",
};

export const undiciInParts: import("esbuild").Plugin = {
  name: "undici-in-parts",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "parts" }));
    // Its parser once more, for newer processors. Headers as short as ours gain nothing; it takes the other one then.
    onLoad({ filter: /llhttp_simd-wasm\.js$/ }, () => ({ contents: "module.exports = undefined;" }));
    // HTTP/2, SOCKS proxies and forms, which `src/http` never uses.
    const unused =
      /undici[\\/]lib[\\/](?:dispatcher[\\/](?:client-h2|socks5-proxy-agent)|web[\\/]fetch[\\/]body)\.js$/;
    onLoad({ filter: unused }, () => ({ contents: "module.exports = {};" }));
    onLoad({ filter: /.*/, namespace: "parts" }, () => ({
      // An ES module: a part that is missing here breaks the build and not a flow.
      contents: [
        // The index also adds the methods of dispatchers: we call `request`, and a proxy's tunnel calls `connect`.
        `import Dispatcher from "undici/lib/dispatcher/dispatcher.js";`,
        `import connect from "undici/lib/api/api-connect.js";`,
        `import request from "undici/lib/api/api-request.js";`,
        `Object.assign(Dispatcher.prototype, { connect, request });`,
        ...Object.entries(UNDICI_PARTS).map(
          ([name, path]) => `export { default as ${name} } from "${path}";`,
        ),
      ].join("\n"),
      resolveDir: root,
    }));
  },
};

/**
 * Of the hashes of ox we use those of Ethereum, and no phrases of words: BLAKE3 is a WebAssembly module of its own, and
 * phrases need further libraries.
 */
export const oxInParts: import("esbuild").Plugin = {
  name: "ox-in-parts",
  setup({ onResolve, onLoad }) {
    onLoad({ filter: /[\\/]ox[\\/]dist[\\/]wasm[\\/]internal[\\/]blake3\.js$/ }, () => ({
      contents: "export const load = () => undefined, hash = undefined, create = undefined;",
    }));
    onLoad({ filter: /[\\/]ox[\\/]dist[\\/]core[\\/]Mnemonic\.js$/ }, () => ({
      contents: "export const toPrivateKey = undefined;",
    }));
    // Libraries of phrases, which the local service uses, need one of them.
    onResolve({ filter: /^@noble\/hashes\/(?:blake3|legacy)\.js$/ }, ({ importer }) =>
      /[\\/]ox[\\/]dist[\\/]core[\\/]/.test(importer) ? { path: "hashes", namespace: "unused" } : undefined,
    );
    onLoad({ filter: /^hashes$/, namespace: "unused" }, () => ({
      contents: "export const blake3 = undefined, ripemd160 = undefined;",
    }));
  },
};

/** WebAssembly modules, compressed: as Base64 alone an archive of npm can hardly compress them. */
export const wasmCompressed: import("esbuild").Plugin = {
  name: "wasm-compressed",
  setup({ onLoad }) {
    onLoad({ filter: /(?:\.wasm|llhttp-wasm)\.js$/ }, async ({ path }) => {
      const code = await readFile(path, "utf8");
      // Base64 of "\0asm".
      return { contents: code.replace(/'(AGFzb[\w+/]+=*)'/, (_, base64) => decompressed(base64)) };
    });
  },
};

function decompressed(base64: string) {
  const small = brotliCompressSync(Buffer.from(base64, "base64")).toString("base64");
  return `process.getBuiltinModule("node:zlib").brotliDecompressSync(Buffer.from("${small}", "base64")).toString("base64")`;
}

/** Names within the code of others help nobody; ours stay, so that stack traces can be read. */
export const withShortNames: import("esbuild").Plugin = {
  name: "with-short-names",
  setup({ onLoad, esbuild, initialOptions }) {
    if (initialOptions.sourcemap) return;
    onLoad({ filter: /[\\/]node_modules[\\/].*\.m?js$/ }, async ({ path }) => {
      const { code } = await esbuild.transform(await readFile(path, "utf8"), { minifyIdentifiers: true });
      return { contents: code };
    });
  },
};

/**
 * Shortens names inside of functions. Names of functions, classes and methods stay, so that stack traces can be read; of
 * private methods, esbuild cannot keep them.
 */
export const shortLocals: import("esbuild").Plugin = {
  name: "short-locals",
  setup({ initialOptions, onEnd, esbuild }) {
    const { sourcemap, lineLimit = 0, target = "esnext" } = initialOptions;
    if (sourcemap) return;
    initialOptions.write = false;
    delete initialOptions.lineLimit;
    onEnd(async ({ outputFiles = [] }) => {
      for (const { path, text } of outputFiles) {
        // In a file that is no ES module, esbuild leaves the outermost names. It removes what never runs: the list of
        // exports by which `import` finds their names.
        const [footer = ""] = /\b0&&\(module\.exports=\{[^}]*\}\);/.exec(text) ?? [];
        const how = { minifyWhitespace: true, minifyIdentifiers: true, lineLimit, target, footer };
        const { code } = await esbuild.transform(text, how);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, code);
      }
    });
  },
};
